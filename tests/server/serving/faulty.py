"""`python -m tests.server.serving.faulty --port N`: `hearts serve` with endpoints that misbehave.

It may open few files, so that a test can use them up.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator

from flask import Flask, Response

from server.cli.operate.serve import serve
from server.http.app import create_app
from server.runtime.settings import Settings

FILES = 192
SECONDS = 2.0  # for which no descriptor is free


def fail() -> Response:
    """Send a stream that ends with an error after its first piece."""

    def pieces() -> Iterator[bytes]:
        yield b"first"
        raise ZeroDivisionError

    return Response(pieces())


def use_up() -> Response:
    """Use up all descriptors of the process for a while."""
    taken = []
    try:
        while True:
            taken.append(os.dup(0))
    except OSError:
        time.sleep(SECONDS)
    finally:
        for each in taken:
            os.close(each)
    return Response(b"%d" % len(taken))


def faulty_app(settings: Settings) -> Flask:
    """The application with two more endpoints."""
    app = create_app(settings)
    app.add_url_rule("/fail", view_func=fail)
    app.add_url_rule("/use-up", view_func=use_up)
    return app


if __name__ == "__main__":
    from server.serving import service

    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    service.create_app = faulty_app  # type: ignore[attr-defined]
    serve()

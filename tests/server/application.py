"""An application with a database, without gunicorn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask import Flask, Response, request

from server.http.app import create_app
from server.http.services import services
from server.runtime.settings import Settings
from server.storage.database import upgrade
from tests.server.service import OPERATOR_TOKEN, PATIENCE

# What operators send to read metrics.
OPERATOR = {"Authorization": f"Bearer {OPERATOR_TOKEN}"}
# Depend on the settings, and not on the endpoint: keys, proxies, limits, faults of the service.
EVERYWHERE = {401, 403, 429, 500}


@contextmanager
def application(folder: Path, **settings: Any) -> Iterator[Flask]:
    """An application on an upgraded database; its data are in `folder` unless `settings` differ.

    At the end every status that it has answered with must be in its OpenAPI document.
    """
    here = {
        "database_url": f"sqlite:///{folder / 'hearts.db'}",
        "spool": str(folder / "spool"),
        "metrics_token": OPERATOR_TOKEN,
    }
    app = create_app(Settings(**here | {"workers": 1} | settings))
    answered = _record_statuses(app)
    try:
        upgrade(services(app).engine)
        services(app).decisions.patience = PATIENCE  # a busy machine's disk may be slow
        yield app
        documented = _documented(app)
        paths = {path for _, path, _ in documented}
        missing = sorted(each for each in answered - documented if each[1] in paths)
        assert not missing, f"not in the OpenAPI document: {missing}"
    finally:
        services(app).close()


def _record_statuses(app: Flask) -> set[tuple[str, str, int]]:
    """Method, path and status of all answers from now on."""
    answered = set()

    @app.after_request
    def record(response: Response) -> Response:
        known = request.url_rule is not None and response.status_code not in EVERYWHERE
        if known and request.method in ("GET", "POST", "DELETE"):
            path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(request.url_rule))
            answered.add((request.method.lower(), path, response.status_code))
        return response

    return answered


def _documented(app: Flask) -> set[tuple[str, str, int]]:
    """Method, path and status of all answers in the OpenAPI document."""
    paths = app.test_client().get("/openapi.json").json["paths"]
    return {
        (method, path, int(status))
        for path, item in paths.items()
        for method, described in item.items()
        if method != "parameters"
        for status in described["responses"]
        if status != "default"
    }

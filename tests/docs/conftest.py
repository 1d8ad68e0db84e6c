"""A service for the examples of the documents: the application in a thread, without gunicorn."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread

import pytest
from werkzeug.serving import make_server

from server.http.services import services
from tests.server.api import Api
from tests.server.application import application
from tests.server.jobs.working import working


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """An application with a database, with bots at its tables and with a worker."""
    folder = tmp_path_factory.mktemp("documents")
    with application(folder, table_pace_ms=0) as app, working(f"sqlite:///{folder}/hearts.db"):
        services(app).runner.start()
        yield Api(app)


@pytest.fixture(scope="session")
def address(api: Api) -> Iterator[str]:
    """Where the application answers."""
    server = make_server("127.0.0.1", 0, api.app, threaded=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()

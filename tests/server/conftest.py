"""An application without gunicorn, and a migrated database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from server.http.app import create_app
from server.http.services import services
from server.runtime.settings import Settings
from server.storage.database import make_engine, upgrade
from tests.hearts.warmup import compile_kernels
from tests.server.api import Api


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """One application for all tests; its kernels are compiled."""
    folder: Path = tmp_path_factory.mktemp("api")
    compile_kernels()
    url, spool = f"sqlite:///{folder / 'hearts.db'}", str(folder / "spool")
    app = create_app(Settings(database_url=url, spool=spool))
    upgrade(services(app).engine)
    yield Api(app)
    services(app).close()


@pytest.fixture
def engine(migrated_url: str) -> Iterator[Engine]:
    """A migrated database for one test."""
    made = make_engine(migrated_url)
    yield made
    made.dispose()

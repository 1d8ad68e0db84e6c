"""An application without gunicorn, and a migrated database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from server.storage.database import make_engine
from tests.hearts.warmup import compile_kernels
from tests.server.api import Api
from tests.server.application import application
from tests.server.jobs.working import working


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """One application for all tests, with a worker; its kernels are compiled."""
    compile_kernels()
    folder = tmp_path_factory.mktemp("api")
    with application(folder) as app, working(f"sqlite:///{folder}/hearts.db"):
        yield Api(app)


@pytest.fixture
def engine(migrated_url: str) -> Iterator[Engine]:
    """A migrated database for one test."""
    made = make_engine(migrated_url)
    yield made
    made.dispose()

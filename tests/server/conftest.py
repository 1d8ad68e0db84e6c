"""An application without gunicorn, and a migrated database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from server.storage.database import make_engine
from tests.hearts.warmup import compile_kernels
from tests.server.api import Api
from tests.server.application import application


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """One application for all tests; its kernels are compiled."""
    compile_kernels()
    with application(tmp_path_factory.mktemp("api")) as app:
        yield Api(app)


@pytest.fixture
def engine(migrated_url: str) -> Iterator[Engine]:
    """A migrated database for one test."""
    made = make_engine(migrated_url)
    yield made
    made.dispose()

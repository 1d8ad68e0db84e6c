"""A migrated database for every test."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from server.storage.database import make_engine


@pytest.fixture
def engine(migrated_url: str) -> Iterator[Engine]:
    made = make_engine(migrated_url)
    yield made
    made.dispose()

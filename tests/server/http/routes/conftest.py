"""An application on a migrated database of its own, SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.api import Api
from tests.server.application import application


@pytest.fixture
def migrated_api(migrated_url: str, tmp_path: Path) -> Iterator[Api]:
    """An application on its own migrated database."""
    with application(tmp_path, database_url=migrated_url) as app:
        yield Api(app)

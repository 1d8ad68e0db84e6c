"""Applications with a database of their own, and people who play at their tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.hearts.warmup import compile_kernels
from tests.server.application import application
from tests.server.tables.people import Lobby


@contextmanager
def opened(folder: Path, **settings: Any) -> Iterator[Lobby]:
    """An application on the database in a folder, which may have served others before."""
    with application(folder, **settings) as app:
        yield Lobby(app)


@pytest.fixture(scope="module")
def lobby(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lobby]:
    """One application for the tests of a module."""
    compile_kernels()
    with opened(tmp_path_factory.mktemp("tables")) as found:
        yield found

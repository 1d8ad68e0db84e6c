"""Applications with a database of their own, and people who play at their tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from server.http.app import create_app
from server.http.services import services
from server.runtime.settings import Settings
from server.storage.database import upgrade
from tests.hearts.warmup import compile_kernels
from tests.server.tables.people import Lobby


@contextmanager
def opened(folder: Path, **settings: Any) -> Iterator[Lobby]:
    """An application on the database in a folder, which may have served others before."""
    app = app_in(folder, **settings)
    yield Lobby(app)
    services(app).close()


def app_in(folder: Path, **settings: Any) -> Flask:
    """An application whose data are in a folder, unless another database is named."""
    here = {"database_url": f"sqlite:///{folder / 'hearts.db'}", "spool": str(folder / "spool")}
    app = create_app(Settings(**here | settings))
    upgrade(services(app).engine)
    return app


@pytest.fixture(scope="module")
def lobby(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lobby]:
    """One application for the tests of a module."""
    compile_kernels()
    with opened(tmp_path_factory.mktemp("tables")) as found:
        yield found

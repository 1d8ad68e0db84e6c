"""An application with a database, without gunicorn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask import Flask

from server.http.app import create_app
from server.http.services import services
from server.runtime.settings import Settings
from server.storage.database import upgrade


@contextmanager
def application(folder: Path, **settings: Any) -> Iterator[Flask]:
    """An application on an upgraded database; its data are in `folder` unless `settings` differ."""
    here = {"database_url": f"sqlite:///{folder / 'hearts.db'}", "spool": str(folder / "spool")}
    app = create_app(Settings(**here | settings))
    try:
        upgrade(services(app).engine)
        yield app
    finally:
        services(app).close()

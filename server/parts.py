"""What the endpoints work with, kept by the application that answers."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask, current_app
from sqlalchemy import Engine

from server.settings import Settings
from server.warmup import WarmUp

_KEY = "hearts"


@dataclass(frozen=True)
class Parts:
    """The long-lived objects of one application."""

    settings: Settings
    engine: Engine
    warm_up: WarmUp

    def attach(self, app: Flask) -> None:
        """Give these parts to `app`."""
        app.extensions[_KEY] = self


def parts(app: Flask | None = None) -> Parts:
    """The parts of `app`, or of the application whose request is being answered."""
    found: Parts = (app or current_app).extensions[_KEY]
    return found

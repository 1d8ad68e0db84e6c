"""What the endpoints work with, kept by the application that answers."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask, current_app
from sqlalchemy import Engine

from server.ai_config import Ceilings
from server.database import make_engine
from server.metrics import Metrics
from server.settings import Settings
from server.slots import Slots
from server.warmup import WarmUp

_KEY = "hearts"


@dataclass(frozen=True)
class Parts:
    """The long-lived objects of one application."""

    settings: Settings
    engine: Engine
    warm_up: WarmUp
    ceilings: Ceilings
    slots: Slots
    metrics: Metrics

    @classmethod
    def of(cls, settings: Settings) -> Parts:
        """The parts that some settings ask for; the database is not touched."""
        metrics = Metrics()
        slots = Slots(
            settings.slots, settings.queue, settings.request_seconds, metrics.refusals.inc
        )
        metrics.watch(slots)
        return cls(
            settings=settings,
            engine=make_engine(settings.database_url),
            warm_up=WarmUp(),
            ceilings=Ceilings.of(settings),
            slots=slots,
            metrics=metrics,
        )

    def attach(self, app: Flask) -> None:
        """Give these parts to `app`."""
        app.extensions[_KEY] = self


def parts(app: Flask | None = None) -> Parts:
    """The parts of `app`, or of the application whose request is being answered."""
    found: Parts = (app or current_app).extensions[_KEY]
    return found

"""What the endpoints work with, kept by the application that answers."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from flask import Flask, current_app
from sqlalchemy import URL, Engine

from server.games.belief_scorer import Judge
from server.runtime.metrics import Metrics
from server.runtime.settings import Settings
from server.runtime.warmup import WarmUp
from server.search.admission import Slots
from server.search.options import Ceilings
from server.storage.database import Probe, make_engine
from server.storage.spool import Spool
from server.storage.writer import Decisions
from server.tables.registry import Hall
from server.tables.runner import Runner

_KEY = "hearts"


@dataclass(frozen=True)
class Parts:
    """The long-lived objects of one application."""

    settings: Settings
    engine: Engine
    probe: Probe
    warm_up: WarmUp
    ceilings: Ceilings
    slots: Slots
    metrics: Metrics
    decisions: Decisions
    hall: Hall
    runner: Runner
    judge: Judge

    @classmethod
    def of(cls, settings: Settings) -> Parts:
        """The parts that some settings ask for; the database is not touched."""
        metrics = Metrics()
        slots = Slots(
            settings.slots, settings.queue, settings.request_seconds, metrics.refusals.inc
        )
        metrics.watch(slots)
        engine = make_engine(settings.database_url)
        hall, decisions = Hall(engine, settings.watchers), _decisions(settings)
        metrics.watch_spool(lambda: decisions.spool.size)
        return cls(
            settings=settings,
            engine=engine,
            probe=Probe(engine),
            warm_up=WarmUp(),
            ceilings=Ceilings.of(settings),
            slots=slots,
            metrics=metrics,
            decisions=decisions,
            hall=hall,
            runner=Runner(hall, slots, metrics, decisions),
            judge=Judge(engine, slots),
        )

    def attach(self, app: Flask) -> None:
        """Give these parts to `app`."""
        app.extensions[_KEY] = self

    def close(self) -> None:
        """Write what is still to be written, and let go of the database."""
        self.hall.close()
        self.runner.close()
        self.judge.close()
        self.decisions.close()
        self.engine.dispose()


def _decisions(settings: Settings) -> Decisions:
    """A log of decisions with an engine of its own: a move need not outlive a power cut."""
    engine = make_engine(settings.database_url, durable=False)
    spool = Spool(_spool_folder(settings, engine.url), settings.spool_megabytes * 2**20)
    return Decisions(engine, spool)


def _spool_folder(settings: Settings, url: URL) -> Path:
    """A folder for each database: a game is known in its own alone."""
    place = f"{url.get_backend_name()}|{url.host}|{url.port}|{url.database}"
    return Path(settings.spool) / sha256(place.encode()).hexdigest()[:12]


def parts(app: Flask | None = None) -> Parts:
    """The parts of `app`, or of the application whose request is being answered."""
    found: Parts = (app or current_app).extensions[_KEY]
    return found

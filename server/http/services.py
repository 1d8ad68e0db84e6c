"""The composition root: the long-lived objects of an application, and where routes find them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

from flask import Flask, current_app, request
from sqlalchemy import URL, Engine

from hearts.engine.decision import Decision
from hearts.engine.passing.decision import PassDecision
from server.http.schemas.moves import MoveRequest
from server.jobs.asking import JobRequests
from server.jobs.counts import JobCounts
from server.runtime.caller import Caller
from server.runtime.metrics import Metrics
from server.runtime.settings import Settings
from server.runtime.warmup import WarmUp
from server.search.admission import Slots
from server.search.budgets import WINDOW, SearchBudget
from server.search.options import Ceilings
from server.search.run import SearchRunner
from server.storage.database import Probe, make_engine
from server.storage.decision_log.log import DecisionLog
from server.storage.decision_log.spool import Spool
from server.tables.creators import Creators
from server.tables.engine_moves import EngineMoves
from server.tables.leases import Leases
from server.tables.pacing import Pacing
from server.tables.registry import TableRegistry
from server.tables.runner import TableRunner
from server.tables.watchers import Watchers

_KEY = "hearts"
JOB_GAUGES = {
    "waiting": "Jobs that wait for a worker",
    "running": "Jobs that a worker does",
    "done": "Jobs that were done in the last minutes",
    "failed": "Jobs that failed in the last minutes",
}


@dataclass(frozen=True)
class Services:
    """The long-lived objects of one application."""

    settings: Settings
    engine: Engine
    probe: Probe
    warm_up: WarmUp
    ceilings: Ceilings
    slots: Slots
    metrics: Metrics
    searches: SearchRunner
    jobs: JobRequests
    decisions: DecisionLog
    leases: Leases
    tables: TableRegistry
    watchers: Watchers
    runner: TableRunner

    @classmethod
    def of(cls, settings: Settings) -> Services:
        """The services for some settings; the database is not touched."""
        metrics = Metrics()
        slots = Slots(
            settings.slots,
            settings.share(settings.queue),
            settings.request_seconds,
            metrics.rejections.inc,
        )
        engine = make_engine(settings.database_url, bounded=True)
        leases = Leases(make_engine(settings.database_url, durable=False, bounded=True))
        tables, decisions = TableRegistry(engine, leases), _decisions(settings)
        searches = SearchRunner(slots, metrics)
        _add_gauges(metrics, slots, decisions)
        _add_job_gauges(metrics, engine)
        return cls(
            settings=settings,
            engine=engine,
            probe=Probe(engine),
            warm_up=WarmUp(),
            ceilings=Ceilings.of(settings),
            slots=slots,
            metrics=metrics,
            searches=searches,
            jobs=JobRequests(engine, settings.job_queue),
            decisions=decisions,
            leases=leases,
            tables=tables,
            watchers=Watchers(
                tables,
                settings.share(settings.watchers),
                settings.share(settings.enforced_watchers),
            ),
            runner=TableRunner(
                EngineMoves(tables, slots, metrics, decisions, _pacing(settings)),
                _creators(settings),
                slots.size,
            ),
        )

    def attach(self, app: Flask) -> None:
        """Make these the services of `app`."""
        app.extensions[_KEY] = self

    def log_decision(
        self, decision: Decision | PassDecision, request: MoveRequest, caller: Caller
    ) -> list[str]:
        """Log a decision with the caller's game, if the request names one; returns warnings."""
        if request.game_id is None:
            return []
        return self.decisions.log(decision, request.game_id, request.hand, caller.key_id)

    def close(self) -> None:
        """Write what is still to be written, and release the database."""
        self.tables.close()
        self.runner.close()
        self.jobs.closing.set()
        self.decisions.close()
        self.metrics.close()
        self.engine.dispose()


def services(app: Flask) -> Services:
    """The services of `app`."""
    found: Services = app.extensions[_KEY]
    return found


def current_services() -> Services:
    """The services of the application that answers the current request."""
    return services(current_app)


def endpoint() -> str:
    """The route of the current request, which labels its metrics."""
    return request.url_rule.rule if request.url_rule else ""


def _add_job_gauges(metrics: Metrics, engine: Engine) -> None:
    counts = JobCounts(engine)
    for status, about in JOB_GAUGES.items():
        metrics.gauge(f"hearts_jobs_{status}", about, partial(counts.of, status), common=True)


def _add_gauges(metrics: Metrics, slots: Slots, decisions: DecisionLog) -> None:
    metrics.gauge("hearts_searches_running", "Searches that run now", lambda: len(slots.running))
    metrics.gauge("hearts_queue_waiting", "Requests that wait for a search", lambda: slots.waiting)
    about = "Searches that may run at the same time"
    metrics.gauge("hearts_slots", about, lambda: slots.size, common=True)
    about = "Bytes of decisions that wait on disk for the database"
    metrics.gauge("hearts_spool_bytes", about, lambda: decisions.spool.size, common=True)


def _creators(settings: Settings) -> Creators:
    """The limits of those who create tables; each worker enforces its share."""
    seconds = settings.slots * WINDOW * settings.table_search_percent / 100
    budget = SearchBudget(seconds / settings.workers)
    return Creators(settings.share(settings.tables_per_creator), budget)


def _pacing(settings: Settings) -> Pacing:
    """The times of bots' moves; no search of a bot takes longer than `time_ms` may be."""
    return Pacing(settings.max_table_time_ms / 1000, settings.slots)


def _decisions(settings: Settings) -> DecisionLog:
    """The decision log. Its own engine skips fsync, since a move need not survive a power cut."""
    engine = make_engine(settings.database_url, durable=False, bounded=True)
    spool = Spool(_spool_folder(settings, engine.url), settings.spool_megabytes * 2**20)
    return DecisionLog(engine, spool)


def _spool_folder(settings: Settings, url: URL) -> Path:
    """One folder per database, since a game is known only in its own."""
    place = f"{url.get_backend_name()}|{url.host}|{url.port}|{url.database}"
    return Path(settings.spool) / sha256(place.encode()).hexdigest()[:12]

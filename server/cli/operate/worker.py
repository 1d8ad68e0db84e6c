"""`hearts worker`: do queued jobs."""

from __future__ import annotations

import signal

import click

from server.jobs.priority import IDLE, PRIORITIES
from server.runtime import logs
from server.runtime.settings import Settings


@click.command()
@click.option(
    "--concurrency", type=click.IntRange(1, 64), default=1, show_default=True, help="Jobs at once."
)
@click.option(
    "--once",
    is_flag=True,
    help="Stop when the queue is empty, or with 1 if the database does not answer.",
)
@click.option(
    "--lease",
    type=click.FloatRange(1, 600),
    default=10,
    show_default=True,
    help="Seconds without a sign of life after which another worker takes a job.",
)
@click.option(
    "--priority",
    type=click.Choice(PRIORITIES),
    default=IDLE,
    show_default=True,
    help="idle: only use processor time that nothing else wants.",
)
@click.option("--parent", type=int, hidden=True, help="Stop with this process.")
def worker(concurrency: int, once: bool, lease: float, priority: str, parent: int | None) -> None:
    """Do queued jobs until interrupted: reviews, scores of beliefs, deletion of old data.

    Any number of workers may share a database. SIGTERM and Ctrl-C give a running job back to the
    queue. `hearts serve` starts a worker of its own unless HEARTS_JOB_WORKERS is 0.
    """
    from server.jobs.process import ComputingProcess
    from server.jobs.worker import Worker
    from server.storage.database import make_engine, opened_database

    settings = Settings.from_environment()
    logs.configure(settings.log_level)
    if parent is None:  # a service that starts a worker has upgraded the database
        with opened_database(settings.database_url, create=False):
            pass
    engine = make_engine(settings.database_url, durable=False, bounded=True)
    working = Worker(engine, lease, lambda: ComputingProcess(priority))
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: working.close())
    try:
        working.run(concurrency, parent=parent, once=once)
    finally:
        engine.dispose()

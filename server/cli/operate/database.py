"""`hearts database`: create, upgrade, downgrade, inspect and prune the database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import click
from sqlalchemy import Engine

from server.runtime.settings import Settings, shown
from server.storage.database import (
    check_exists,
    downgrade,
    make_engine,
    opened_database,
    status,
    upgrade,
)
from server.storage.retention.prune import Retention, prune

# What the numbers of `hearts database prune` count.
PRUNED = {
    "idempotency_keys": "idempotency keys",
    "open_tables": "open tables that are abandoned now",
    "abandoned_tables": "abandoned tables without a finished hand",
    "games": "posted games, finished tables, and abandoned ones with a finished hand",
    "decisions": "logged decisions",
    "reviews": "reviews",
    "players": "players without a game",
    "jobs": "finished jobs, and background jobs that nobody did",
}
DRY_RUN = {"open_tables": "open tables to be abandoned"}


@click.group()
def database() -> None:
    """Create, upgrade, inspect and prune the database that HEARTS_DATABASE_URL names."""


@database.command("upgrade")
def upgrade_command() -> None:
    """Create the database, or upgrade it to this version."""
    with _opened() as (engine, name):
        upgrade(engine)
        click.echo(f"{name} is at revision {status(engine).revision}")


@database.command("downgrade")
@click.argument("revision")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def downgrade_command(revision: str, yes: bool) -> None:
    """Downgrade the database to REVISION, for an earlier version; `base` is an empty database.

    Tables that the earlier version does not have are dropped with their contents.
    """
    with _opened(create=False) as (engine, name):
        if not yes:
            click.confirm(f"Drop everything after revision {revision} from {name}?", abort=True)
        downgrade(engine, revision)
        click.echo(f"{name} is at revision {status(engine).revision or 'base'}")


@database.command("status")
def status_command() -> None:
    """Check that the database answers and is at the revision of this version; else exit with 1."""
    with _opened(create=False) as (engine, name):
        found = status(engine)
        if found.problem is not None:
            raise click.ClickException(found.problem)
        click.echo(f"{name} answers and is at revision {found.revision}")


@database.command("prune")
@click.option("--dry-run", is_flag=True, help="Count the rows, and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")
def prune_command(dry_run: bool, as_json: bool) -> None:
    """Delete what is older than the settings HEARTS_RETAIN_… say, and count it by kind.

    Tables in play are never deleted. `hearts worker` does this every hour.
    """
    retention = Retention.of(Settings.from_environment())
    with opened_database(create=False, migrate=not dry_run) as engine:
        counts = prune(engine, retention, dry_run=dry_run)
    if as_json:
        click.echo(json.dumps({"dry_run": dry_run, **counts}))
        return
    names = PRUNED | DRY_RUN if dry_run else PRUNED
    for kind, count in counts.items():
        click.echo(f"{count:>9}  {names[kind]}")


@contextmanager
def _opened(*, create: bool = True) -> Iterator[tuple[Engine, str]]:
    """The configured database, not upgraded, and its address without the password."""
    url = Settings.from_environment().database_url
    if not create:
        check_exists(url)
    engine = make_engine(url)
    try:
        yield engine, str(shown("database_url", url))
    finally:
        engine.dispose()

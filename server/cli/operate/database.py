"""`hearts database`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click
from sqlalchemy import Engine

from server.runtime.settings import Settings, shown
from server.storage.database import downgrade, make_engine, status, upgrade


@click.group()
def database() -> None:
    """Create, upgrade and inspect the database that HEARTS_DATABASE_URL names."""


@database.command("upgrade")
def upgrade_command() -> None:
    """Create the database, or bring it up to this version."""
    with _opened() as (engine, name):
        upgrade(engine)
        click.echo(f"{name} is at revision {status(engine).revision}")


@database.command("downgrade")
@click.argument("revision")
@click.option("--yes", is_flag=True, help="Do not ask.")
def downgrade_command(revision: str, yes: bool) -> None:
    """Take the database back to REVISION, for an earlier version; `base` is empty.

    Tables that the earlier version does not know are removed, with what they hold.
    """
    with _opened() as (engine, name):
        if not yes:
            click.confirm(f"Remove what came after revision {revision} from {name}?", abort=True)
        downgrade(engine, revision)
        click.echo(f"{name} is at revision {status(engine).revision or 'base'}")


@database.command("status")
def status_command() -> None:
    """Say whether the database answers and is up to date (exit 1 when not)."""
    with _opened() as (engine, name):
        found = status(engine)
        if found.problem is not None:
            raise click.ClickException(found.problem)
        click.echo(f"{name} answers and is at revision {found.revision}")


@contextmanager
def _opened() -> Iterator[tuple[Engine, str]]:
    """The configured database as it is, and its name for people."""
    url = Settings.from_environment().database_url
    engine = make_engine(url)
    try:
        yield engine, str(shown("database_url", url))
    finally:
        engine.dispose()

"""`hearts database`: create, upgrade, downgrade and inspect the database."""

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
    with _opened() as (engine, name):
        if not yes:
            click.confirm(f"Drop everything after revision {revision} from {name}?", abort=True)
        downgrade(engine, revision)
        click.echo(f"{name} is at revision {status(engine).revision or 'base'}")


@database.command("status")
def status_command() -> None:
    """Check that the database answers and is at the revision of this version; else exit with 1."""
    with _opened() as (engine, name):
        found = status(engine)
        if found.problem is not None:
            raise click.ClickException(found.problem)
        click.echo(f"{name} answers and is at revision {found.revision}")


@contextmanager
def _opened() -> Iterator[tuple[Engine, str]]:
    """The configured database, not upgraded, and its address without the password."""
    url = Settings.from_environment().database_url
    engine = make_engine(url)
    try:
        yield engine, str(shown("database_url", url))
    finally:
        engine.dispose()

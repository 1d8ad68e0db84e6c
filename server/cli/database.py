"""`hearts database`."""

from __future__ import annotations

import click

from server.database import make_engine, status, upgrade
from server.settings import Settings, shown


@click.group()
def database() -> None:
    """Create, upgrade and inspect the database that HEARTS_DATABASE_URL names."""


@database.command("upgrade")
def upgrade_command() -> None:
    """Create the database, or bring it up to this version."""
    url = Settings.from_environment().database_url
    engine = make_engine(url)
    upgrade(engine)
    click.echo(f"{shown('database_url', url)} is at revision {status(engine).revision}")


@database.command("status")
def status_command() -> None:
    """Say whether the database answers and is up to date (exit 1 when not)."""
    url = Settings.from_environment().database_url
    found = status(make_engine(url))
    if found.problem is not None:
        raise click.ClickException(found.problem)
    click.echo(f"{shown('database_url', url)} answers and is at revision {found.revision}")

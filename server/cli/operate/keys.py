"""`hearts keys`: create, list and revoke API keys, and give games to them."""

from __future__ import annotations

import click

from server.storage import api_keys as store
from server.storage.database import opened_database


@click.group()
def keys() -> None:
    """Create, list and revoke API keys. HEARTS_REQUIRE_KEYS=true makes the service require one.

    Games belong to the key that creates them. The name of a revoked key may be used again.
    """


@keys.command()
@click.argument("name")
def create(name: str) -> None:
    """Create a key for NAME and print it. Only its hash is stored: it cannot be shown again."""
    if not 1 <= len(name) <= 100:
        raise click.BadParameter("must have 1 to 100 characters", param_hint="NAME")
    with opened_database() as engine:
        click.echo(store.create(engine, name))


@keys.command("list")
def list_command() -> None:
    """List the names of the keys, and when they were created and revoked."""
    with opened_database(create=False) as engine:
        found = store.entries(engine)
    for entry in found:
        revoked = f"  revoked {entry.revoked_at:%Y-%m-%d}" if entry.revoked_at else ""
        click.echo(f"{entry.name}  created {entry.created_at:%Y-%m-%d}{revoked}")


@keys.command()
@click.argument("name")
def revoke(name: str) -> None:
    """Revoke the key of NAME; a running service rejects it within seconds."""
    with opened_database(create=False) as engine:
        store.revoke(engine, name)
    click.echo(f"the key of {name} is revoked")


@keys.command()
@click.argument("name")
@click.option("--revoked", is_flag=True, help="Also the games of revoked keys of this name.")
@click.option("--dry-run", is_flag=True, help="Count the games, and change nothing.")
def adopt(name: str, revoked: bool, dry_run: bool) -> None:
    """Give the games without an owner to the key of NAME.

    Such games were created while the service required no keys, or imported.
    """
    with opened_database(create=False, migrate=not dry_run) as engine:
        found = store.adopt(engine, name, revoked=revoked, dry_run=dry_run)
    click.echo(f"{found} games {'would be' if dry_run else 'were'} given to {name}")

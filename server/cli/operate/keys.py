"""`hearts keys`."""

from __future__ import annotations

import click

from server.storage import api_keys as store
from server.storage.database import opened_database


@click.group()
@click.pass_context
def keys(ctx: click.Context) -> None:
    """Make, list and revoke API keys; HEARTS_REQUIRE_KEYS=true makes the service ask for them."""
    ctx.obj = ctx.with_resource(opened_database())


@keys.command()
@click.argument("name")
@click.pass_context
def create(ctx: click.Context, name: str) -> None:
    """Make a key for NAME and print it; only its hash is kept, so it is shown this once."""
    if not 1 <= len(name) <= 100:
        raise click.BadParameter("must have 1 to 100 characters", param_hint="NAME")
    click.echo(store.create(ctx.obj, name))


@keys.command("list")
@click.pass_context
def list_command(ctx: click.Context) -> None:
    """List the keys' names, when they were made and whether they are revoked."""
    for entry in store.entries(ctx.obj):
        revoked = f"  revoked {entry.revoked_at:%Y-%m-%d}" if entry.revoked_at else ""
        click.echo(f"{entry.name}  made {entry.created_at:%Y-%m-%d}{revoked}")


@keys.command()
@click.argument("name")
@click.pass_context
def revoke(ctx: click.Context, name: str) -> None:
    """Make the key of NAME worthless; a running service knows within seconds."""
    store.revoke(ctx.obj, name)
    click.echo(f"the key of {name} is revoked")

"""`hearts keys`: create, list and revoke API keys, and give games to them."""

from __future__ import annotations

import click

from server.storage import api_keys as store
from server.storage.database import opened_database


@click.group()
@click.pass_context
def keys(ctx: click.Context) -> None:
    """Create, list and revoke API keys. HEARTS_REQUIRE_KEYS=true makes the service require one.

    Games belong to the key that creates them. The name of a revoked key may be used again.
    """
    ctx.obj = ctx.with_resource(opened_database())


@keys.command()
@click.argument("name")
@click.pass_context
def create(ctx: click.Context, name: str) -> None:
    """Create a key for NAME and print it. Only its hash is stored: it cannot be shown again."""
    if not 1 <= len(name) <= 100:
        raise click.BadParameter("must have 1 to 100 characters", param_hint="NAME")
    click.echo(store.create(ctx.obj, name))


@keys.command("list")
@click.pass_context
def list_command(ctx: click.Context) -> None:
    """List the names of the keys, and when they were created and revoked."""
    for entry in store.entries(ctx.obj):
        revoked = f"  revoked {entry.revoked_at:%Y-%m-%d}" if entry.revoked_at else ""
        click.echo(f"{entry.name}  created {entry.created_at:%Y-%m-%d}{revoked}")


@keys.command()
@click.argument("name")
@click.pass_context
def revoke(ctx: click.Context, name: str) -> None:
    """Revoke the key of NAME; a running service rejects it within seconds."""
    store.revoke(ctx.obj, name)
    click.echo(f"the key of {name} is revoked")


@keys.command()
@click.argument("name")
@click.option("--revoked", is_flag=True, help="Also the games of revoked keys of this name.")
@click.option("--dry-run", is_flag=True, help="Count the games, and change nothing.")
@click.pass_context
def adopt(ctx: click.Context, name: str, revoked: bool, dry_run: bool) -> None:
    """Give the games without an owner to the key of NAME.

    Such games were created while the service required no keys, or imported.
    """
    found = store.adopt(ctx.obj, name, revoked=revoked, dry_run=dry_run)
    click.echo(f"{found} games {'would belong' if dry_run else 'belong'} to {name} now")

"""`hearts config`: list the settings."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from server.runtime.settings import Settings, listing


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")
def config(as_json: bool) -> None:
    """List all settings with their values and the sources of the values."""
    found = listing(Settings.from_environment())
    if as_json:
        click.echo(json.dumps({each.name: asdict(each) for each in found}, indent=2))
        return
    width = max(len(each.variable) for each in found)
    for each in found:
        mark = {"default": "", each.variable: "  (set)"}.get(each.source, f"  ({each.source})")
        click.echo(f"{each.variable:{width}}  {each.value}{mark}")
        click.echo(f"{'':{width}}    {each.about}")

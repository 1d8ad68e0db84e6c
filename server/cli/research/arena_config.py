"""Players and options of `hearts arena` from a config file, and lists of players."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from hearts.game.errors import InvalidConfig
from hearts.players.spec import Spec, parse_table

TABLES = ("tournament", "players")  # in a config file


def read_config(ctx: click.Context, _: click.Parameter, path: Path | None) -> dict[str, Spec]:
    """Read a config file: defaults of options from `[tournament]`, players from `[players]`."""
    if path is None:
        return {}
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
        defaults, players = (_table(given, name) for name in TABLES)
        specs = {name: parse_table(_table(players, name), name) for name in players}
    except (OSError, ValueError) as error:
        raise click.BadParameter(f"{path}: {error}") from error
    known = {each.strip("-"): option for option in ctx.command.params for each in option.opts}
    if given.keys() - TABLES:
        raise click.BadParameter(f"{path}: [{min(given.keys() - TABLES)}] is unknown")
    if defaults.keys() - known:
        raise click.BadParameter(f"{path}: [tournament] has no {min(defaults.keys() - known)}")
    ctx.default_map = {
        str(known[key].name): _joined(value) if known[key].nargs == 1 else value
        for key, value in defaults.items()
    }
    return specs


def _table(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = given.get(name, {})
    if not isinstance(table, dict):
        raise InvalidConfig(name, "is not a table")
    return table


def _joined(value: Any) -> Any:
    """A list as one text, as on the command line; other values as they are."""
    return ",".join(map(str, value)) if isinstance(value, list) else value


def split_players(text: str) -> list[str]:
    """Split at commas, except before another option (`a=1`) of the same player."""
    players: list[str] = []
    for part in text.split(","):
        key, equals, _ = part.partition("=")
        if players and equals and ":" not in key:
            players[-1] += f",{part}"
        else:
            players.append(part.strip())
    return players

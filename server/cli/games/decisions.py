"""`hearts decisions`: what the engine chose for games, from what, and the same search again."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import click
from sqlalchemy import Engine
from tqdm import tqdm

from hearts.engine.config import MAX_SIMULATIONS, SearchConfig, published
from hearts.engine.decide import decide
from hearts.engine.passing.choose import choose_pass
from server import version
from server.cli.games.games import opened_database
from server.games.audit import audit
from server.storage.decisions import (
    DecisionRow,
    chosen,
    decision,
    decisions,
    figures_of,
    games_with_decisions,
)

ID = click.IntRange(1, 2**31 - 1)  # what the database can count to


@click.group("decisions")
@click.pass_context
def decisions_command(ctx: click.Context) -> None:
    """Look at logged decisions, and search them again."""
    ctx.obj = ctx.with_resource(opened_database())


@decisions_command.command("list")
@click.option("--game", "game_id", help="Only those of this game.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 10_000))
@click.pass_obj
def list_command(engine: Engine, game_id: str | None, limit: int) -> None:
    """List decisions, the newest first."""
    with engine.connect() as connection:
        for row in decisions(connection, game_id=game_id, limit=limit):
            place = "pass" if row.number is None else f"play {row.number}"
            click.echo(
                f"{row.id:>7}  {row.game_id}  hand {row.hand}  {place:<8} seat {row.seat}  "
                f"{row.chosen:<9} {row.simulations:>7} simulations  {row.ms:.1f} ms"
            )


@decisions_command.command()
@click.argument("number", metavar="ID", type=ID)
@click.pass_obj
def show(engine: Engine, number: int) -> None:
    """Show all that is kept of the decision ID, as JSON."""
    row = _found(engine, number)
    shown: dict[str, Any] = vars(row) | {
        "view": row.view.as_object(),
        "view_hash": row.view.fingerprint,
        "config": published(vars(row.config)),
        "created_at": row.created_at.isoformat(),
    }
    click.echo(json.dumps(shown, indent=2))


@decisions_command.command()
@click.argument("number", metavar="ID", type=ID)
@click.pass_context
def replay(ctx: click.Context, number: int) -> None:
    """Search the decision ID again, from what the log has of it alone.

    Exits with 1 unless the same card is chosen with the same figures. A search that a clock ended
    is given as many simulations as it had; shared out by count they may say something else, and
    only the card counts.
    """
    row = _found(ctx.obj, number)
    again = (choose_pass if row.kind == "pass" else decide)(row.view, _by_count(row))
    same_card, same_figures = chosen(again) == row.chosen, figures_of(again) == list(row.figures)
    by_clock = row.config.time_ms is not None or row.simulations < again.simulations
    click.echo(f"{row.chosen} was chosen, {chosen(again)} is: {_verdict(same_card)}")
    click.echo(f"figures of {len(row.figures)} choices: {_verdict(same_figures)}")
    if by_clock and not same_figures:
        click.echo("a clock ended the search, so its figures cannot be repeated")
    if row.version != version():
        click.echo(f"version {row.version} chose it, this is version {version()}")
    ctx.exit(0 if same_card and (same_figures or by_clock) else 1)


@decisions_command.command("audit")
@click.option("--game", "game_id", help="Only those of this game.")
@click.pass_context
def audit_command(ctx: click.Context, game_id: str | None) -> None:
    """Hold the view of every decision against what its seat saw, by the game's own events.

    Exits with 1 where one of them shows more.
    """
    engine: Engine = ctx.obj
    with engine.connect() as connection:
        games = [game_id] if game_id else games_with_decisions(connection)
    counts: Counter[str] = Counter()
    fair = True
    for game in tqdm(games, unit=" games", disable=None, leave=False):
        for found in audit(engine, game):
            counts[found.says if found.is_fair else "MORE than its seat saw"] += 1
            if not found.is_fair:
                fair = False
                click.echo(f"decision {found.decision.id} of game {game}: {found.says}", err=True)
    for says, number in counts.most_common():
        click.echo(f"{number:>7}  {says}")
    click.echo(f"{counts.total():>7}  decisions of {len(games)} games")
    ctx.exit(0 if fair else 1)


def _by_count(row: DecisionRow) -> SearchConfig:
    """The config of a decision; where a clock ended its search, with as much work instead."""
    if row.config.time_ms is None or not row.simulations:  # without a simulation: forced, or solved
        return row.config
    work = min(row.simulations, MAX_SIMULATIONS)
    return replace(
        row.config, time_ms=None, simulations=work, worlds=row.worlds or row.config.worlds
    )


def _verdict(same: bool) -> str:
    return "the same" if same else "different"


def _found(engine: Engine, number: int) -> DecisionRow:
    with engine.connect() as connection:
        row = decision(connection, number)
    if row is None:
        raise click.ClickException(f"there is no decision {number}")
    return row

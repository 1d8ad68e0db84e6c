"""`hearts decisions`: list, show, repeat and audit logged decisions."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import click
from tqdm import tqdm

from hearts.engine.config import MAX_SIMULATIONS, SearchConfig, published
from hearts.engine.decide import decide
from hearts.engine.passing.choose import choose_pass
from server import version
from server.games.audit import MORE, audit
from server.storage.database import opened_database
from server.storage.decisions import (
    DecisionRow,
    chosen,
    decision,
    decisions,
    games_with_decisions,
    statistics_of,
)

ID = click.IntRange(1, 2**31 - 1)  # what the database can count to


@click.group("decisions")
def decisions_command() -> None:
    """Show logged decisions and repeat their searches."""


@decisions_command.command("list")
@click.option("--game", "game_id", help="Only decisions of this game.")
@click.option(
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="Maximum number of decisions.",
)
def list_command(game_id: str | None, limit: int) -> None:
    """List decisions, the newest first."""
    with opened_database(create=False) as engine, engine.connect() as connection:
        for row in decisions(connection, game_id=game_id, limit=limit):
            place = "pass" if row.number is None else f"play {row.number}"
            click.echo(
                f"{row.id:>7}  {row.game_id}  hand {row.hand}  {place:<8} seat {row.seat}  "
                f"{row.chosen:<9} {row.simulations:>7} simulations  {row.ms:.1f} ms"
            )


@decisions_command.command()
@click.argument("number", metavar="ID", type=ID)
def show(number: int) -> None:
    """Show the decision ID as JSON."""
    row = _found(number)
    click.echo(json.dumps(_as_object(row), indent=2))


@decisions_command.command()
@click.argument("number", metavar="ID", type=ID)
@click.pass_context
def replay(ctx: click.Context, number: int) -> None:
    """Repeat the search of the decision ID from its log entry.

    Exits with 1 unless the same card is chosen with the same statistics. A search that was limited
    by time is repeated with as many simulations; its statistics may then differ, and only the card
    is compared.
    """
    row = _found(number)
    again = (choose_pass if row.kind == "pass" else decide)(row.view, _by_count(row))
    same_card = chosen(again) == row.chosen
    same_statistics = statistics_of(again) == list(row.statistics)
    by_clock = row.config.time_ms is not None or row.simulations < again.simulations
    click.echo(f"{row.chosen} was chosen, {chosen(again)} is: {_verdict(same_card)}")
    click.echo(f"statistics of {len(row.statistics)} moves: {_verdict(same_statistics)}")
    if by_clock and not same_statistics:
        click.echo("a clock ended the search, so its statistics cannot be repeated")
    if row.version != version():
        click.echo(f"chosen by version {row.version}, repeated by version {version()}")
    ctx.exit(0 if same_card and (same_statistics or by_clock) else 1)


@decisions_command.command("audit")
@click.option("--game", "game_id", help="Only decisions of this game.")
@click.pass_context
def audit_command(ctx: click.Context, game_id: str | None) -> None:
    """Compare the view of every decision with what its seat saw, by the events of the game.

    Exits with 1 if a view shows more than its seat saw.
    """
    engine = ctx.with_resource(opened_database(create=False))
    with engine.connect() as connection:
        games = [game_id] if game_id else games_with_decisions(connection)
    counts: Counter[str] = Counter()
    for game in tqdm(games, unit=" games", disable=None, leave=False):
        for found in audit(engine, game):
            counts[found.verdict if found.is_fair else MORE] += 1
            if not found.is_fair:
                place = f"decision {found.decision.id} of game {game}"
                click.echo(f"{place}: {found.verdict}", err=True)
    for verdict, number in counts.most_common():
        click.echo(f"{number:>7}  {verdict}")
    click.echo(f"{counts.total():>7}  decisions of {len(games)} games")
    ctx.exit(1 if MORE in counts else 0)


def _as_object(row: DecisionRow) -> dict[str, object]:
    shown = vars(row) | {
        "view": row.view.as_object(),
        "view_hash": row.view.fingerprint,
        "config": published(vars(row.config)),
        "figures": row.statistics,
        "created_at": row.created_at.isoformat(),
    }
    del shown["statistics"]
    return shown


def _by_count(row: DecisionRow) -> SearchConfig:
    """The config of a decision, limited by its simulations instead of by time."""
    if row.config.time_ms is None or not row.simulations:  # no simulations: forced or solved
        return row.config
    work = min(row.simulations, MAX_SIMULATIONS)
    return replace(
        row.config, time_ms=None, simulations=work, worlds=row.worlds or row.config.worlds
    )


def _verdict(same: bool) -> str:
    return "the same" if same else "different"


def _found(number: int) -> DecisionRow:
    with opened_database(create=False) as engine, engine.connect() as connection:
        row = decision(connection, number)
    if row is None:
        raise click.ClickException(f"there is no decision {number}")
    return row

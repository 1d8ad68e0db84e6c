"""`hearts review`: the cost of every decision of a game."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from hearts.analysis.forecasts import forecasts_of
from hearts.analysis.review import REVIEWING, Review, review
from hearts.arena.plot import plot_forecasts
from hearts.engine.config import SearchConfig, published
from hearts.engine.levels import LEVELS
from hearts.game.cards import SEATS
from hearts.game.errors import HeartsError, InvalidRecord
from hearts.game.records import Record, read_records
from server.games.access import OPERATOR
from server.games.records.record_adapter import players_of
from server.games.review.reviewer import hands_to_review, seat_labels
from server.runtime.errors import ApiError
from server.storage.database import opened_database
from server.storage.values import is_id

SEAT_NAMES = tuple(f"seat {seat}" for seat in range(SEATS))


@dataclass(frozen=True)
class Hand:
    """A hand to be reviewed."""

    number: int
    record: Record
    players: Sequence[str]


@click.command("review")
@click.argument("game", metavar="GAME|FILE")
@click.option("--hand", type=click.IntRange(0), help="Only this hand, counted from 0.")
@click.option("--seat", type=click.IntRange(0, SEATS - 1), help="Only the decisions of this seat.")
@click.option("--level", type=click.Choice(list(LEVELS)), help="Search as this level.")
@click.option("--simulations", type=click.IntRange(1), help="Simulations of each decision.")
@click.option("--worlds", type=click.IntRange(1), help="Worlds of each decision.")
@click.option(
    "--threads", type=click.IntRange(1), default=1, show_default=True, help="Threads of a search."
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the searches."
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")
@click.option(
    "--plot", type=click.Path(path_type=Path, dir_okay=False), help="Plot the forecasts as SVG."
)
def review_command(
    game: str, hand: int | None, seat: int | None, as_json: bool, plot: Path | None, **search: Any
) -> None:
    """Review a game in the database, or the records of a file: the cost of every decision.

    A cost is the difference in points to the card that a search prefers, with its standard error.
    The three worst decisions of each seat are explained. `--plot` draws forecasts of one hand: how
    likely each seat was to take the queen or to shoot the moon, trick by trick.
    """
    try:
        hands = _hands(game, hand)
        config = _config(**search)
        if plot is not None:
            _draw(plot, hands)
        _print(hands, config, range(SEATS) if seat is None else [seat], as_json)
    except (HeartsError, ApiError, OSError) as error:
        raise click.ClickException(str(error)) from error


def _print(
    hands: Sequence[Hand], config: SearchConfig, seats: Sequence[int], as_json: bool
) -> None:
    """Review hands and print each at once; JSON is printed at the end."""
    told = []
    for hand in hands:
        reviewed = _reviewed(hand, config, seats)
        if as_json:
            told.append(reviewed.as_object() | {"number": hand.number})
        else:
            click.echo(table(hand, reviewed, seats))
    if as_json:
        click.echo(json.dumps({"hands": told, "config": published(vars(config))}))


def table(hand: Hand, reviewed: Review, seats: Sequence[int]) -> str:
    """A review as text."""
    points = hand.record.points
    scored = "" if points is None else f", points {' '.join(map(str, points))}"
    lines = [f"hand {hand.number}{scored}"]
    for seat in seats:
        cost = reviewed.cost_by_seat[seat]
        lines.append(f"  {hand.players[seat]}: decisions cost {cost:.1f} points")
        lines += [
            f"    {_when(hand.record, each.question.number):<9} {each.sentence}"
            for each in reviewed.mistakes(seat)
        ]
    return "\n".join(lines)


def _hands(game: str, number: int | None) -> list[Hand]:
    """The hands of a file, or of a game in the database."""
    if not Path(game).is_file():
        if not is_id(game):
            raise click.ClickException(f"there is no file {game}")
        return _kept_hands(game, number)
    records = enumerate(read_records(game))
    hands = [Hand(i, record, _players(record)) for i, record in records if number in (None, i)]
    if not hands:
        raise click.ClickException(f"{game} has no hand {number}")
    return hands


def _kept_hands(game: str, number: int | None) -> list[Hand]:
    with opened_database(create=False) as engine:
        found, kept = hands_to_review(engine, game, number, OPERATOR)
    labels = seat_labels([seat.player.name for seat in found.seats])
    return [Hand(each.number, each.record, labels) for each in kept]


def _players(record: Record) -> Sequence[str]:
    """The labels of a record's seats."""
    if "players" not in record.extra:
        return SEAT_NAMES
    try:
        return seat_labels([player.name for player in players_of(record, record.source)])
    except InvalidRecord:  # its `players` mean something else
        return SEAT_NAMES


def _config(level: str | None, **options: Any) -> SearchConfig:
    named = {key: value for key, value in options.items() if value is not None}
    return replace(REVIEWING if level is None else LEVELS[level], **named)


def _reviewed(hand: Hand, config: SearchConfig, seats: Sequence[int]) -> Review:
    """Review a hand, with a progress bar on a terminal."""
    what = f"hand {hand.number}"
    with tqdm(desc=what, unit=" decisions", disable=None, leave=False) as bar:

        def show(done: int, asked: int) -> None:
            bar.total = asked
            bar.update(done - bar.n)

        return review(hand.record, config, seats=seats, progress=show)


def _draw(path: Path, hands: Sequence[Hand]) -> None:
    if len(hands) > 1:
        raise click.UsageError("--plot draws one hand: choose it with --hand")
    hand = hands[0]
    plot_forecasts(path, forecasts_of(hand.record.deal), hand.players, f"hand {hand.number}")


def _when(record: Record, number: int) -> str:
    """When a decision was made: the pass, or a trick."""
    play = number - sum(1 for cards in record.deal.passes if cards)
    return "pass" if play < 0 else f"trick {play // SEATS + 1}"

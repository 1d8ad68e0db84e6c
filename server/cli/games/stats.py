"""`hearts stats`: statistics of stored games."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from sqlalchemy import Engine
from tqdm import tqdm

from hearts.game.errors import HeartsError
from server.games.belief_scorer import score_beliefs
from server.games.statistics import Line, plot_statistics, statistics
from server.storage.database import opened_database
from server.storage.statistics import GROUPS, Choice

WHEN = click.DateTime(("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"))
# Heading, least width and text of each column.
COLUMNS: tuple[tuple[str, int, Callable[[Line], str]], ...] = (
    ("hands", 7, lambda line: f"{line.hands}"),
    ("points", 7, lambda line: f"{line.points:.2f}"),
    ("95%", 15, lambda line: _interval(line)),
    ("won", 7, lambda line: f"{line.wins / line.games:.1%}" if line.games else "-"),
    ("tried", 7, lambda line: f"{line.moons_tried}"),
    ("made", 6, lambda line: f"{line.moons_made}"),
    ("stopped", 9, lambda line: f"{line.moons_stopped}"),
    ("queens", 8, lambda line: f"{line.queens}"),
    ("passes", 8, lambda line: f"{line.passes}"),
    ("ms/move", 9, lambda line: _number(line.ms_per_move)),
    ("log-loss", 10, lambda line: _number(line.belief_log_loss)),
)


@click.command()
@click.option(
    "--group",
    type=click.Choice(list(GROUPS)),
    default="player",
    show_default=True,
    help="What a line of the table stands for.",
)
@click.option("--since", type=WHEN, help="Hands finished then or later (UTC).")
@click.option("--until", type=WHEN, help="Hands finished before then.")
@click.option("--source", help="Only games of this source; that of tables is `table`.")
@click.option(
    "--posted", is_flag=True, help="Posted and imported games instead of tables; without kinds."
)
@click.option("--player", help="Only players with this name.")
@click.option("--against", help="Only hands with this level at another seat.")
@click.option(
    "--score-beliefs",
    "--judge",  # its name in version 0.1
    "seats_to_score",
    default=2_000,
    show_default=True,
    type=click.IntRange(0),
    help="Score the beliefs of at most so many seats first.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")
@click.option(
    "--plot", type=click.Path(path_type=Path, dir_okay=False), help="Plot the mean points as SVG."
)
def stats(
    as_json: bool,
    plot: Path | None,
    seats_to_score: int,
    posted: bool,
    since: datetime | None,
    until: datetime | None,
    **chosen: Any,
) -> None:
    """Show statistics of players, levels or configs over the finished hands of tables.

    points: mean of a hand, with a 95% interval. won: share of finished games. tried, made, stopped:
    moons. log-loss: of the engine's beliefs, in nats per hidden card. Unscored beliefs are scored
    first.
    """
    choice = Choice(since=_utc(since), until=_utc(until), posted=posted, **chosen)
    with opened_database(create=False) as engine:
        _score_beliefs(engine, seats_to_score)
        with engine.connect() as connection:
            lines = statistics(connection, choice)
    try:
        if plot is not None:
            plot_statistics(plot, lines)
    except HeartsError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        objects = [line.as_object() for line in lines]
        click.echo(json.dumps({"group": choice.group, "rows": objects}))
    else:
        click.echo(table(lines))


def table(lines: Sequence[Line]) -> str:
    """Statistics as a table of text."""
    widest = max([len(line.label) for line in lines], default=0) + 1
    texts = [f"{label:<{widest}}" for label in ("", *(line.label for line in lines))]
    for heading, width, show in COLUMNS:
        cells = [heading, *map(show, lines)]
        width = max(width, *(len(cell) + 1 for cell in cells))
        texts = [f"{text}{cell:>{width}}" for text, cell in zip(texts, cells, strict=True)]
    return "\n".join(texts)


def _score_beliefs(engine: Engine, seats: int) -> None:
    """Score beliefs with a progress bar, which is shown on a terminal only."""
    with tqdm(desc="beliefs", unit=" seats", disable=None, leave=False) as bar:

        def show(done: int, asked: int) -> None:
            bar.total = asked
            bar.update(done - bar.n)

        score_beliefs(engine, seats, show)


def _interval(line: Line) -> str:
    found = line.interval
    return "-" if found is None else f"{found.low:.2f} … {found.high:.2f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _utc(given: datetime | None) -> datetime | None:
    return None if given is None else given.replace(tzinfo=UTC)

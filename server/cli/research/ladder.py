"""`hearts ladder`: write the ratings of the levels that the service shows."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from hearts.arena.experiments import EXPERIMENTS
from hearts.arena.journal import Journal, journal_name
from hearts.arena.results import DealResult
from hearts.arena.tournament import Tournament
from hearts.game.errors import HeartsError
from server.games.ladder import SHIPPED, ladder_data

EXPERIMENT = "levels"


@click.command()
@click.option("--seed", default=0, show_default=True, help="Seed of the experiment.")
@click.option(
    "--journals",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("var/experiments"),
    show_default=True,
    help="Folder with the finished deals of the experiment.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=SHIPPED,
    help="File to write; default: the one that the service ships.",
)
def ladder(seed: int, journals: Path, out: Path) -> None:
    """Write the leaderboard's ratings from the finished deals of `hearts experiment levels`."""
    cells = EXPERIMENTS[EXPERIMENT](quick=False).cells
    places = {cell: journals / EXPERIMENT / journal_name(cell.tournament(seed)) for cell in cells}
    for cell, place in places.items():
        if not place.exists():
            what = f"{cell.focus} has not met {cell.others}"
            raise click.ClickException(f"{what}: run `hearts experiment {EXPERIMENT}` first")
    ended = max(place.stat().st_mtime for place in places.values())
    try:
        results = {cell: finished(place, cell.tournament(seed)) for cell, place in places.items()}
        data = ladder_data(results, datetime.fromtimestamp(ended, UTC).date().isoformat())
    except HeartsError as error:
        raise click.ClickException(str(error)) from error
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for each in data["players"]:
        low, high = each["rating_low"], each["rating_high"]
        click.echo(f"{each['player']}: {each['rating']:+.0f} ({low:+.0f} … {high:+.0f})")


def finished(journal: Path, tournament: Tournament) -> list[DealResult]:
    """The finished deals of a tournament, from its journal."""
    deals = Journal(journal, tournament).finished
    return [deals[number] for number in sorted(deals)]

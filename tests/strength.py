"""`make strength`: check that the engine plays as well as when its yardsticks were stored.

A yardstick is a short tournament with fixed deals, the result of each deal, and the 95% interval of
their mean. An unchanged engine repeats it card by card. A changed engine must stay within the
interval, and must not be worse deal by deal, where the luck of the cards cancels.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from hearts.arena.results import DealResult
from hearts.arena.runner import Workers, run
from hearts.arena.statistics import Interval, bootstrap
from hearts.arena.tournament import Tournament
from hearts.players.spec import parse_spec
from server.cli.research.arena import progress_bar

STORED = Path(__file__).parent / "golden" / "strength.json"
SEED = 90
# The configuration of the public stack: plain trees with open cards, and passing by rule.
PUBLIC_STACK = (
    "engine:opponents=best-reply,c=0.4,reward=relative,aggregation=value,endgame=0,passing=rule"
)
# Focus, others, passing, deals.
TOURNAMENTS = (
    ("expert", "duck", "none", 60),
    ("expert", "cautious", "cycle", 60),
    ("expert", "shooter", "none", 60),
    ("expert", PUBLIC_STACK, "none", 40),
    ("hard", "duck", "cycle", 60),
    ("medium", "duck", "none", 60),
    ("default", "cautious", "none", 60),
)


@dataclass(frozen=True)
class Yardstick:
    """A tournament with its stored results."""

    focus: str
    others: str
    passing: str
    interval: Interval
    differences: Sequence[float]  # deal by deal

    @property
    def name(self) -> str:
        """The two players and the passing."""
        others = "the public stack" if self.others == PUBLIC_STACK else self.others
        return f"{self.focus} against {others}, passing {self.passing}"

    @property
    def tournament(self) -> Tournament:
        """The tournament to play."""
        focus, others = parse_spec(self.focus), parse_spec(self.others)
        return Tournament(focus, others, seed=SEED, passing=self.passing)

    def problem(self, differences: Sequence[float]) -> str | None:
        """The reason why new results of the same deals fail; None if they pass."""
        mean = sum(differences) / len(differences)
        if mean > self.interval.high:
            return "worse than stated"
        if mean < self.interval.low:
            return "better than stated: if that is meant, store the yardsticks anew (--store)"
        if self.change(differences).low > 0:
            return "worse deal by deal"
        return None

    def change(self, differences: Sequence[float]) -> Interval:
        """The mean change of the difference on the same deals."""
        pairs = zip(differences, self.differences, strict=True)
        return bootstrap([now - then for now, then in pairs])


def played(focus: str, others: str, passing: str, differences: Sequence[float]) -> Yardstick:
    """The yardstick of a tournament that was played."""
    return Yardstick(focus, others, passing, bootstrap(differences), differences)


def stored() -> list[Yardstick]:
    """The stored yardsticks."""
    yardsticks: list[dict[str, Any]] = json.loads(STORED.read_text())
    return [Yardstick(**row | {"interval": Interval(**row["interval"])}) for row in yardsticks]


def differences_of(yardstick: Yardstick, deals: int, jobs: int) -> list[float]:
    """Play the deals of a yardstick; the differences by deal."""
    with progress_bar(yardstick.name, deals) as progress:
        results: list[DealResult] = run(
            yardstick.tournament, deals, workers=Workers(jobs), progress=progress
        )
    return [result.difference for result in results]


@click.command()
@click.option("--store", is_flag=True, help="Play, and store what comes of it as yardsticks.")
@click.option("--jobs", default=-1, help="Processes; -1: one per core.")
def main(store: bool, jobs: int) -> None:
    """Play the tournaments; exit with 1 if the engine has lost strength."""
    if store:
        blank = Interval(0.0, 0.0, 0.0)
        found = [
            played(*row, differences_of(Yardstick(*row, blank, ()), deals, jobs))
            for *row, deals in TOURNAMENTS
        ]
        STORED.write_text(json.dumps([asdict(each) for each in found]) + "\n")
        for each in found:
            click.echo(f"{each.name}: {each.interval}")
        return
    failed = False
    for yardstick in stored():
        differences = differences_of(yardstick, len(yardstick.differences), jobs)
        problem = yardstick.problem(differences)
        failed |= problem is not None
        mean = sum(differences) / len(differences)
        low, high = yardstick.interval.low, yardstick.interval.high
        change = yardstick.change(differences)
        said = "as stored" if change == Interval(0.0, 0.0, 0.0) else f"change {change}"
        click.echo(
            f"{yardstick.name}: {mean:+.2f}, stated {low:+.2f} … {high:+.2f}; "
            f"{said}: {problem or 'ok'}"
        )
    sys.exit(failed)


if __name__ == "__main__":
    main()

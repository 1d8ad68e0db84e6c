"""What it is worth to play for the match instead of for the hand."""

from pathlib import Path
from typing import Any

from hearts.arena.experiments.experiment import (
    WINS,
    Cell,
    Experiment,
    Results,
    engine,
    wins_above_even,
)
from hearts.arena.plot import plot_bars

# Searches that are quick: a match is some ten hands.
SEARCHES: dict[str, dict[str, Any]] = {
    "pimc": {"simulations": 1_000},
    "rollouts": {"algorithm": "rollouts", "belief": "OM-1", "worlds": 50, "simulations": 300},
}
HAND, MATCH = "difference", "match"


def matches(*, quick: bool) -> Experiment:
    """Matches to the target score, with passing: the reward for the match against the hand's."""
    cells = [
        Cell(
            name,
            0,
            engine(f"{name}, for the match", **options, reward=MATCH),
            engine(f"{name}, for the hand", **options, reward=HAND),
            seats="pairs",
            unit="match",
            passing="cycle",
        )
        for name, options in SEARCHES.items()
    ]
    title = "the match reward in matches, 2 against 2"
    return Experiment("matches", title, cells, 2 if quick else 200, _draw, _notes)


def _draw(path: Path, experiment: Experiment, results: Results) -> None:
    bars = {cell.line: rate for cell, rate in wins_above_even(results).items()}
    plot_bars(path, bars, title=experiment.title, along=WINS)


def _notes(experiment: Experiment, results: Results) -> list[str]:
    """Who wins more matches; points per hand are not what is played for."""
    return [
        f"- {cell.focus}: {WINS} {rate.mean:+.1f} ({rate.low:+.1f} … {rate.high:+.1f})"
        for cell, rate in wins_above_even(results).items()
    ]

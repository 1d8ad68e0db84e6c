"""Compare the match reward with the reward for a hand."""

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

# Quick searches: a match has about ten hands.
_TREE = {"c": 0.5, "playout": "softmax", "endgame": 3}
SEARCHES: dict[str, dict[str, Any]] = {
    "pimc": {"simulations": 1_000},
    "ismcts": {"algorithm": "ismcts", "belief": "OM-1", "simulations": 2_000, **_TREE},
    "rollouts": {"algorithm": "rollouts", "belief": "OM-1", "worlds": 50, "simulations": 300},
}
HAND, MATCH = "difference", "match"


def matches(*, quick: bool, from_score: int = 0, search: str | None = None) -> Experiment:
    """Play matches with passing: the match reward against the reward for a hand."""
    cells = [
        Cell(
            name,
            0,
            engine(f"{name}, for the match", **options, reward=MATCH),
            engine(f"{name}, for the hand", **options, reward=HAND),
            seats="pairs",
            unit="match",
            passing="cycle",
            from_score=from_score,
        )
        for name, options in SEARCHES.items()
        if search in (None, name)
    ]
    late = f" from {from_score} points" if from_score else ""
    return Experiment(
        name="-".join(["matches", *([str(from_score)] if from_score else [])]),
        title=f"the match reward in matches{late}, 2 against 2",
        cells=cells,
        deals=2 if quick else 200,
        plot=_plot,
        notes=_notes,
    )


def _plot(path: Path, experiment: Experiment, results: Results) -> None:
    bars = {cell.line: share for cell, share in wins_above_even(results).items()}
    plot_bars(path, bars, title=experiment.title, xlabel=WINS)


def _notes(experiment: Experiment, results: Results) -> list[str]:
    """The win rates, because players do not minimise points per hand here."""
    return [
        f"- {cell.focus}: {WINS} {share.mean:+.1f} ({share.low:+.1f} … {share.high:+.1f})"
        for cell, share in wins_above_even(results).items()
    ]

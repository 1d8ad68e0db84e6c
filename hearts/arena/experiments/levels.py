"""Ratings of the levels."""

from itertools import pairwise
from pathlib import Path

from hearts.arena.experiments.experiment import Cell, Experiment, Results, verdicts
from hearts.arena.plot import plot_ladder
from hearts.arena.ratings import Rating, ratings, wins_of
from hearts.players.spec import parse_spec

LADDER = ("cautious", "easy", "medium", "hard", "expert")


def levels(*, quick: bool) -> Experiment:
    """Rate `cautious` and the four levels: each plays the next, two seats each."""
    specs = [parse_spec(name) for name in LADDER]
    cells = [
        Cell(f"{strong} against {weak}", x, strong, weak, "pairs")
        for x, (weak, strong) in enumerate(pairwise(specs))
    ]
    deals = 10 if quick else 300
    return Experiment("levels", "the levels, 2 against 2", cells, deals, _plot, _notes)


def ladder_of(results: Results) -> list[Rating]:
    """The ratings of all players, best first."""
    names = list(LADDER)
    pairs = {
        (names.index(str(cell.focus)), names.index(str(cell.others))): deal_results
        for cell, deal_results in results.items()
    }
    return ratings(names, wins_of(len(names), pairs))


def _plot(path: Path, experiment: Experiment, results: Results) -> None:
    plot_ladder(path, ladder_of(results), experiment.title)


def _notes(experiment: Experiment, results: Results) -> list[str]:
    """The ratings, and whether each level beats the one below."""
    lines = [
        f"- {each.player}: {each.rating.mean:+.0f} "
        f"({each.rating.low:+.0f} … {each.rating.high:+.0f})"
        for each in ladder_of(results)
    ]
    return lines + verdicts(results)

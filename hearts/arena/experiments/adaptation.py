"""Adaptation: does a player gain from the earlier hands of a match?"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hearts.arena.experiments.experiment import Cell, Experiment, Results, paired, verdict
from hearts.arena.experiments.opponents import PUBLIC_STACK, RULE_BASED, file_name
from hearts.arena.plot import plot_bars
from hearts.arena.statistics import Interval
from hearts.game.deal import REMEMBERED
from hearts.players.spec import Spec, parse_spec

TYPES = (*map(Spec, RULE_BASED), PUBLIC_STACK)
QUICK = TYPES[:1]


def adaptation(*, quick: bool, player: str = "expert:belief=OM-3") -> Experiment:
    """Play each deal twice: among strangers, and after ten hands with the same players.

    Scores are 0 in both, so that only the knowledge of the others differs.
    """
    focus = parse_spec(player)
    cells = [
        Cell(str(others), hands, focus, others, passing="cycle", earlier_hands=hands)
        for others in (QUICK if quick else TYPES)
        for hands in (0, REMEMBERED)
    ]
    return Experiment(
        name=f"adaptation-{file_name(player)}",
        title=f"{player} after {REMEMBERED} hands with the same players, 1 against 3",
        cells=cells,
        deals=2 if quick else 50,
        plot=_plot,
        notes=_notes,
        extra_of=_as_object,
    )


def improvements(results: Results) -> dict[str, Interval]:
    """Points per hand, with earlier hands minus without, over pairs of deals; by opponent."""
    strangers = {cell.line: deals for cell, deals in results.items() if not cell.earlier_hands}
    return {
        cell.line: paired(strangers[cell.line], deals)
        for cell, deals in results.items()
        if cell.earlier_hands
    }


def _notes(experiment: Experiment, results: Results) -> list[str]:
    """A table of the paired differences."""
    changes = improvements(results)
    moons = {(cell.line, bool(cell.earlier_hands)): _moons(results, cell) for cell in results}
    return [
        "In the first row of each pair nobody knows the others; before the second they have "
        f"played {REMEMBERED} hands. Paired differences in points per hand, negative is better:",
        "",
        "| against | with − without earlier hands | moons made / conceded per 100 hands, without | "
        "with |",
        "|---|---|---|---|",
        *(
            f"| {name} | {change} | {moons[name, False]} | {moons[name, True]} |"
            for name, change in changes.items()
        ),
        "",
        *(f"- {name}: {_words(change)}" for name, change in changes.items()),
    ]


def _words(change: Interval) -> str:
    words = {
        "beats": "earlier hands help",
        "is worse than": "earlier hands do harm",
        "cannot be told from": "no effect of earlier hands is shown",
    }
    return words[verdict(change)]


def _moons(results: Results, cell: Cell) -> str:
    deals = results[cell]
    hands = sum(deal.hands for deal in deals)
    made, conceded = (
        100 * sum(deal.moons(by_focus=own) for deal in deals) / hands for own in (True, False)
    )
    return f"{made:.1f} / {conceded:.1f}"


def _as_object(cell: Cell, results: Results) -> Mapping[str, Any]:
    """The paired difference of a cell with earlier hands as JSON."""
    return (
        {"with_minus_without": vars(improvements(results)[cell.line])} if cell.earlier_hands else {}
    )


def _plot(path: Path, experiment: Experiment, results: Results) -> None:
    xlabel = f"points per hand, with − without {REMEMBERED} earlier hands"
    plot_bars(path, improvements(results), title=experiment.title, xlabel=xlabel)

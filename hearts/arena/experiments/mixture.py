"""What it costs, and what it hides, to reckon with what the others think."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from hearts.arena.experiments.experiment import (
    DIFFERENCE,
    Cell,
    Experiment,
    Results,
    by_line,
    differences,
    engine,
)
from hearts.arena.leaks import leak
from hearts.arena.plot import plot_panels
from hearts.arena.statistics import Interval
from hearts.beliefs import load_belief
from hearts.players.registry import Spec

SHARES = tuple(step / 10 for step in range(11))
QUICK_SHARES = (0.0, 0.5, 1.0)
ALGORITHMS = ("pimc", "ismcts")
LEAK = "log TSSR of the focus's hand"


def mixture(*, quick: bool, observer: str = "OM-2", **options: Any) -> Experiment:
    """A share λ of worlds in which my hand is not fixed: points, wins, and what play gives away."""
    load_belief(observer)  # refuse at once what is not installed
    common = {"simulations": 500 if quick else 2000, **options}
    plain = engine("plain pimc", algorithm="pimc", **common)
    cells = [
        Cell(algorithm, share, _focus(algorithm, share, common), plain)
        for algorithm in ALGORITHMS
        for share in (QUICK_SHARES if quick else SHARES)
    ]
    leaks = _Leaks(observer, 4 if quick else 40)
    return Experiment(
        name="mixture",
        title=f"mixtures of private and public belief, {common['simulations']:,} simulations",
        cells=cells,
        deals=10 if quick else 250,
        draw=partial(_draw, leaks),
        notes=partial(_notes, leaks),
        extra=leaks.as_object,
    )


def _focus(algorithm: str, share: float, common: Mapping[str, Any]) -> Spec:
    belief = f"mixture:{share}"
    return engine(f"{algorithm}, λ = {share}", algorithm=algorithm, belief=belief, **common)


class _Leaks:
    """What the play of each cell gives away, measured when it is asked for."""

    def __init__(self, observer: str, deals: int) -> None:
        self.observer, self.deals = observer, deals
        self.found: dict[Cell, Interval] = {}

    def __call__(self, cell: Cell) -> Interval:
        if cell not in self.found:
            self.found[cell] = leak(cell.tournament(0), self.deals, self.observer)
        return self.found[cell]

    def as_object(self, cell: Cell) -> dict[str, Any]:
        return {"observer": self.observer, "log_tssr": vars(self(cell))}


def _notes(leaks: _Leaks, experiment: Experiment, results: Results) -> list[str]:
    """What play gives away, and from which λ on there is a loss."""
    lines = [
        f"What play gives away: {LEAK} for the seat on its left, who believes {leaks.observer}, "
        f"over {leaks.deals} deals.",
        "",
        "| focus | log TSSR |",
        "|---|---|",
        *(f"| {cell.focus} | {leaks(cell)} |" for cell in results),
        "",
    ]
    for line, series in by_line(differences(results)).items():
        worse = [share for share, each in series.items() if each.low > 0]
        verdict = f"clearly worse than plain pimc at λ = {', '.join(map(str, worse))}"
        lines.append(f"- {line}: {verdict if worse else 'at no λ clearly worse than plain pimc'}")
    return lines


def _draw(leaks: _Leaks, path: Path, experiment: Experiment, results: Results) -> None:
    panels = {
        DIFFERENCE: by_line(differences(results)),
        LEAK: by_line({cell: leaks(cell) for cell in results}),
    }
    plot_panels(path, panels, title=experiment.title, across="λ")

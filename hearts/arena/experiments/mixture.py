"""The belief `mixture`: the strength it costs, and the information it hides from observers."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from hearts.arena.experiments.experiment import (
    DIFFERENCE,
    WINS,
    Cell,
    Experiment,
    Results,
    by_line,
    differences,
    engine,
    plain_options,
    wins_above_even,
)
from hearts.arena.leaks import leak
from hearts.arena.plot import plot_panels
from hearts.arena.statistics import Interval
from hearts.engine.beliefs import load_belief
from hearts.players.spec import Spec

SHARES = tuple(step / 10 for step in range(11))
QUICK_SHARES = (0.0, 0.5, 1.0)
ALGORITHMS = ("pimc", "ismcts")
LEAK = "log TSSR of the focus's hand"


def mixture(*, quick: bool, observer: str = "OM-2") -> Experiment:
    """Compare shares λ of counterfactual worlds: points, wins, and leaked information."""
    load_belief(observer)  # fail early if it is not installed
    common = plain_options(simulations=500 if quick else 2000)
    plain = engine("plain pimc", algorithm="pimc", **common)
    cells = [
        Cell(algorithm, share, _focus(algorithm, share, common), plain)
        for algorithm in ALGORITHMS
        for share in (QUICK_SHARES if quick else SHARES)
    ]
    leaks = _Leaks(observer)
    return Experiment(
        name="mixture",
        title=f"mixtures of private and public belief, {common['simulations']:,} simulations",
        cells=cells,
        deals=10 if quick else 250,
        plot=partial(_plot, leaks),
        notes=partial(_notes, leaks),
        examine=leaks.examine,
        extra=leaks.as_object,
    )


def _focus(algorithm: str, share: float, common: Mapping[str, Any]) -> Spec:
    options = {**common, "algorithm": algorithm, "belief": f"mixture:{share}"}
    return engine(f"{algorithm}, λ = {share}", **options)


class _Leaks:
    """The information that the play of each cell leaks."""

    def __init__(self, observer: str) -> None:
        self.observer = observer
        self.by_cell: dict[Cell, Interval] = {}

    def examine(self, cell: Cell, records: Sequence[Any], jobs: int) -> None:
        self.by_cell[cell] = leak(records, cell.seats, self.observer, jobs)

    def as_object(self, cell: Cell) -> dict[str, Any]:
        return {"observer": self.observer, "log_tssr": vars(self.by_cell[cell])}


def _notes(leaks: _Leaks, experiment: Experiment, results: Results) -> list[str]:
    """The leaked information, and the λ that are clearly worse."""
    lines = [
        f"Leaked information: {LEAK} for the seat on its left, which believes {leaks.observer}, in "
        "nats; 0 if that seat learns nothing.",
        "",
        "| focus | log TSSR |",
        "|---|---|",
        *(f"| {cell.focus} | {leaks.by_cell[cell]} |" for cell in results),
        "",
    ]
    for line, series in by_line(differences(results)).items():
        worse = [share for share, each in series.items() if each.low > 0]
        verdict = f"clearly worse than plain pimc at λ = {', '.join(map(str, worse))}"
        lines.append(f"- {line}: {verdict if worse else 'at no λ clearly worse than plain pimc'}")
    return lines


def _plot(leaks: _Leaks, path: Path, experiment: Experiment, results: Results) -> None:
    values = {
        DIFFERENCE: differences(results),
        WINS: wins_above_even(results),
        LEAK: leaks.by_cell,
    }
    panels = {name: by_line(cells) for name, cells in values.items()}
    plot_panels(path, panels, title=experiment.title, xlabel="λ")

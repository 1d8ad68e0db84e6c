"""Moons: do the probabilities that a search expects agree with what happens?"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hearts.arena.calibration import (
    EVENTS,
    PER,
    PHASES,
    Agreement,
    agreement,
    first_card,
    mean_in,
    reliability,
)
from hearts.arena.experiments.experiment import Cell, Experiment, Results
from hearts.arena.experiments.opponents import PUBLIC_STACK, RULE_BASED, file_name
from hearts.arena.moon_sources import Case, cases, source_tables
from hearts.arena.plot import plot_bars
from hearts.arena.statistics import Interval
from hearts.game.errors import InvalidConfig
from hearts.players.spec import Spec, parse_spec

LADDER = (*map(Spec, RULE_BASED), PUBLIC_STACK, Spec("default"), Spec("hard"), Spec("expert"))
QUICK = ("shooter",)


def moons(
    *,
    quick: bool,
    player: str = "expert",
    against: str | None = None,
    passing: str = "cycle",
    sources: bool = False,
) -> Experiment:
    """Compare the moons that a player expects with those that happen, against each opponent."""
    focus = parse_spec(player)
    if not focus.searches:
        raise InvalidConfig("player", f"{player!r} does not search: it predicts nothing")
    cells = [
        Cell(str(others), place, focus, others, passing=passing, predictions=True)
        for place, others in enumerate(LADDER)
        if str(others) in ((against,) if against else QUICK if quick else map(str, LADDER))
    ]
    if not cells:
        choices = ", ".join(map(str, LADDER))
        raise InvalidConfig("against", f"{against!r} is unknown; choose {choices}")
    examined = _Sources(asked=sources)
    return Experiment(
        name="-".join(["moons", file_name(player), *([file_name(against)] if against else [])]),
        title=f"moons that {player} expects, and that happen, 1 against 3",
        cells=cells,
        deals=5 if quick else 100,
        plot=_plot,
        notes=lambda _, results: [*_notes(results), *examined.notes()],
        # Hands are stored in any case, so that a finished run can be examined later.
        examine=examined.examine,
        extra_of=_as_object,
        journals=f"moons-{file_name(player)}",
    )


class _Sources:
    """What the sources of predictions say in the hands of each cell, if asked."""

    def __init__(self, *, asked: bool) -> None:
        self.asked = asked
        self.cases: dict[Cell, list[Case]] = {}

    def examine(self, cell: Cell, records: Sequence[Any], jobs: int) -> None:
        if self.asked:
            self.cases[cell] = cases(records, cell.focus.config, jobs)

    def notes(self) -> list[str]:
        return [
            line
            for cell, found in self.cases.items()
            for line in ("", f"Against {cell.line}:", "", *source_tables(found))
        ]


def _notes(results: Results) -> list[str]:
    """Tables of agreement by opponent, by part of the hand, and by predicted probability."""
    lines = [
        f"Moons per {PER} hands, with 95% intervals over deals. The prediction of a hand is that "
        "at the first card that was chosen.",
        "",
        f"| against | hands | {' | '.join(_heads(EVENTS))} |",
        "|---" * (2 + 3 * len(EVENTS)) + "|",
    ]
    for cell, deals in results.items():
        found = [agreement(deals, event, first_card) for event in EVENTS]
        lines.append(f"| {cell.line} | {found[0].count} | {' | '.join(map(_row, found))} |")
    lines += ["", *_by_phase(results)]
    for event in EVENTS:
        lines += ["", *_reliability(results, event)]
    return lines


def _heads(events: Sequence[str]) -> list[str]:
    return [f"{event}: predicted | actual | predicted − actual" for event in events]


def _row(found: Agreement) -> str:
    return f"{found.predicted.mean:.1f} | {_share(found.actual)} | {_shown(found.gap)}"


def _share(value: Interval) -> str:
    return f"{value.mean:.1f} ({value.low:.1f} … {value.high:.1f})"


def _shown(gap: Interval) -> str:
    return f"{gap.mean:+.1f} ({gap.low:+.1f} … {gap.high:+.1f})"


def _by_phase(results: Results) -> list[str]:
    """Predicted − actual by the tricks left: means over the cards of a part of a hand."""
    heads = [
        f"{event}, {max(left)} to {min(left)} tricks left"
        for event in EVENTS
        for left in PHASES.values()
    ]
    lines = [
        f"Predicted − actual, per {PER} hands, by the tricks left:",
        "",
        f"| against | {' | '.join(heads)} |",
        "|---" * (1 + len(heads)) + "|",
    ]
    for cell, deals in results.items():
        gaps = [agreement(deals, e, mean_in(phase)).gap for e in EVENTS for phase in PHASES]
        lines.append(f"| {cell.line} | {' | '.join(map(_shown, gaps))} |")
    return lines


def _reliability(results: Results, event: str) -> list[str]:
    """Bins of predicted probability against frequency, over all opponents and cards."""
    lines = [
        f"Moons {event}, over all opponents and chosen cards, in per cent:",
        "",
        "| predicted | cards | mean prediction | happened |",
        "|---|---|---|---|",
    ]
    everybody = [deal for deals in results.values() for deal in deals]
    for (low, high), found in reliability(everybody, event):
        bounds = f"{100 * low:.0f} to {100 * high:.0f}"
        mean = found.predicted.mean
        lines.append(f"| {bounds} | {found.count} | {mean:.1f} | {_share(found.actual)} |")
    return lines


def _as_object(cell: Cell, results: Results) -> Mapping[str, Any]:
    """The agreement of a cell as JSON."""
    deals = results[cell]
    return {
        event: {
            "first_card": agreement(deals, event, first_card).as_object(),
            **{phase: agreement(deals, event, mean_in(phase)).as_object() for phase in PHASES},
            "reliability": [
                {"from": low, "to": high, **found.as_object()}
                for (low, high), found in reliability(deals, event)
            ],
        }
        for event in EVENTS
    }


def _plot(path: Path, experiment: Experiment, results: Results) -> None:
    bars = {
        f"{cell.line}: {event}": agreement(deals, event, first_card).gap
        for cell, deals in results.items()
        for event in EVENTS
    }
    xlabel = f"moons per {PER} hands, predicted − actual"
    plot_bars(path, bars, title=experiment.title, xlabel=xlabel)

"""Plots as SVG; matplotlib is imported on first use."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import IO, Any

import numpy as np

from hearts.analysis.forecasts import Forecasts
from hearts.arena.ratings import Rating
from hearts.arena.results import DealResult
from hearts.arena.statistics import Interval, bootstrap
from hearts.game.errors import InvalidConfig

Target = Path | IO[bytes]  # where a plot is written
Series = Mapping[float, Interval]  # by the value on the horizontal axis

STEPS = 40  # points of the curve of `plot_progress`
MAX_CHARACTERS = 60  # of a name

_drawing = Lock()  # matplotlib's settings are global


def plot_progress(path: Path, results: Sequence[DealResult], title: str) -> None:
    """Plot mean and interval by the number of deals, beside a histogram of the deals."""
    values = [result.difference for result in results]
    counts = sorted({int(n) for n in np.linspace(min(5, len(values)), len(values), STEPS)})
    intervals = [bootstrap(values[:n]) for n in counts]
    low, high = [i.low for i in intervals], [i.high for i in intervals]
    with figure(path, 9, 4, columns=2) as (left, right):
        left.fill_between(counts, low, high, alpha=0.25)
        left.plot(counts, [i.mean for i in intervals])
        left.axhline(0, color="black", linewidth=0.8)
        left.set(xlabel="deals", ylabel="points per hand, focus − others", title=title)
        right.hist(values, bins=30)
        right.set(xlabel="points per hand of a deal, focus − others", ylabel="deals")


def plot_lines(
    path: Path,
    lines: Mapping[str, Series],
    *,
    title: str,
    xlabel: str,
    ylabel: str,
    reference: float | None = None,
) -> None:
    """Plot lines with intervals over a logarithmic axis, and a thin line at `reference`.

    A series of one point is drawn as a horizontal band.
    """
    with figure(path, 8, 5) as (axes,):
        for label, series in lines.items():
            if len(series) == 1:
                (only,) = series.values()
                axes.axhline(only.mean, linestyle="-.", color="gray", label=label)
                axes.axhspan(only.low, only.high, color="gray", alpha=0.15)
            else:
                _draw_line(axes, label, series)
        if reference is not None:
            axes.axhline(reference, color="black", linewidth=0.8)
        axes.set_xscale("log")
        axes.set(title=title, xlabel=xlabel, ylabel=ylabel)
        axes.legend()


def plot_panels(
    path: Path, panels: Mapping[str, Mapping[str, Series]], *, title: str, xlabel: str
) -> None:
    """Plot lines with intervals in panels side by side, with a thin line at 0."""
    with figure(path, 6 * len(panels), 4, columns=len(panels)) as columns:
        for axes, (ylabel, lines) in zip(columns, panels.items(), strict=True):
            for label, series in lines.items():
                _draw_line(axes, label, series)
            axes.axhline(0, color="black", linewidth=0.8)
            axes.set(title=title, xlabel=xlabel, ylabel=ylabel)
            axes.legend()


def plot_forecasts(path: Target, forecasts: Forecasts, players: Sequence[str], title: str) -> None:
    """Plot the probabilities of taking Q♠ and of shooting the moon by trick, in two panels."""
    panels = {"chance to take ♠Q": forecasts.queen, "chance to shoot the moon": forecasts.moon}
    with figure(path, 10, 4, columns=2) as columns:
        for axes, (event, shares) in zip(columns, panels.items(), strict=True):
            lines = axes.plot(range(len(shares)), 100 * shares, marker=".")
            axes.set(xlabel="tricks played", ylabel=f"{event} (%)", ylim=(-3, 103))
            axes.set_title(shortened(title))
            axes.legend(lines, list(map(shortened, players)))


def plot_bars(
    path: Target,
    bars: Mapping[str, Interval],
    *,
    title: str,
    xlabel: str,
    reference: float | None = 0,
) -> None:
    """Plot one interval per row, from the top, and a thin line at `reference`."""
    with figure(path, 8, 1.2 + 0.4 * len(bars)) as (axes,):
        for row, interval in enumerate(bars.values()):
            spread = [[interval.mean - interval.low], [interval.high - interval.mean]]
            axes.errorbar(interval.mean, row, xerr=spread, fmt="o", capsize=3, color="C0")
        if reference is not None:
            axes.axvline(reference, color="black", linewidth=0.8)
        axes.set_yticks(range(len(bars)), list(map(shortened, bars)))
        axes.invert_yaxis()
        axes.set(title=title, xlabel=xlabel)


def plot_ladder(path: Path, ladder: Sequence[Rating], title: str) -> None:
    """Plot ratings with their intervals, best at the top."""
    bars = {rating.player: rating.rating for rating in ladder}
    plot_bars(path, bars, title=title, xlabel="rating (Bradley–Terry, Elo's scale)")


def shortened(text: str) -> str:
    """A name without control characters, shortened to MAX_CHARACTERS."""
    printable = "".join(letter for letter in text if letter.isprintable())
    return printable if len(printable) <= MAX_CHARACTERS else f"{printable[:MAX_CHARACTERS]}…"


def _draw_line(axes: Any, label: str, series: Series) -> None:
    means = np.array([interval.mean for interval in series.values()])
    below = means - [interval.low for interval in series.values()]
    above = np.array([interval.high for interval in series.values()]) - means
    axes.errorbar(list(series), means, [below, above], label=label, capsize=2)


@contextmanager
def figure(path: Target, width: float, height: float, columns: int = 1) -> Iterator[Any]:
    """Yield axes to draw on, then write them as SVG; the same data gives the same bytes."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InvalidConfig("plot", "needs `pip install hearts-ai[analysis]`") from error
    with (
        _drawing,
        mpl.rc_context(
            {"svg.hashsalt": "hearts", "svg.fonttype": "none", "text.parse_math": False}
        ),
    ):
        drawing = Figure(figsize=(width, height), layout="constrained")
        yield drawing.subplots(1, columns, squeeze=False)[0]
        if isinstance(path, Path):
            path.parent.mkdir(parents=True, exist_ok=True)
        drawing.savefig(path, format="svg", metadata={"Date": None})

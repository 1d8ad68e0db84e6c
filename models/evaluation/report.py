"""Comparison of several beliefs, as JSON and as a table."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from models.evaluation.scores import Scores, interval

BASELINE = "OM-1"  # gains are relative to its log-loss
Row = dict[str, Any]

_BY_TRICK: dict[str, Callable[[Row], float]] = {
    "log-loss": lambda row: row["log_loss"],
    "Brier": lambda row: row["brier"],
    "TSSR, median log": lambda row: row["tssr"]["median_log"],
    "effective worlds of 100": lambda row: row["effective_worlds"],
    "ms": lambda row: row["ms_per_view"],
}


def report(hands: int, views: int, scores: Mapping[str, Scores]) -> dict[str, Any]:
    """All scores as JSON; a gain is the relative reduction of the baseline's log-loss."""
    models = {name: each.as_object() for name, each in scores.items()}
    if BASELINE in scores:
        base = scores[BASELINE]
        for name, each in scores.items():
            models[name]["gain"] = 1 - each.log_loss / base.log_loss
            models[name]["gain_interval"] = interval(1 - each.resampled / base.resampled)
    return {"hands": hands, "views": views, "models": models}


def format_table(scores: Mapping[str, Scores]) -> str:
    """The scores as a table."""
    models = report(0, 0, scores)["models"]
    lines = [*_summary(models)]
    for title, value in _BY_TRICK.items():
        lines += ["", *_by_trick(title, value, models)]
    lines += ["", "calibration: stated, true, standard error of the difference, number"]
    for name, found in models.items():
        lines += [_calibration(name, row, _width(models)) for row in found["calibration"]]
    return "\n".join(lines)


def _summary(models: Mapping[str, Row]) -> Iterator[str]:
    width = _width(models)
    head = f"{'log-loss':>9}{'gain':>7}{'95%':>16}{'Brier':>8}{'TSSR':>9}{'median':>8}"
    yield f"{'':<{width}}{head}{'worlds':>8}{'ms':>9}"
    for name, found in models.items():
        gain = found.get("gain", math.nan)
        low, high = found.get("gain_interval", (math.nan, math.nan))
        tssr = found["tssr"]
        yield (
            f"{name:<{width}}{found['log_loss']:9.4f}{gain:7.1%}{low:8.1%}{high:8.1%}"
            f"{found['brier']:8.4f}{tssr['mean']:9.2f}{tssr['median_log']:8.2f}"
            f"{found['effective_worlds']:8.1f}{found['ms_per_view']:9.2f}"
        )


def _by_trick(
    title: str, value: Callable[[Row], float], models: Mapping[str, Row]
) -> Iterator[str]:
    tricks = sorted({row["trick"] for found in models.values() for row in found["tricks"]})
    yield f"{title} by trick"
    width = _width(models)
    yield f"{'':<{width}}" + "".join(f"{trick:>8}" for trick in tricks)
    for name, found in models.items():
        values = {row["trick"]: value(row) for row in found["tricks"]}
        cells = (f"{values.get(trick, math.nan):8.3f}" for trick in tricks)
        yield f"{name:<{width}}{''.join(cells)}"


def _calibration(name: str, row: Row, width: int) -> str:
    shares = f"{row['stated']:8.1%}{row['true']:8.1%}{row['error']:8.1%}"
    return f"{name:<{width}}{shares}{row['number']:10.0f}"


def _width(models: Mapping[str, Row]) -> int:
    """The width of the column with the names."""
    return max(12, *map(len, models))

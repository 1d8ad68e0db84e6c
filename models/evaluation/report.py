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
        lines += [_calibration(name, row) for row in found["calibration"]]
    return "\n".join(lines)


def _summary(models: Mapping[str, Row]) -> Iterator[str]:
    head = f"{'':<12}{'log-loss':>9}{'gain':>7}{'95%':>15}{'Brier':>8}{'TSSR':>9}{'median':>8}"
    yield f"{head}{'worlds':>8}{'ms':>8}"
    for name, found in models.items():
        gain = found.get("gain", math.nan)
        low, high = found.get("gain_interval", (math.nan, math.nan))
        tssr = found["tssr"]
        yield (
            f"{name:<12}{found['log_loss']:9.4f}{gain:7.1%}{low:8.1%}{high:7.1%}"
            f"{found['brier']:8.4f}{tssr['mean']:9.2f}{tssr['median_log']:8.2f}"
            f"{found['effective_worlds']:8.1f}{found['ms_per_view']:8.2f}"
        )


def _by_trick(
    title: str, value: Callable[[Row], float], models: Mapping[str, Row]
) -> Iterator[str]:
    tricks = sorted({row["trick"] for found in models.values() for row in found["tricks"]})
    yield f"{title} by trick"
    yield f"{'':<12}" + "".join(f"{trick:>7}" for trick in tricks)
    for name, found in models.items():
        values = {row["trick"]: value(row) for row in found["tricks"]}
        cells = (f"{values.get(trick, math.nan):7.3f}" for trick in tricks)
        yield f"{name:<12}{''.join(cells)}"


def _calibration(name: str, row: Row) -> str:
    shares = f"{row['stated']:7.1%}{row['true']:8.1%}{row['error']:8.1%}"
    return f"{name:<12}{shares}{row['number']:9.0f}"

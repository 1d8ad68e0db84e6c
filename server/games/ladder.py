"""The ladder of levels: ratings from tournaments, which the service ships and shows.

`hearts experiment levels` plays the tournaments, `hearts ladder` writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hearts.arena.experiments.experiment import Cell, Results
from hearts.arena.experiments.levels import ladder_of
from hearts.arena.results import summarize
from hearts.arena.statistics import Interval
from hearts.engine.config import canonical
from hearts.engine.levels import LEVELS

Ladder = dict[str, Any]  # as in the file, and as the service answers it

SHIPPED = Path(__file__).parents[1] / "data" / "ladder.json"
DIGITS = 3


def ladder_data(results: Results, measured: str) -> Ladder:
    """The contents of the file; `measured` is the day on which the experiment ended."""
    players = [
        {"player": each.player, **_interval("rating", each.rating), "won": _rounded(each.score)}
        for each in ladder_of(results)
    ]
    configs = {str(cell.focus): cell.focus.resolved() for cell in results}
    return {
        "measured": measured,
        "players": players,
        "rungs": [_rung(cell, results) for cell in results],
        "levels": configs,
    }


def _rung(cell: Cell, results: Results) -> dict[str, object]:
    """The result of a player against its neighbour."""
    summary = summarize(results[cell])
    return {
        "player": str(cell.focus),
        "against": str(cell.others),
        "deals": len(results[cell]),
        **_interval("difference", summary.difference),
        "won": _rounded(summary.win_rate.mean),
        "ms_per_move": _rounded(summary.focus.cpu_ms_per_move),
    }


def _interval(name: str, interval: Interval) -> dict[str, float]:
    ends = {"": interval.mean, "_low": interval.low, "_high": interval.high}
    return {name + end: _rounded(value) for end, value in ends.items()}


def _rounded(value: float) -> float:
    return round(value, DIGITS)


def shipped(path: Path = SHIPPED) -> Ladder:
    """The ladder that the service shows; empty if there is no file."""
    if not path.exists():
        return {"measured": None, "players": [], "rungs": [], "stale": []}
    found: Ladder = json.loads(path.read_text("utf-8"))
    then: Mapping[str, Mapping[str, Any]] = found.pop("levels")
    return found | {"stale": [level for level in then if _changed(level, then[level])]}


def _changed(level: str, then: Mapping[str, Any]) -> bool:
    """Whether the config of a level has changed; an option that is newer had its default."""
    now = json.loads(json.dumps(vars(LEVELS[level]))) if level in LEVELS else {}
    return any(now.get(option) != value for option, value in canonical(then).items())

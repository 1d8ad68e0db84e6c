"""Plots of log-loss and calibration as SVG; matplotlib is imported when one is drawn."""

from collections.abc import Mapping
from pathlib import Path

from hearts.arena.plot import figure
from models.evaluation.scores import Scores


def plot_beliefs(path: Path, scores: Mapping[str, Scores]) -> None:
    """Plot log-loss by trick, and the calibration curves."""
    with figure(path, 10, 4.5, columns=2) as (left, right):
        for name, each in scores.items():
            losses, calibration = each.by_trick, each.calibration
            left.plot(list(losses), list(losses.values()), marker=".", label=name)
            stated, true = ([decile[key] for decile in calibration] for key in ("stated", "true"))
            right.plot(stated, true, marker=".", label=name)
        left.set(xlabel="trick", ylabel="log-loss, nats per hidden card", title="Log-loss")
        left.legend()
        right.plot([0, 1], [0, 1], color="gray", linewidth=0.8)
        right.set(xlabel="stated probability", ylabel="observed frequency", title="Calibration")

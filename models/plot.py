"""Figures about beliefs as SVG; matplotlib is loaded only when one is drawn."""

from collections.abc import Mapping
from pathlib import Path

from hearts.arena.plot import figure
from models.evaluate import Scores


def plot_beliefs(path: Path, found: Mapping[str, Scores]) -> None:
    """Log-loss by trick, and how often stated probabilities were so."""
    with figure(path, 10, 4.5, columns=2) as (left, right):
        for name, scores in found.items():
            losses = scores.by_trick
            left.plot(list(losses), list(losses.values()), marker=".", label=name)
            rows = scores.calibration
            stated, true = ([row[key] for row in rows] for key in ("stated", "true"))
            right.plot(stated, true, marker=".", label=name)
        left.set(xlabel="trick", ylabel="log-loss, nats per hidden card", title="Log-loss")
        left.legend()
        right.plot([0, 1], [0, 1], color="gray", linewidth=0.8)
        right.set(xlabel="stated probability", ylabel="share that was so", title="Calibration")

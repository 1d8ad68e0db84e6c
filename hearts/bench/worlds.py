"""The time of sampling worlds."""

from itertools import islice

import numpy as np

from hearts.bench.positions import endings, trick_leaders
from hearts.bench.timing import least_cpu_seconds
from hearts.engine.beliefs import load_belief
from hearts.game.cards import RANKS
from hearts.views.view import View

FEW = 30
MANY = 100  # times FEW, so that the difference stands out from noise
OM2_HANDS = 9
OM2_WORLDS = 200


def worlds(repetitions: int) -> dict[str, float]:
    """The time to sample worlds of OM-1, in the slowest trick, and of OM-2, as JSON."""
    slowest = max(worlds_us(view, repetitions) for view in trick_leaders())
    return {"worlds_30_us": round(slowest, 2), "worlds_om2_ms": round(om2_ms(repetitions), 2)}


def worlds_us(view: View, repetitions: int) -> float:
    """CPU microseconds to sample 30 worlds of OM-1, without the set-up for a new view."""
    belief, rng = load_belief("OM-1"), np.random.default_rng(0)

    def fastest(number: int) -> float:
        return least_cpu_seconds(lambda: belief.sample(view, number, rng), repetitions)

    return (fastest(FEW * (1 + MANY)) - fastest(FEW)) / MANY * 1e6


def om2_ms(repetitions: int) -> float:
    """CPU milliseconds to sample 200 worlds of OM-2 at the sixth trick: median over hands."""
    belief, rng = load_belief("OM-2"), np.random.default_rng(0)
    views = [View.of(deal, deal.turn or 0) for deal in islice(endings(RANKS - 5), OM2_HANDS)]

    def fastest(view: View) -> float:
        return least_cpu_seconds(lambda: belief.sample(view, OM2_WORLDS, rng), repetitions)

    return float(np.median([fastest(view) for view in views])) * 1000

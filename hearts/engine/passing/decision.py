"""The decision about a pass: three cards, and the statistics behind them."""

from dataclasses import dataclass
from typing import Any

from hearts.engine.config import SearchConfig
from hearts.engine.difference import Difference
from hearts.game.cards import CardSet, names
from hearts.views.view import View


@dataclass(frozen=True)
class PassCandidate:
    """The statistics of one triple of cards."""

    cards: CardSet
    playouts: int
    points: float  # mean points of the hand
    points_error: float  # standard error of that mean
    moon: float  # probability of shooting the moon
    score: float  # mean reward; the highest among those with the most playouts is passed

    def as_object(self) -> dict[str, Any]:
        """The statistics as JSON, rounded."""
        rounded = {key: round(value, 4) for key, value in vars(self).items() if key != "cards"}
        return {"cards": names(self.cards), **rounded}


@dataclass(frozen=True)
class PassDecision:
    """Three cards, and the statistics of the candidates."""

    cards: CardSet
    candidates: tuple[PassCandidate, ...]  # best first; empty when passed by rule
    simulations: int
    seconds: float
    seed: int
    config: SearchConfig
    view: View
    cost: Difference | None = None  # of `alternative` over these cards; None: not asked for

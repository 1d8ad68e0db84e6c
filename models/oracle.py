"""The true deal as a belief: an upper bound for tests and tournaments.

It is not registered as a belief, so no request to a service can name it. In tournaments
it is the player `oracle`, to which the referee shows all hands.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hearts.engine.beliefs import Belief, Probabilities, Worlds
from hearts.engine.config import SearchConfig
from hearts.game.cards import ALL_CARDS, SEATS, CardSet
from hearts.game.deal import Deal
from hearts.players.engine import EnginePlayer
from hearts.views.view import View
from models.deals import indices_of


class OracleBelief:
    """Knows the hands of all seats."""

    def __init__(self, hands: Sequence[CardSet]) -> None:
        self.hands = tuple(hands)  # by seat, now

    def sample(self, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """Return the true deal, `n` times."""
        return Worlds(np.tile(np.array(self.hands, dtype=np.uint64), (n, 1)), np.full(n, 1 / n))

    def probabilities(self, view: View) -> Probabilities:
        """1 where a seat holds a card, 0 elsewhere (52, 4)."""
        result = np.zeros((len(ALL_CARDS), SEATS))
        for seat, cards in enumerate(self.hands):
            result[indices_of(cards), seat] = 1
        return result


class OraclePlayer(EnginePlayer):
    """The engine with open cards: it searches the true world only."""

    def __init__(self, config: SearchConfig, name: str = "oracle") -> None:
        super().__init__(replace(config, worlds=1), name)

    def show(self, deal: Deal) -> None:
        """Store the hands of all seats."""
        self.belief: Belief | None = OracleBelief(deal.hands)

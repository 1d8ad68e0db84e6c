"""OM-1: all deals that fit the view are equally likely."""

import numpy as np

from hearts.engine.beliefs import Probabilities, Worlds
from hearts.game.cards import CardSet
from hearts.views.view import View
from models.deals import Deals, indices_of


class VoidBelief:
    """Every deal that fits the hand sizes, voids and known cards is equally likely."""

    def sample(self, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """Sample `n` worlds that fit the view, uniformly."""
        hands = self.deals(view).draw(n, rng)
        hands[:, view.seat] = view.hand
        return Worlds(hands, np.full(n, 1 / n))

    def probabilities(self, view: View) -> Probabilities:
        """The share of the deals in which each seat holds each card (52, 4)."""
        result = self.deals(view).probabilities()
        result[indices_of(view.hand), view.seat] = 1
        return result

    def deals(self, view: View) -> Deals:
        """Every deal of the unseen cards that fits the view."""
        allowed: list[CardSet] = [view.possibly_gone, *view.possible]
        capacity = [view.gone, *view.hand_sizes]
        allowed[1 + view.seat] = capacity[1 + view.seat] = 0  # its cards are not unseen
        return Deals.of(allowed, capacity)

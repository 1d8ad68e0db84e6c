"""OM-1: what the table shows for certain, and nothing more."""

import numpy as np

from hearts.engine.beliefs import Probabilities, Worlds
from hearts.game.cards import CardSet
from hearts.views.view import View
from models.deals import Deals, rows_of


class VoidBelief:
    """Every deal that fits the seats' room, voids and known cards is equally likely."""

    def sample(self, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """`n` worlds that fit the view, drawn with equal probability."""
        hands = self.deals(view).draw(n, rng)
        hands[:, view.seat] = view.hand
        return Worlds(hands, np.full(n, 1 / n))

    def probabilities(self, view: View) -> Probabilities:
        """For every card the share of the deals that fit in which each seat holds it (52, 4)."""
        result = self.deals(view).probabilities()
        result[rows_of(view.hand), view.seat] = 1
        return result

    def deals(self, view: View) -> Deals:
        """Every deal of the unseen cards that fits the view."""
        allowed: list[CardSet] = [view.possibly_gone, *view.possible]
        room = [view.gone, *view.hand_sizes]
        allowed[1 + view.seat] = room[1 + view.seat] = 0  # its cards are no secret
        return Deals.of(allowed, room)

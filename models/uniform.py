"""OM-0: the cards that are not seen are somewhere."""

import numpy as np

from hearts.engine.beliefs import Probabilities, Worlds
from hearts.views.view import View
from models.deals import Deals, rows_of
from models.voids import VoidBelief


class UniformBelief:
    """Every deal that fits the hand sizes and what is certain is equally likely.

    Certain are the cards in the own hand, the cards seen, and that what was passed is with its
    receiver until it is played. Who did not follow suit is not noticed in the probabilities.

    A world that contradicts the history is no world, so the worlds respect voids, but no more than
    they must: the cards that the same seats may hold fall at random into these seats' free places,
    whatever other suits say about who needs them more (see `deal_worlds`). Where no more than one
    suit shows a void these are the worlds of OM-1.
    """

    def sample(self, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """`n` worlds that fit the view."""
        hands = VoidBelief().deals(view).draw(n, rng, evenly=False)
        hands[:, view.seat] = view.hand
        return Worlds(hands, np.full(n, 1 / n))

    def probabilities(self, view: View) -> Probabilities:
        """For every card the share of the deals in which each seat holds it, voids ignored."""
        result = self.deals(view).probabilities()
        result[rows_of(view.hand), view.seat] = 1
        return result

    def deals(self, view: View) -> Deals:
        """Every deal of the unseen cards that fits the hand sizes and what is certain."""
        allowed = [view.unseen & ~view.passed] * 4
        allowed[view.receiver] = view.unseen
        allowed[view.seat] = 0
        room = [view.gone, *view.hand_sizes]
        room[1 + view.seat] = 0
        gone = view.unseen & ~view.still_held if view.gone else 0
        return Deals.of([gone, *allowed], room)

"""OM-0: deals that fit the hand sizes and the known cards; voids are ignored."""

import numpy as np

from hearts.engine.beliefs import Probabilities, Worlds
from hearts.views.view import View
from models.deals import Deals, indices_of
from models.voids import VoidBelief


class UniformBelief:
    """Every deal that fits the hand sizes and the known cards is equally likely.

    Known are the viewer's hand, the cards on the table and in tricks, and the receiver of the
    viewer's pass, who holds these cards until they are played. `probabilities` ignores voids.

    `sample` cannot ignore them, since a world must not contradict the history. It respects voids
    with as little inference as possible: the cards of a pool fall into random free slots of the
    seats that may hold them, whatever other suits imply about these slots (`deal_worlds`). If at
    most one suit shows a void, its worlds are those of OM-1.
    """

    def sample(self, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """Sample `n` worlds that fit the view."""
        hands = VoidBelief().deals(view).draw(n, rng, uniform=False)
        hands[:, view.seat] = view.hand
        return Worlds(hands, np.full(n, 1 / n))

    def probabilities(self, view: View) -> Probabilities:
        """The share of the deals in which each seat holds each card (52, 4), voids ignored."""
        result = self.deals(view).probabilities()
        result[indices_of(view.hand), view.seat] = 1
        return result

    def deals(self, view: View) -> Deals:
        """Every deal of the unseen cards that fits the hand sizes and the known cards."""
        allowed = [view.unseen & ~view.passed] * 4
        allowed[view.receiver] = view.unseen
        allowed[view.seat] = 0
        capacity = [view.gone, *view.hand_sizes]
        capacity[1 + view.seat] = 0
        gone = view.unseen & ~view.still_held if view.gone else 0
        return Deals.of([gone, *allowed], capacity)

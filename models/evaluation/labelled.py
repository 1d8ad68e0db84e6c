"""Views of recorded hands, labelled with the true hands."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hearts.game.cards import RANKS, SEATS, Card, bit, index_of, members
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.game.trick import Hands
from hearts.views.view import View

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LabelledView:
    """One seat's view in some trick, and the true hands."""

    view: View
    hands: Hands
    trick: int  # from 1
    number: int = 0  # of the hand

    @cached_property
    def hidden(self) -> list[Card]:
        """The cards that more than one of the others may hold."""
        a, b, c = (self.view.possible[seat] for seat in self.view.others)
        return list(members(a & b | a & c | b & c))

    def stated(self, probabilities: Floats) -> Floats:
        """The probabilities (52, 4) of the hidden cards at the other seats (cards, 3)."""
        cards = [index_of(card) for card in self.hidden]
        result: Floats = probabilities[cards][:, list(self.view.others)]
        return result

    @property
    def true(self) -> NDArray[np.bool_]:
        """Which of the other seats holds each hidden card (cards, 3)."""
        return self._where(self.hands)

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Which of the other seats may hold each hidden card (cards, 3)."""
        return self._where(self.view.possible)

    def _where(self, hands: Hands) -> NDArray[np.bool_]:
        seats = self.view.others
        return np.array([[bool(hands[seat] & bit(card)) for seat in seats] for card in self.hidden])


def labelled_views(record: Record, number: int) -> Iterator[LabelledView]:
    """A view of each trick in which a card is hidden, by a seat that is to play.

    The seats take turns; `number`, that of the hand, selects the first.
    """
    deal = record.deal
    for trick in range(min(len(deal.tricks), RANKS)):
        place = (number + trick) % SEATS
        before = replay(deal, trick * SEATS + place)
        labelled = LabelledView(View.of(before, before.trick.turn), before.hands, trick + 1, number)
        if labelled.hidden:
            yield labelled


def replay(deal: Deal, plays: int) -> Deal:
    """Replay the pass and the first `plays` plays of a hand."""
    first = (*deal.tricks, deal.trick)[0].leader
    before = Deal.of(deal.rules, deal.dealt, deal.direction, first)
    for seat in range(SEATS) if before.passing else ():
        before = before.give(seat, deal.passes[seat])
    for seat, card in list(deal.plays)[:plays]:
        before = before.play(card, seat)
    return before

"""The log-loss of one seat's belief in one hand, cheap enough to compute for every hand.

A seat is evaluated when it is to play to the tricks SAMPLED_TRICKS, the same for all beliefs, so
that losses are comparable. OM-1 takes a millisecond per view, OM-2 about 20.
Only cards that more than one of the others may hold count.
"""

from collections.abc import Iterator

from hearts.engine.beliefs import load_belief
from hearts.game.cards import SEATS
from hearts.game.records import Record
from hearts.views.view import View
from models.evaluation.labelled import LabelledView, replay
from models.evaluation.metrics import log_losses

SAMPLED_TRICKS = (3, 6, 9)  # counted from 1: early, half-way and late


def belief_loss(record: Record, seat: int, belief: str) -> tuple[float, int]:
    """The total log-loss of hidden cards in nats, and the number of these cards.

    Raises InvalidConfig if no belief of that name is installed.
    """
    model = load_belief(belief)
    total, cards = 0.0, 0
    for labelled in _views(record, seat):
        losses = log_losses(model.probabilities(labelled.view), labelled)
        total, cards = total + float(losses.sum()), cards + len(losses)
    return total, cards


def _views(record: Record, seat: int) -> Iterator[LabelledView]:
    """The seat's views at the sampled tricks that were completed, if a card is hidden."""
    for trick in SAMPLED_TRICKS:
        if trick > len(record.deal.tricks):
            break
        place = (seat - record.deal.tricks[trick - 1].leader) % SEATS
        before = replay(record.deal, (trick - 1) * SEATS + place)
        labelled = LabelledView(View.of(before, seat, checked=False), before.hands, trick)
        if labelled.hidden:
            yield labelled

"""How far a belief was from what was really held in one hand: cheap enough for every hand.

A seat is asked when it is to play to the tricks LOOKS, whatever its belief: OM-1 counts its deals
in a millisecond, a chain of OM-2 takes about twenty, and figures of different beliefs are made of
the same moments. Only cards count that more than one of the others may hold.
"""

from hearts.engine.beliefs import load_belief
from hearts.game.cards import SEATS
from hearts.game.records import Record
from hearts.views.view import View
from models.evaluate import Sight, beside_truth, log_losses, rewound

LOOKS = (3, 6, 9)  # tricks, counted from 1: early, half-way and late


def belief_loss(record: Record, seat: int, belief: str) -> tuple[float, int]:
    """The sum of the log-losses of hidden cards in nats, and how many cards they were.

    InvalidConfig where no belief of that name is installed.
    """
    model = load_belief(belief)
    total, cards = 0.0, 0
    for sight in _sights(record, seat):
        losses = log_losses(*beside_truth(model.probabilities(sight.view), sight))
        total, cards = total + float(losses.sum()), cards + len(losses)
    return total, cards


def _sights(record: Record, seat: int) -> list[Sight]:
    """What the seat saw at the looks that the hand came to, where something was hidden."""
    found = []
    for trick in LOOKS:
        if trick > len(record.deal.tricks):
            break
        place = (seat - record.deal.tricks[trick - 1].leader) % SEATS
        before = rewound(record.deal, (trick - 1) * SEATS + place)
        found.append(Sight(View.of(before, seat, checked=False), before.hands, trick))
    return [sight for sight in found if sight.hidden]

"""Records without habits among equivalent cards: each is replaced by a random equivalent one."""

import numpy as np

from hearts.game.cards import SEATS, Card, CardSet, bit, members
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.kernels.core.state import distinct
from models.evaluation.labelled import replay


def neutralised(record: Record, rng: np.random.Generator) -> Record:
    """Replace each card played by a random card of its hand that is equivalent in play.

    The two cards are swapped in the rest of the hand, so that every trick has the same winner.
    """
    deal = replay(record.deal, 0)
    stand_in: list[dict[Card, Card]] = [{} for _ in range(SEATS)]
    for seat, original in record.deal.plays:
        card = stand_in[seat].pop(original, original)
        other = int(rng.choice(list(members(_equal_to(deal, card)))))
        if other != card:
            origin = next((c for c, now in stand_in[seat].items() if now == other), other)
            stand_in[seat][origin] = card
        deal = deal.play(other, seat)
    return Record.of(deal, record.id, record.source, **record.extra)


def _equal_to(deal: Deal, card: Card) -> CardSet:
    """The legal cards that are equivalent to `card` in play, itself included."""
    in_play = deal.trick.cards_set
    for hand in deal.hands:
        in_play |= hand
    lowest = int(distinct(np.uint64(deal.legal), np.uint64(in_play)))
    group = 0
    for each in members(deal.legal):
        if lowest & bit(each):
            if group & bit(card):
                break
            group = 0
        group |= bit(each)
    return group

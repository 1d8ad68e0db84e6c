"""Every deal that fits a view, by trying every holder for every card; and a test of uniformity."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from hearts.game.cards import SEATS, Card, CardSet, bit, count, members
from hearts.game.trick import Hands
from hearts.views.view import View


def all_worlds(view: View) -> Iterator[Hands]:
    """Every deal that fits a view, each once."""
    hands = [view.hand if seat == view.seat else 0 for seat in range(SEATS)]
    yield from _deals(view, list(members(view.unseen)), hands, view.gone)


def _deals(view: View, cards: list[Card], hands: list[CardSet], gone: int) -> Iterator[Hands]:
    """The ways to hand out the cards that are left; `gone` of them are out of play."""
    if not cards:
        yield tuple(hands)
        return
    card, rest = cards[0], cards[1:]
    for seat in view.others:
        if count(hands[seat]) < view.hand_sizes[seat] and not view.denied[seat] & bit(card):
            hands[seat] |= bit(card)
            yield from _deals(view, rest, hands, gone)
            hands[seat] ^= bit(card)
    if gone and not view.still_held & bit(card):
        yield from _deals(view, rest, hands, gone - 1)


def fits_table(view: View, hands: Sequence[CardSet]) -> bool:
    """Whether a world fits what the whole table knows: no pass, and no hand of the viewer's."""
    held = 0
    for seat, cards in enumerate(hands):
        impossible = held | view.played | view.publicly_denied[seat]
        if count(cards) != view.hand_sizes[seat] or cards & impossible:
            return False
        held |= cards
    return not view.still_held & ~held


def table_worlds(view: View) -> Iterator[Hands]:
    """Every deal that fits what the whole table knows of a full view, each once."""
    hidden = list(members(view.unseen | view.hand))
    yield from _table_deals(view, hidden, [0] * SEATS)


def _table_deals(view: View, cards: list[Card], hands: list[CardSet]) -> Iterator[Hands]:
    if not cards:
        yield tuple(hands)
        return
    card, rest = cards[0], cards[1:]
    for seat in range(SEATS):
        denied = view.publicly_denied[seat] & bit(card)
        if count(hands[seat]) < view.hand_sizes[seat] and not denied:
            hands[seat] |= bit(card)
            yield from _table_deals(view, rest, hands)
            hands[seat] ^= bit(card)


def looks_uniform(drawn: Iterable[object], choices: Sequence[object]) -> bool:
    """Whether draws are of the choices, and chi² is within five deviations of its mean."""
    counts = Counter(drawn)
    if set(counts) - set(choices):
        return False
    expected, freedom = counts.total() / len(choices), len(choices) - 1
    chi2 = sum((counts[choice] - expected) ** 2 / expected for choice in choices)
    return abs(chi2 - freedom) <= 5 * math.sqrt(2 * freedom)

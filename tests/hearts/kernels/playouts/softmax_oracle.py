"""The softmax policy in plain Python, as hearts.kernels.playouts.candidates describes it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from hearts.game.cards import HEARTS, SPADES, Card, card_of, members, rank_of, suit_of
from hearts.kernels.playouts.candidates import FOLLOW_CLASSES, LEAD_CLASSES, VOID_CLASSES

if TYPE_CHECKING:
    from tests.hearts.kernels.oracle import Table

QUEEN, KING, ACE = (card_of(SPADES, rank) for rank in (10, 11, 12))


@cache
def table_of(name: str) -> list[int]:
    packed = files("hearts").joinpath("data", "softmax.npz").read_bytes()
    return [int(each) for each in np.load(BytesIO(packed))[name]]


def place(classes: Mapping[str, int], **values: int) -> int:
    """The place of some classes among all, the first one most significant."""
    index = 0
    for name, size in classes.items():
        assert 0 <= values[name] < size
        index = index * size + values[name]
    return index


def unpack(word: int, number: int, size: int) -> list[int]:
    return [word >> i * size & (1 << size) - 1 for i in range(number)]


def by_rank(card: Card) -> tuple[int, int]:
    return rank_of(card), suit_of(card)


def softmax(table: Table, sixteen_bits: int) -> Card:
    if not table.trick:
        return lead(table, sixteen_bits)
    return (follow if table.following else void)(table, sixteen_bits >> 1)


def moon(table: Table) -> int:
    counted = [QUEEN, *(card_of(HEARTS, rank) for rank in range(13))]
    takers = [
        seat
        for seat, cards in enumerate(table.deal.taken)
        if any(card in counted for card in members(cards))
    ]
    if len(takers) != 1:
        return 1 if takers else 0
    return 2 if takers[0] == table.seat else 3


def stage(table: Table) -> int:
    left = len(table.hand)
    return (left < 13) + (left < 10) + (left < 6)


def points(table: Table) -> int:
    costly = [card for card in table.trick if table.penalty(card)]
    return 2 if QUEEN in costly else int(bool(costly))


def some_queen(table: Table) -> list[Card]:
    """The queen while she is in a hand and costs points."""
    return [QUEEN] if table.queen_out() else []


def lead_class(table: Table, suit: int) -> int:
    """The class of a suit to lead, −1 where there is none."""
    held = [card for card in table.legal if suit_of(card) == suit]
    if not held:
        return -1
    kept = [card for card in table.hand if suit_of(card) == suit and card not in held]
    others = [card for card in table.others if suit_of(card) == suit] + kept
    kind = 4 if suit == HEARTS else 0
    if suit == SPADES and some_queen(table):
        kind = 1 if QUEEN in held else 2 if {KING, ACE} & set(held) else 3
    return place(
        LEAD_CLASSES,
        moon=moon(table),
        stage=stage(table),
        suit=kind,
        length=min(len(held), 3) - 1,
        others=sum(len(others) > limit for limit in (0, 3, 6)),
        below=min(sum(card < min(held) for card in others), 3),
        top=int(any(card > max(held) for card in others)),
    )


def lead(table: Table, sixteen_bits: int) -> Card:
    candidates: list[tuple[int, Card]] = []
    for suit in range(4):
        held = [card for card in table.legal if suit_of(card) == suit]
        if held:
            shown = [card for card in held if card not in some_queen(table)] or held
            chances = unpack(table_of("lead")[lead_class(table, suit)], 2, 32)
            candidates += zip(chances, (min(shown), max(shown)), strict=True)
    point = sixteen_bits * sum(chance for chance, _ in candidates) >> 16
    for chance, card in candidates:
        if point < chance:
            return card
        point -= chance
    raise AssertionError("nobody was chosen")


def drawn(word: int, fifteen_bits: int) -> int:
    return sum(fifteen_bits >= limit for limit in unpack(word, 4, 16))


def ducks_and_winners(table: Table) -> tuple[list[Card], list[Card]]:
    queen = some_queen(table)
    ducking = [card for card in table.legal if card < table.best]
    winning = [card for card in table.legal if card > table.best]
    if ducking or winning != queen:
        winning = [card for card in winning if card not in queen]
    return ducking, winning


def follow_class(table: Table) -> tuple[int, int]:
    """The class of what is followed, and of what there is to follow with."""
    others = [card for card in table.others if suit_of(card) == suit_of(table.best)]
    kind = 0
    if suit_of(table.best) == SPADES and some_queen(table) and QUEEN not in table.trick:
        kind = 2 if QUEEN in table.legal else 1
    if table.penalty(table.legal[0]) and suit_of(table.best) == HEARTS:
        kind = 3
    index = place(
        FOLLOW_CLASSES,
        moon=moon(table),
        stage=stage(table),
        suit=kind,
        points=points(table),
        place=len(table.trick) - 1,
        top=int(any(card > max(table.legal) for card in others)),
    )
    ducking, winning = ducks_and_winners(table)
    return index, 3 * min(len(ducking), 2) + min(len(winning), 2)


def follow(table: Table, fifteen_bits: int) -> Card:
    queen = some_queen(table)
    ducking, winning = ducks_and_winners(table)
    index, held = follow_class(table)
    chosen = drawn(table_of("follow")[9 * index + held], fifteen_bits)
    if chosen == 0:
        return QUEEN if queen and QUEEN in ducking else max(ducking)
    if chosen == 1:
        return min([card for card in ducking if card not in queen] or ducking)
    return min(winning) if chosen == 2 else max(winning)


def thrown(table: Table) -> list[list[Card]]:
    """The queen, the high spades while she stays out, the hearts, the rest."""
    queen = [card for card in table.legal if card == QUEEN and table.queen_out()]
    stays_out = table.queen_out() and QUEEN not in table.trick
    high = [card for card in table.legal if card in (KING, ACE) and stays_out]
    hearts = [card for card in table.legal if suit_of(card) == HEARTS and table.penalty(card)]
    return [queen, high, hearts, [c for c in table.legal if c not in queen + high + hearts]]


def void_class(table: Table) -> tuple[int, int]:
    """The class of a trick that cannot be followed, and of what there is to throw."""
    alone = moon(table)
    if alone == 3 and _winner_has_penalties(table):
        alone = 4
    held = sum(bool(cards) << bit for bit, cards in enumerate(thrown(table)))
    return place(VOID_CLASSES, moon=alone, stage=stage(table), points=points(table)), held


def void(table: Table, fifteen_bits: int) -> Card:
    index, held = void_class(table)
    *kinds, rest = thrown(table)
    chosen = drawn(table_of("void")[16 * index + held], fifteen_bits)
    if chosen < 3:
        return max(kinds[chosen])
    return max(rest, key=by_rank) if chosen == 3 else min(rest, key=by_rank)


def _winner_has_penalties(table: Table) -> bool:
    """Whether the seat that wins the trick has taken penalty cards."""
    taken = members(table.deal.taken[table.deal.trick.winner])
    return any(card == QUEEN or suit_of(card) == HEARTS for card in taken)

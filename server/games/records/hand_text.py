"""A hand as text: tags as in PGN, then the hands, the pass and the tricks."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hearts.game.cards import SUIT_MASK, SUIT_SYMBOLS, CardSet, members, names, symbol
from hearts.game.deal import Deal
from hearts.game.records import Record
from server.storage.values import HandRow, Seat

SEAT_NAMES = ("South", "West", "North", "East")  # in the order of play


def text_of(hand: HandRow, record: Record, seats: tuple[Seat, ...]) -> str:
    """The text of a hand."""
    deal = record.deal
    tags = {
        "Game": hand.game_id,
        "Hand": str(hand.number + 1),
        "Id": record.id,
        "Source": record.source,
        "Date": f"{hand.started_at:%Y.%m.%d}",
        "Rules": json.dumps(deal.rules.as_value()),
        "Pass": deal.direction.label,
        **{place: seat.player.name for place, seat in zip(SEAT_NAMES, seats, strict=True)},
        "Result": "*" if record.points is None else " ".join(map(str, record.points)),
    }
    quoted = (f'[{tag} "{_escaped(value)}"]' for tag, value in tags.items())
    return "\n".join([*quoted, "", *_dealt(deal), "", *_tricks(deal), ""])


def _dealt(deal: Deal) -> Iterator[str]:
    for seat, cards in enumerate(deal.dealt):
        given = deal.passes[seat]
        passed = "" if not given else f"  passes {_symbols(given)}"
        yield f"{SEAT_NAMES[seat]:<6} {_by_suit(cards)}{passed}"


def _tricks(deal: Deal) -> Iterator[str]:
    for number, trick in enumerate((*deal.tricks, deal.trick), 1):
        if not trick.cards:
            continue
        cards = " ".join(f"{symbol(card):<3}" for card in trick.cards)
        end = f"{SEAT_NAMES[trick.winner]} takes it" if trick.complete else "…"
        yield f"{number:>2}. {SEAT_NAMES[trick.leader]:<6} {cards:<16} {end}"
    if deal.shooter is not None:
        yield f"{SEAT_NAMES[deal.shooter]} shoots the moon"


def _by_suit(cards: CardSet) -> str:
    """Cards by suit: ♠AQ4 ♥K2 …"""
    order = (2, 3, 1, 0)  # spades, hearts, diamonds, clubs
    return " ".join(
        SUIT_SYMBOLS[suit]
        + ("".join(rank[:-1] for rank in names(cards & SUIT_MASK[suit])[::-1]) or "-")
        for suit in order
    )


def _symbols(cards: CardSet) -> str:
    return " ".join(symbol(card) for card in members(cards))


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')

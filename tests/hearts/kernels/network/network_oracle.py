"""The network in plain Python: its rows from a deal, one by one, and its layers by numpy.

It draws the same random numbers as the kernels do, in the same order, so that every card must
agree.
"""

from __future__ import annotations

import numpy as np

from hearts.engine.bridge.network import Network
from hearts.engine.bridge.worlds import root_moves
from hearts.game.cards import HEARTS, QUEEN_OF_SPADES, SEATS, bit, count, members, rank_of, suit_of
from hearts.game.deal import Deal
from hearts.game.rules import PassDirection
from hearts.kernels.network import forward as layer
from hearts.views.view import View
from tests.hearts.kernels.oracle import Stream


def known(deal: Deal, seat: int, *, passes: bool = True) -> set[int]:
    """The rows of what a seat knows, but for the trick; without `passes` it has forgotten them."""
    tricks = [*deal.tricks, deal.trick]
    played = [(t.leader + i, card, t.led) for t in tricks for i, card in enumerate(t.cards)]
    gone = {card for _, card, _ in played}
    hand = set(members(deal.hands[seat]))
    rows = {layer.MINE + card for card in hand}
    for player, card, led in played:
        r = (player - seat) % SEATS
        rows.add(layer.PLAYED + 64 * r + card)
        if suit_of(card) != led and r:
            rows.add(layer.VOID + 4 * (r - 1) + led)
    breakers = deal.rules.heart_breakers  # for the network, hearts break at the end of a trick
    direction = deal.direction if passes else PassDirection.HOLD
    rows.add(layer.DIRECTION + direction)
    if direction:
        giver = (seat - direction) % SEATS
        gave, got = set(members(deal.passes[seat])), set(members(deal.passes[giver]))
        rows |= {layer.GIVEN + 64 * (direction - 1) + card for card in gave - gone}
        rows |= {layer.GOT + 64 * ((giver - seat) % SEATS - 1) + card for card in got}
    is_so = {
        layer.BROKEN: any(bit(c) & breakers for trick in deal.tricks for c in trick.cards),
        layer.FIRST: deal.first_trick,
        layer.QUEEN_OUT: QUEEN_OF_SPADES not in gone,
    }
    rows |= {row for row, so in is_so.items() if so} | taken_rows(deal, seat)
    for suit in range(4):
        mine = sum(suit_of(card) == suit for card in hand)
        out = sum(suit_of(card) == suit for card in gone)
        rows |= {layer.LENGTH + 16 * suit + mine, layer.UNSEEN + 16 * suit + 13 - mine - out}
    return rows


def taken_rows(deal: Deal, seat: int) -> set[int]:
    """The rows of who has taken which penalties."""
    rows: set[int] = set()
    takers = set()
    for r in range(SEATS):
        taken = set(members(deal.taken[(seat + r) % SEATS]))
        hearts = sum(suit_of(card) == HEARTS for card in taken)
        rows.add(layer.HEARTS_TAKEN + 16 * r + hearts)
        if QUEEN_OF_SPADES in taken:
            rows.add(layer.QUEEN_TAKEN + r)
        if hearts or QUEEN_OF_SPADES in taken:
            takers.add(r)
    if len(takers) == 1:
        rows.add(layer.SOLE_TAKER + takers.pop())
    return rows


def on_the_table(deal: Deal, seat: int) -> set[int]:
    """The rows of the trick on the table as a seat sees it."""
    cards = deal.trick.cards
    if not cards:
        return {layer.PLACE}
    place = 4 * len(cards) + (deal.trick.winner - seat) % SEATS
    best = max((card for card in cards if suit_of(card) == deal.trick.led), key=rank_of)
    cost = sum(suit_of(card) == HEARTS for card in cards) + 4 * (QUEEN_OF_SPADES in cards)
    return {layer.PLACE + place, layer.WINNING + best, layer.COST + cost}


def probabilities(network: Network, rows: set[int], cards: list[int], head: int = 0) -> np.ndarray:
    """The probability of each of some cards."""
    inner = np.maximum(network.bias + network.rows[sorted(rows)].sum(axis=0), 0).astype(int)
    outer = network.hidden.astype(int) @ inner + network.hidden_bias.astype(int)
    outer = np.maximum(outer, 0) // int(layer.UNIT)
    outputs = [head + card for card in cards]
    scores = network.out[outputs].astype(int) @ outer + network.out_bias[outputs].astype(int)
    weights = np.exp((scores - scores.max()) / layer.UNIT**2)
    return weights / weights.sum()


def moves(deal: Deal) -> list[int]:
    """What may be played, equal cards once."""
    return sorted(members(root_moves(View.of(deal, deal.turn or 0))))


def draw(cards: list[int], chances: np.ndarray, stream: Stream) -> int:
    """One of the cards by a random word."""
    point = (stream.word() >> 11) * 2.0**-53
    for card, chance in zip(cards, chances, strict=True):
        point -= chance
        if point < 0:
            return card
    return cards[-1]


def play_on(network: Network, deal: Deal, stream: Stream, *, me: int | None = None) -> Deal:
    """The hand played to its end by the network; with `me`, only that seat remembers the pass."""
    while not deal.finished:
        seat, cards = deal.turn, moves(deal)
        assert seat is not None
        card = cards[0]
        if len(cards) > 1:
            rows = known(deal, seat, passes=me is None or seat == me) | on_the_table(deal, seat)
            card = draw(cards, probabilities(network, rows, cards), stream)
        deal = deal.play(card)
    return deal


def pass_cards(network: Network, hand: int, direction: PassDirection, stream: Stream) -> int:
    """Three cards of a hand, one after the other."""
    laid = 0
    for _ in range(3):
        left = sorted(members(hand & ~laid))
        card = draw(left, probabilities(network, passing(left, laid, direction), left, 64), stream)
        laid |= bit(card)
    return laid


def passing(left: list[int], laid: int, direction: PassDirection) -> set[int]:
    """The rows of a hand from which cards are passed."""
    rows = {layer.PASSING, layer.QUEEN_OUT, layer.DIRECTION + direction}
    rows |= {layer.MINE + card for card in left}
    rows |= {layer.GIVEN + 64 * (direction - 1) + card for card in members(laid)}
    rows |= {layer.HEARTS_TAKEN + 16 * r for r in range(SEATS)}
    for suit in range(4):
        mine = sum(suit_of(card) == suit for card in left)
        rows |= {layer.LENGTH + 16 * suit + mine, layer.UNSEEN + 16 * suit + 13 - mine}
    assert count(laid) + len(left) == 13
    return rows

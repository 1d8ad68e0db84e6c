"""The network in plain Python: features from a deal, one by one, and layers by numpy.

The oracle draws the same random numbers as the kernels in the same order, so every card must agree.
"""

from __future__ import annotations

import numpy as np

from hearts.engine.bridge.network import Network
from hearts.engine.bridge.worlds import root_moves
from hearts.game.cards import HEARTS, QUEEN_OF_SPADES, SEATS, bit, count, members, rank_of, suit_of
from hearts.game.deal import Deal
from hearts.game.rules import PassDirection
from hearts.kernels.network import features as layout
from hearts.kernels.network.inference import UNIT
from hearts.views.view import View
from tests.hearts.kernels.oracle import Stream


def known(deal: Deal, seat: int, *, passes: bool = True) -> set[int]:
    """The features of what a seat knows, but for the trick; without `passes` it forgot them."""
    tricks = [*deal.tricks, deal.trick]
    played = [(t.leader + i, card, t.led) for t in tricks for i, card in enumerate(t.cards)]
    gone = {card for _, card, _ in played}
    hand = set(members(deal.hands[seat]))
    active = {layout.MINE + card for card in hand}
    for player, card, led in played:
        r = (player - seat) % SEATS
        active.add(layout.PLAYED + 64 * r + card)
        if suit_of(card) != led and r:
            active.add(layout.VOID + 4 * (r - 1) + led)
    breakers = deal.rules.heart_breakers  # for the network, hearts break at the end of a trick
    direction = deal.direction if passes else PassDirection.HOLD
    active.add(layout.DIRECTION + direction)
    if direction:
        giver = (seat - direction) % SEATS
        gave, got = set(members(deal.passes[seat])), set(members(deal.passes[giver]))
        active |= {layout.GIVEN + 64 * (direction - 1) + card for card in gave - gone}
        active |= {layout.GOT + 64 * ((giver - seat) % SEATS - 1) + card for card in got}
    is_so = {
        layout.BROKEN: any(bit(c) & breakers for trick in deal.tricks for c in trick.cards),
        layout.FIRST: deal.first_trick,
        layout.QUEEN_OUT: QUEEN_OF_SPADES not in gone,
    }
    active |= {feature for feature, so in is_so.items() if so} | taken_features(deal, seat)
    for suit in range(4):
        mine = sum(suit_of(card) == suit for card in hand)
        out = sum(suit_of(card) == suit for card in gone)
        active |= {layout.LENGTH + 16 * suit + mine, layout.UNSEEN + 16 * suit + 13 - mine - out}
    return active


def taken_features(deal: Deal, seat: int) -> set[int]:
    """The features of who has taken which penalties."""
    active: set[int] = set()
    takers = set()
    for r in range(SEATS):
        taken = set(members(deal.taken[(seat + r) % SEATS]))
        hearts = sum(suit_of(card) == HEARTS for card in taken)
        active.add(layout.HEARTS_TAKEN + 16 * r + hearts)
        if QUEEN_OF_SPADES in taken:
            active.add(layout.QUEEN_TAKEN + r)
        if hearts or QUEEN_OF_SPADES in taken:
            takers.add(r)
    if len(takers) == 1:
        active.add(layout.SOLE_TAKER + takers.pop())
    return active


def on_the_table(deal: Deal, seat: int) -> set[int]:
    """The features of the trick on the table as a seat sees it."""
    cards = deal.trick.cards
    if not cards:
        return {layout.PLACE}
    place = 4 * len(cards) + (deal.trick.winner - seat) % SEATS
    best = max((card for card in cards if suit_of(card) == deal.trick.led), key=rank_of)
    cost = sum(suit_of(card) == HEARTS for card in cards) + 4 * (QUEEN_OF_SPADES in cards)
    return {layout.PLACE + place, layout.WINNING + best, layout.COST + cost}


def probabilities(
    network: Network, active: set[int], cards: list[int], head: int = 0
) -> np.ndarray:
    """The probability of each of some cards."""
    hidden1 = np.maximum(network.bias + network.features[sorted(active)].sum(axis=0), 0).astype(int)
    hidden2 = network.hidden.astype(int) @ hidden1 + network.hidden_bias.astype(int)
    hidden2 = np.maximum(hidden2, 0) // int(UNIT)
    outputs = [head + card for card in cards]
    logits = network.out[outputs].astype(int) @ hidden2 + network.out_bias[outputs].astype(int)
    weights = np.exp((logits - logits.max()) / UNIT**2)
    return weights / weights.sum()


def moves(deal: Deal) -> list[int]:
    """What may be played, equal cards once."""
    return sorted(members(root_moves(View.of(deal, deal.turn or 0))))


def draw(cards: list[int], policy: np.ndarray, stream: Stream) -> int:
    """One of the cards by a random word."""
    point = (stream.word() >> 11) * 2.0**-53
    for card, probability in zip(cards, policy, strict=True):
        point -= probability
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
            active = known(deal, seat, passes=me is None or seat == me) | on_the_table(deal, seat)
            card = draw(cards, probabilities(network, active, cards), stream)
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
    """The features of a hand from which cards are passed."""
    active = {layout.PASSING, layout.QUEEN_OUT, layout.DIRECTION + direction}
    active |= {layout.MINE + card for card in left}
    active |= {layout.GIVEN + 64 * (direction - 1) + card for card in members(laid)}
    active |= {layout.HEARTS_TAKEN + 16 * r for r in range(SEATS)}
    for suit in range(4):
        mine = sum(suit_of(card) == suit for card in left)
        active |= {layout.LENGTH + 16 * suit + mine, layout.UNSEEN + 16 * suit + 13 - mine}
    assert count(laid) + len(left) == 13
    return active

"""The network in plain Python: features from a deal, one by one, and layers by numpy.

The oracle draws the same random numbers as the kernels in the same order, so every card must agree.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hearts.engine.bridge.network import Network
from hearts.engine.bridge.worlds import root_moves
from hearts.game.cards import (
    HEARTS,
    JACK_OF_DIAMONDS,
    QUEEN_OF_SPADES,
    SEATS,
    Card,
    bit,
    count,
    members,
    rank_of,
    suit_of,
)
from hearts.game.deal import Deal
from hearts.game.rules import PassDirection
from hearts.kernels.network import features as layout
from hearts.kernels.network.inference import UNIT
from hearts.players.registry import shared_player
from hearts.players.spec import Spec
from hearts.views.view import View
from tests.hearts.kernels.oracle import Stream

NETWORK, BEST, OTHER = "network", "best", "other"  # OTHER: the second network of a stack


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


def jack_weight(deal: Deal, card: Card) -> float:
    """How much likelier a card becomes where J♦ is a bonus."""
    trick, seat = deal.trick.cards, deal.turn
    assert seat is not None
    others = [c for other in range(SEATS) if other != seat for c in members(deal.hands[other])]
    led = deal.trick.led if trick else suit_of(card)
    follows = suit_of(card) == led
    wins = follows and all(c < card for c in trick if suit_of(c) == led)
    overtaken = any(suit_of(c) == suit_of(card) and c > card for c in others)
    certain = wins and (len(trick) == SEATS - 1 or not overtaken)
    if QUEEN_OF_SPADES in trick:
        return 0.02 if card == JACK_OF_DIAMONDS and not wins else 1.0
    if card == JACK_OF_DIAMONDS:
        return 20.0 if certain else 0.2 if wins and trick else 0.02
    if JACK_OF_DIAMONDS in trick and wins:
        return 20.0 if certain else 4.0
    catches = suit_of(card) == suit_of(JACK_OF_DIAMONDS) and card > JACK_OF_DIAMONDS
    return 0.3 if JACK_OF_DIAMONDS in others and catches and not follows else 1.0


def policy_of(network: Network, deal: Deal, cards: list[int], *, passes: bool = True) -> np.ndarray:
    """The probability of each of some cards of the seat to play, under the rules of the deal."""
    seat = deal.turn
    assert seat is not None
    active = known(deal, seat, passes=passes) | on_the_table(deal, seat)
    policy = probabilities(network, active, cards)
    if deal.rules.jack_bonus:
        policy = policy * [jack_weight(deal, card) for card in cards]
    return policy / policy.sum()


def draw(cards: list[int], policy: np.ndarray, stream: Stream) -> int:
    """One of the cards by a random word."""
    point = (stream.word() >> 11) * 2.0**-53
    for card, probability in zip(cards, policy, strict=True):
        point -= probability
        if point < 0:
            return card
    return cards[-1]


def play_on(
    network: Network,
    deal: Deal,
    stream: Stream,
    *,
    me: int | None = None,
    names: Sequence[str] = (NETWORK,) * SEATS,
    other: Network | None = None,
) -> Deal:
    """The hand played to its end; with `me`, only that seat remembers the pass.

    Each seat is the network, which draws, `BEST`, the network `other`, or the rule-based player of
    its name.
    """
    while not deal.finished:
        seat = deal.turn
        assert seat is not None
        if names[seat] in (NETWORK, BEST, OTHER):
            passes = me is None or seat == me
            asked = other if other and names[seat] == OTHER else network
            card = network_card(asked, deal, stream, passes=passes, best=names[seat] == BEST)
        else:
            stream.word()  # which only random policies use
            legal = list(members(deal.legal))
            view = View.of(deal, seat)
            player = shared_player(Spec(names[seat]))
            card = legal[0] if len(legal) == 1 else player.choose_card(view, 0)
        deal = deal.play(card)
    return deal


def network_card(network: Network, deal: Deal, stream: Stream, *, passes: bool, best: bool) -> Card:
    """The card of the network: drawn, or the most probable one."""
    seat, cards = deal.turn, moves(deal)
    assert seat is not None
    if len(cards) == 1:
        return cards[0]
    policy = policy_of(network, deal, cards, passes=passes)
    return cards[int(np.argmax(policy))] if best else draw(cards, policy, stream)


def pass_cards(
    network: Network, hand: int, direction: PassDirection, stream: Stream, *, jack: bool = False
) -> int:
    """Three cards of a hand, one after the other, without J♦ if `jack` is a bonus."""
    laid = 0
    for _ in range(3):
        left = sorted(members(hand & ~laid))
        policy = pass_policy_of(network, left, laid, direction, jack=jack)
        laid |= bit(draw(left, policy, stream))
    return laid


def pass_policy_of(
    network: Network, left: list[int], laid: int, direction: PassDirection, *, jack: bool
) -> np.ndarray:
    """The probability of each card to be passed next."""
    policy = probabilities(network, passing(left, laid, direction), left, 64)
    if jack:
        policy = policy * [card != JACK_OF_DIAMONDS for card in left]
    return policy / policy.sum()


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

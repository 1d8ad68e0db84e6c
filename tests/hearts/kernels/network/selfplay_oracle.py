"""Self-play in plain Python: deals, passes and plays of one table, with the kernel's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hearts.engine.bridge.network import Network
from hearts.game.cards import ALL_CARDS, SEATS, bit, members
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, PassDirection
from hearts.players.registry import shared_player
from hearts.players.spec import Spec
from hearts.views.view import View
from tests.hearts.kernels.network import network_oracle
from tests.hearts.kernels.oracle import Stream, pick


@dataclass
class Seat:
    """A player: a network that draws or plays its best card, or the rule-based player of a name."""

    network: Network | None = None
    best: bool = False
    name: str = ""


def dealt(stream: Stream) -> list[int]:
    """Four hands, card by card."""
    left, hands = list(ALL_CARDS), [0] * SEATS
    for number in range(52):
        card = pick(left, stream.word() & 0xFFFF)
        left.remove(card)
        hands[number % SEATS] |= bit(card)
    return hands


def passed(seat: Seat, hand: int, direction: PassDirection, stream: Stream, view: View) -> int:
    """The three cards that a seat passes."""
    stream.word()  # which only random policies use
    if seat.network is None:
        return shared_player(Spec(seat.name)).choose_pass(view, 0)
    if not seat.best:
        return network_oracle.pass_cards(seat.network, hand, direction, stream)
    laid = 0
    for _ in range(3):
        stream.word()
        left = sorted(members(hand & ~laid))
        active = network_oracle.passing(left, laid, direction)
        policy = network_oracle.probabilities(seat.network, active, left, 64).tolist()
        laid |= bit(left[policy.index(max(policy))])
    return laid


def played(seat: Seat, deal: Deal, stream: Stream, *, passes: bool) -> int:
    """The card that a seat plays."""
    turn, cards = deal.turn, network_oracle.moves(deal)
    assert turn is not None
    if seat.network is None:
        stream.word()
        legal = list(members(deal.legal))
        if len(legal) == 1:
            return legal[0]
        return shared_player(Spec(seat.name)).choose_card(View.of(deal, turn), 0)
    if len(cards) == 1 or seat.best:
        stream.word()
    return network_oracle.network_card(seat.network, deal, stream, passes=passes, best=seat.best)


def hand_of(seed: int, number: int, seats: Sequence[Seat], forgetful: int) -> Deal:
    """The finished hand of a deal's number."""
    stream, direction = Stream(seed, number), PassDirection(number % 4)
    hands = dealt(stream)
    deal = Deal.of(PASSING, hands, direction)
    before = deal
    for i, seat in enumerate(seats) if direction else ():
        cards = passed(seat, hands[i], direction, stream, View.of(before, i))
        deal = deal.give(i, cards)
    forgets = [stream.word() & 0xFFFF < forgetful for _ in range(SEATS)]
    while not deal.finished:
        turn = deal.turn
        assert turn is not None
        deal = deal.play(played(seats[turn], deal, stream, passes=not forgets[turn]))
    return deal

"""Proofs that a card is right: every line of play in a deal that fits a view.

What a seat gains is in points, moon included: the others' mean minus its own.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hearts.engine.bridge.state import pack_state, rules_word
from hearts.game.cards import SEATS, Card, CardSet, bit, members
from hearts.game.legality import legal_plays
from hearts.game.rules import Rules, hand_points
from hearts.game.trick import Hands, Trick
from hearts.kernels.core.reward import DIFFERENCE
from hearts.kernels.core.state import final_points
from hearts.kernels.search.solver import solve_moves
from hearts.views.view import View

U = np.uint64


@dataclass(frozen=True)
class Ending:
    """The end of a hand with open cards."""

    rules: Rules
    hands: Hands
    trick: Trick
    taken: Hands
    broken: bool

    @classmethod
    def of(cls, view: View, world: Hands) -> "Ending":
        return cls(view.rules, world, view.trick, view.taken, view.broken)

    @cached_property
    def legal(self) -> CardSet:
        hand, led = self.hands[self.trick.turn], self.trick.led
        return legal_plays(self.rules, hand, led, first_trick=False, broken=self.broken)

    @property
    def finished(self) -> bool:
        return not any(self.hands)

    def play(self, card: Card) -> "Ending":
        turn, trick, taken = self.trick.turn, self.trick.add(card), self.taken
        hands = (*self.hands[:turn], self.hands[turn] & ~bit(card), *self.hands[turn + 1 :])
        if trick.complete:
            won = (trick.cards_set if seat == trick.winner else 0 for seat in range(SEATS))
            taken = tuple(old | new for old, new in zip(taken, won, strict=True))
            trick = Trick(trick.winner)
        broken = self.broken or bool(bit(card) & self.rules.heart_breakers)
        return replace(self, hands=hands, trick=trick, taken=taken, broken=broken)

    def gain(self, seat: int) -> float:
        """What a seat gains on the others in the finished hand."""
        points = hand_points(self.rules, self.taken, self.rules.moon)
        return (sum(points) - 4 * points[seat]) / 3


def bound(ending: Ending, seat: int, sign: int) -> float:
    """The gain of a seat that plays its best when all others play for (1) or against (-1) it."""
    if ending.finished:
        return ending.gain(seat)
    lines = (bound(ending.play(card), seat, sign) for card in members(ending.legal))
    return max(lines) if sign > 0 or ending.trick.turn == seat else min(lines)


def bounds(view: View, world: Hands, sign: int) -> dict[Card, float]:
    """`bound` after each legal card."""
    ending = Ending.of(view, world)
    return {card: bound(ending.play(card), view.seat, sign) for card in members(view.legal)}


def best_play(view: View, world: Hands) -> dict[Card, float]:
    """The gain after each legal card when everybody then plays for itself: max^n."""
    first, broken = view.first_trick, view.broken
    state = pack_state(world, view.trick, view.taken, first_trick=first, broken=broken)
    word, points = rules_word(view.rules), np.zeros(4, dtype=np.int64)
    keys, values = np.zeros((2, 0), dtype=U)
    lines = np.zeros(13, dtype=U)
    solve_moves(state, U(view.legal), word, DIFFERENCE, keys, values, lines)
    advantage = {}
    for card, line in zip(members(view.legal), lines, strict=False):
        final_points(line, word, points)
        advantage[card] = float(points.sum() - 4 * points[view.seat]) / 3
    return advantage

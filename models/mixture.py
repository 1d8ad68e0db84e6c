"""What the others may think I hold: worlds in which my own hand is not fixed.

The private belief is what a seat believes about the others. The public one is what the whole table
knows, voids of every seat included, passes not: in its worlds the viewer may hold another hand. A
mixture draws from both, (1 − λ) × private + λ × public, so that a search plays as the others must
expect, and its cards give less away.

Only a card that I really hold can be chosen, so of the public worlds those count in which I could
play one of my moves. They are drawn without rejection: for each of my moves the deals in which I
could play it are counted and drawn from evenly. A deal in which I could play several of them comes
up for each; its weight makes up for that, so that all deals are equally likely again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hearts.engine.beliefs import Belief, Probabilities, Worlds, load_belief
from hearts.engine.bridge.worlds import root_moves
from hearts.game.cards import RANKS, Card, CardSet, bit, members
from hearts.game.errors import InvalidConfig
from hearts.game.evidence import ruled_out
from hearts.views.view import View
from models.deals import CardSets, Deals

NAME = "mixture"
DEFAULT_SHARE = "0.3"
DEFAULT_BASE = "OM-1"


def mixture(share: str = DEFAULT_SHARE, base: str = DEFAULT_BASE) -> "MixtureBelief":
    """Read `0.3`, or `0.5-0.1` for a λ that goes evenly from the first trick's to the last's."""
    if base == NAME:
        raise InvalidConfig("belief", f"a {NAME} is of a belief about the others, not of another")
    first, dash, last = share.partition("-")
    ends = _share(first), _share(last if dash else first)
    return MixtureBelief(*ends, load_belief(base))


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        reason = f"{text!r} is no share of a {NAME}: a number from 0 to 1, or two as 0.5-0.1"
        raise InvalidConfig("belief", reason)
    return value


@dataclass(frozen=True)
class MixtureBelief:
    """With λ what everybody knows, otherwise what another belief says."""

    first: float  # λ at the first trick
    last: float  # λ at the thirteenth
    base: Belief

    def share(self, view: View) -> float:
        """The λ of a view; 0 while cards are passed, which nobody sees."""
        if view.passing:
            return 0.0
        over = min(RANKS - view.round_size, RANKS - 1) / (RANKS - 1)
        return self.first + (self.last - self.first) * over

    def sample(self, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """`n` worlds, of which about λ × n are public; these have the weight λ together."""
        share = self.share(view)
        number = _part(share, n)
        if not number:
            return self.base.sample(view, n, rng)
        public = PublicDeals(view).sample(number, rng)
        if number == n:
            return public
        private = self.base.sample(view, n - number, rng)
        return Worlds(
            np.concatenate([private.hands, public.hands]),
            np.concatenate([(1 - share) * private.weights, share * public.weights]),
        )

    def probabilities(self, view: View) -> Probabilities:
        """The mixture of both (52, 4): for the table the cards of my hand may be elsewhere."""
        share, private = self.share(view), self.base.probabilities(view)
        if not share:
            return private
        return (1 - share) * private + share * PublicDeals(view).every.probabilities()


def _part(share: float, n: int) -> int:
    """How many of `n` worlds are public: none or all only where λ says so, or n does."""
    return round(share * n) if share in (0, 1) else min(max(round(share * n), 1), n - 1)


@dataclass(frozen=True)
class PublicDeals:
    """The deals that fit what the whole table knows, all equally likely."""

    view: View

    @cached_property
    def hidden(self) -> CardSet:
        """The cards that the table has not seen."""
        return self.view.unseen | self.view.hand

    @cached_property
    def every(self) -> Deals:
        """All of them."""
        return self._deals(self.hidden, list(self.view.hand_sizes))

    @cached_property
    def moves(self) -> dict[Card, CardSet]:
        """My moves, each with the cards that I cannot hold when I play it."""
        view, led = self.view, self.view.trick.led
        situation = {"first_trick": view.first_trick, "broken": view.broken}
        moves = members(root_moves(view))
        return {card: ruled_out(view.rules, card, led, **situation) for card in moves}

    def sample(self, n: int, rng: np.random.Generator) -> Worlds:
        """`n` of them; where I am to play, of those in which I could play one of my moves."""
        if not self.moves:
            return Worlds(self.every.draw(n, rng), np.full(n, 1 / n))
        deals = {card: self._with_move(card) for card in self.moves}
        drawn = [self._drawn(card, deals[card], times, rng) for card, times in self._shares(n, rng)]
        hands = np.concatenate(drawn)
        # How likely a deal is to come up: once for each move that it allows.
        own, chance = hands[:, self.view.seat], np.zeros(n)
        for card, barred in self.moves.items():
            playable = (own & np.uint64(bit(card)) > 0) & (own & np.uint64(barred) == 0)
            chance += playable / deals[card].number
        weights = 1 / chance
        return Worlds(hands, weights / weights.sum())

    def _shares(self, n: int, rng: np.random.Generator) -> Iterator[tuple[Card, int]]:
        """How many deals are drawn for each move: as many for each, but for a random remainder."""
        times, rest = divmod(n, len(self.moves))
        extra = rng.permutation(len(self.moves)) < rest
        return zip(self.moves, (times + extra).tolist(), strict=True)

    def _drawn(self, card: Card, deals: Deals, n: int, rng: np.random.Generator) -> CardSets:
        hands = deals.draw(n, rng)
        hands[:, self.view.seat] |= np.uint64(bit(card))
        return hands

    def _with_move(self, card: Card) -> Deals:
        """The deals in which the viewer could play a card, which is left out of them."""
        sizes = list(self.view.hand_sizes)
        sizes[self.view.seat] -= 1
        return self._deals(self.hidden & ~bit(card), sizes, self.moves[card])

    def _deals(self, cards: CardSet, sizes: list[int], barred: CardSet = 0) -> Deals:
        """The deals of some cards to hands of these sizes, the viewer's without those barred."""
        view = self.view
        allowed = [cards & ~shown for shown in view.shown]
        allowed[view.seat] &= ~barred
        gone = cards & ~view.still_held if view.gone else 0
        return Deals.of([gone, *allowed], [view.gone, *sizes])

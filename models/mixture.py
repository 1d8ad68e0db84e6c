"""Mixture of a private and a public belief: (1 − λ) × private + λ × public.

The private belief is conditioned on everything that a seat knows. The public one is conditioned on
what all seats know: plays and voids of every seat, but no passes and no hand. In its worlds the
viewer may hold other cards than it does. A search over the mixture reveals less about the hand
(Arjonilla, Saffidine and Cazenave, 2024).

The viewer can only play a card that it really holds, so only public deals in which one of its moves
is legal are of use. They are sampled without rejection: for each move the deals in which it is
legal are counted and sampled uniformly. A deal that allows several moves can be drawn for each of
them; importance weights correct for that.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hearts.engine.beliefs import (
    Belief,
    LimitedBelief,
    Probabilities,
    Worlds,
    load_belief,
    sample_worlds,
)
from hearts.engine.bridge.worlds import root_moves
from hearts.engine.clock import UNLIMITED, Limit
from hearts.game.cards import RANKS, Card, CardSet, bit, members
from hearts.game.errors import InvalidConfig
from hearts.game.legality import ruled_out
from hearts.views.view import View
from models.deals import CardSets, Deals

NAME = "mixture"
DEFAULT_SHARE = "0.3"
DEFAULT_BASE = "OM-1"


def mixture(share: str = DEFAULT_SHARE, base: str = DEFAULT_BASE) -> "MixtureBelief":
    """Create a mixture with a constant λ (`0.3`), or with a linear schedule (`0.5-0.1`)."""
    if base == NAME:
        raise InvalidConfig("belief", f"the base of a {NAME} cannot be another {NAME}")
    first, dash, last = share.partition("-")
    ends = _share(first), _share(last if dash else first)
    return MixtureBelief(*ends, load_belief(base))


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        reason = f"{text!r} is not a share of a {NAME}: use a number from 0 to 1, or two as 0.5-0.1"
        raise InvalidConfig("belief", reason)
    return value


@dataclass(frozen=True)
class MixtureBelief:
    """With probability λ the public belief, otherwise a base belief."""

    first: float  # λ at the first trick
    last: float  # λ at the thirteenth
    base: Belief

    def share(self, view: View) -> float:
        """The λ of a view; 0 while cards are passed, since passes are not public."""
        if view.passing:
            return 0.0
        progress = min(RANKS - view.round_size, RANKS - 1) / (RANKS - 1)
        return self.first + (self.last - self.first) * progress

    def sample(self, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """Sample `n` worlds; about λ · n of them are public, with the total weight λ."""
        return self.sample_within(UNLIMITED, view, n, rng)

    def sample_within(self, limit: Limit, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """Sample `n` worlds; the limit is that of the base belief."""
        share = self.share(view)
        number = _public_worlds(share, n)
        if not number:
            return sample_worlds(self.base, view, n, rng, limit)
        public = PublicDeals(view).sample(number, rng)
        if number == n:
            return public
        private = sample_worlds(self.base, view, n - number, rng, limit)
        return Worlds(
            np.concatenate([private.hands, public.hands]),
            np.concatenate([(1 - share) * private.weights, share * public.weights]),
            private.replaced,
        )

    def probabilities(self, view: View) -> Probabilities:
        """The mixture (52, 4); in the public part the viewer's hand is not fixed."""
        return self._mixed(view, self.base.probabilities(view))

    def probabilities_within(self, limit: Limit, view: View) -> Probabilities:
        """The mixture with what the base belief finds until a limit."""
        if isinstance(self.base, LimitedBelief):
            return self._mixed(view, self.base.probabilities_within(limit, view))
        return self.probabilities(view)

    def _mixed(self, view: View, private: Probabilities) -> Probabilities:
        share = self.share(view)
        if not share:
            return private
        return (1 - share) * private + share * PublicDeals(view).every.probabilities()


def _public_worlds(share: float, n: int) -> int:
    """The number of public worlds among `n`: at least one of each kind if 0 < λ < 1 and n > 1."""
    return round(share * n) if share in (0, 1) else min(max(round(share * n), 1), n - 1)


@dataclass(frozen=True)
class PublicDeals:
    """The deals that fit the public information, all equally likely."""

    view: View

    @cached_property
    def hidden(self) -> CardSet:
        """The cards that are not public."""
        return self.view.unseen | self.view.hand

    @cached_property
    def every(self) -> Deals:
        """All public deals."""
        return self._deals(self.hidden, list(self.view.hand_sizes))

    @cached_property
    def moves(self) -> dict[Card, CardSet]:
        """The viewer's moves, each with the cards that would make it illegal."""
        view, led = self.view, self.view.trick.led
        situation = {"first_trick": view.first_trick, "broken": view.broken}
        moves = members(root_moves(view))
        return {card: ruled_out(view.rules, card, led, **situation) for card in moves}

    def sample(self, n: int, rng: np.random.Generator) -> Worlds:
        """Sample `n` deals; if the viewer is to play, deals in which one of its moves is legal."""
        if not self.moves:
            return Worlds(self.every.draw(n, rng), np.full(n, 1 / n))
        deals = {card: self._with_move(card) for card in self.moves}
        drawn = [self._drawn(card, deals[card], times, rng) for card, times in self._shares(n, rng)]
        hands = np.concatenate(drawn)
        # A deal can be drawn for each move that it allows: its weight is 1 / density.
        own, density = hands[:, self.view.seat], np.zeros(n)
        for card, barred in self.moves.items():
            playable = (own & np.uint64(bit(card)) > 0) & (own & np.uint64(barred) == 0)
            density += playable / deals[card].number
        weights = 1 / density
        return Worlds(hands, weights / weights.sum())

    def _shares(self, n: int, rng: np.random.Generator) -> Iterator[tuple[Card, int]]:
        """The number of deals to draw for each move: n / moves, the remainder at random."""
        times, rest = divmod(n, len(self.moves))
        extra = rng.permutation(len(self.moves)) < rest
        return zip(self.moves, (times + extra).tolist(), strict=True)

    def _drawn(self, card: Card, deals: Deals, n: int, rng: np.random.Generator) -> CardSets:
        """Sample `n` deals, with `card` added to the viewer's hand."""
        hands = deals.draw(n, rng)
        hands[:, self.view.seat] |= np.uint64(bit(card))
        return hands

    def _with_move(self, card: Card) -> Deals:
        """The deals in which the viewer could play a card, without that card."""
        sizes = list(self.view.hand_sizes)
        sizes[self.view.seat] -= 1
        return self._deals(self.hidden & ~bit(card), sizes, self.moves[card])

    def _deals(self, cards: CardSet, sizes: list[int], barred: CardSet = 0) -> Deals:
        """The deals of some cards to hands of these sizes, the viewer's hand without `barred`."""
        view = self.view
        allowed = [cards & ~shown for shown in view.publicly_denied]
        allowed[view.seat] &= ~barred
        gone = cards & ~view.still_held if view.gone else 0
        return Deals.of([gone, *allowed], [view.gone, *sizes])

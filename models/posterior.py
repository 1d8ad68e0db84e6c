"""The posterior over the deals of one view, sampled by MCMC."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Probabilities, Worlds
from hearts.engine.clock import UNLIMITED, Limit
from hearts.game.cards import SUIT_MASK, count, index_of, members
from hearts.kernels.beliefs.likelihood import PLAYERS, Evidence, SuitCache
from hearts.kernels.beliefs.mcmc import begin_chain, continue_chain, world_likelihoods
from hearts.kernels.beliefs.selection import herd, rake
from hearts.views.view import View
from models.player_types import TypeBook
from models.styles import Floats
from models.voids import VoidBelief

Types = NDArray[np.int64]  # (n, 3): types of the others, see models.player_types
VOIDS = VoidBelief()
VOIDS_SHARE = 0.02  # share of worlds from OM-1, so that no possible deal is excluded
CANDIDATES = 8  # chain states per selected world
MAX_COMPARISONS = 20_000  # candidates × selected worlds: about half a millisecond of herding
RAKING_ITERATIONS = 6
# Chain states that may be resampled: a network takes 12 µs for one (Intel Xeon, 2.5 GHz).
LEAST_RESAMPLED, MOST_RESAMPLED = 200, 500
MIN_EFFECTIVE = 0.6  # effective sample size per world that raking must leave
CARD_SET_BITS = 64
SLICE = 1_000  # steps between two checks of the time: about 0.7 ms


@dataclass(frozen=True)
class ChainConfig:
    """Length and proposals of the chains."""

    steps: int  # of all chains together
    chains: int = 2  # each from a start of its own
    starts: int = 16  # worlds of OM-1, among which starts are drawn by likelihood
    burn_in: int = 200  # steps of a chain before its first sample
    swaps: int = 8  # the most swaps in one proposal
    type_interval: int = 24  # steps from one Gibbs step over types to the next

    def thinning(self, chains: int, n: int) -> int:
        """The steps from one of `n` samples to the next."""
        return max(1, (self.steps - chains * self.burn_in) // n)


@dataclass(frozen=True)
class ChainSamples:
    """Thinned states of the chains, and marginals over all of their steps.

    There are fewer states than asked for, perhaps none, if the chains were ended early.
    """

    hands: NDArray[np.uint64]  # (n, 3): the hands of the others, in order of play
    types: NDArray[np.int64]  # (n, 3): their types
    marginals: Floats  # (free cards, 3): the share of steps at which a player held a card
    acceptance: float  # the share of proposals that were accepted


Resample = Callable[["DealPosterior", ChainSamples, int], ChainSamples]


@dataclass(frozen=True)
class DealPosterior:
    """P(deal | actions of the others) ∝ P(actions | deal), over the deals of OM-1."""

    view: View
    book: TypeBook
    evidence: Evidence

    @property
    def is_flat(self) -> bool:
        """Whether it equals OM-1: no evidence, or no uncertainty."""
        silent = not len(self.evidence.contexts) and bool((self.evidence.source < 0).all())
        return silent or not len(self.free)

    @cached_property
    def free(self) -> NDArray[np.int64]:
        """The hidden cards that more than one of the others may hold."""
        a, b, c = (self.view.possible[seat] for seat in self.view.others)
        return np.array(list(members(a & b | a & c | b & c)), dtype=np.int64)

    @property
    def indices(self) -> list[int]:
        """The rows of the free cards in an array over the deck (52, …)."""
        return [index_of(int(card)) for card in self.free]

    @cached_property
    def cache(self) -> SuitCache:
        """An empty cache with an entry for every set of cards that a suit of a hand can be."""
        sizes = [
            [1 << count(self.view.possible[seat] & suit) for suit in SUIT_MASK]
            for seat in self.view.others
        ]
        ends = np.cumsum(sizes)
        most = int((self.evidence.start[1:] - self.evidence.opened).max())
        return SuitCache(
            base=(ends - np.ravel(sizes)).reshape(PLAYERS, len(SUIT_MASK)),
            lookup=np.full(ends[-1], -1, dtype=np.int32),
            entries=np.empty((ends[-1], self.book.style_count, 1 + most)),
            used=np.zeros(1, dtype=np.int64),
        )

    def likelihoods(self, hands: NDArray[np.uint64], seed: int = 0) -> Floats:
        """The likelihood of worlds (n, 3); hidden passes are drawn once for each."""
        result = np.empty(len(hands))
        types = self.book.arrays
        world_likelihoods(self.evidence, types, self.cache, hands, np.uint64(seed), result)
        return result

    def smoothed(self, marginals: Floats, plain: Probabilities) -> Floats:
        """Marginals of the free cards (cards, 3), mixed with a small share of OM-1 (52, 4)."""
        of_cards = plain[np.ix_(self.indices, self.view.others)]
        result: Floats = (1 - VOIDS_SHARE) * marginals + VOIDS_SHARE * of_cards
        return result

    def sample(
        self,
        config: ChainConfig,
        hands: NDArray[np.uint64],
        rng: np.random.Generator,
        limit: Limit = UNLIMITED,
        *,
        resample: Resample | None = None,
    ) -> tuple[Worlds, Types] | None:
        """Replace all but a few of the worlds of OM-1 (n, 4) by chain states, and weight them.

        `resample` may first make `n` other samples of those of the chain. Returns the worlds and
        the types of the others in them (n, 3); those of the few come from other states of the
        chain. None if the limit came before the first chain state.
        """
        n, others = len(hands), list(self.view.others)
        drawn, wanted = n - round(VOIDS_SHARE * n), min(CANDIDATES * n, MAX_COMPARISONS // n)
        wanted = max(n, wanted) if resample is None else _resampled(n)
        chain = self.run_chains(config, wanted, rng, limit)
        if not len(chain.hands):
            return None
        chain = chain if resample is None else resample(self, chain, n)
        target = self.smoothed(chain.marginals, VOIDS.probabilities(self.view))
        chosen = np.resize(np.arange(min(drawn, len(chain.hands))), drawn)
        taken = np.zeros(len(chain.hands), dtype=np.bool_)
        if len(chain.hands) > n:
            herd(chain.hands, self.free, target, np.empty_like(target), taken, chosen)
        hands[:drawn, others] = chain.hands[chosen]
        types = chain.types[np.resize(chosen, n)]
        return Worlds(hands, self._raked(hands[:, others].copy(), target)), types

    def _raked(self, hands: NDArray[np.uint64], target: Floats) -> Floats:
        """Weights of worlds (n, 3) under which the free cards have the marginals `target`."""
        n = len(hands)
        weights, scratch = np.empty(n), np.empty(n)
        least = MIN_EFFECTIVE * n
        rake(hands, self.free, target, RAKING_ITERATIONS, least, weights, scratch)
        return weights

    def run_chains(
        self, config: ChainConfig, n: int, rng: np.random.Generator, limit: Limit = UNLIMITED
    ) -> ChainSamples:
        """Run chains from worlds of OM-1 until they have `n` samples together, or to a limit."""
        starts, seeds = self._starts(config, rng)
        chains = min(config.chains, n)
        thinning = config.thinning(chains, n)
        counts = np.zeros((CARD_SET_BITS, PLAYERS))
        steps = np.array([config.burn_in, thinning, config.type_interval])
        numbers, hands = np.zeros(2), np.empty((n, PLAYERS), dtype=np.uint64)
        types, kept = np.empty((n, PLAYERS), dtype=np.int64), np.zeros(n, dtype=np.bool_)
        for chain, part in enumerate(np.array_split(np.arange(n), chains)):
            here = slice(part[0], part[-1] + 1)
            run = _Run(self, config, steps, hands[here], types[here], counts)
            found, done = run.until(limit, starts[chain], seeds[chain])
            numbers += found
            kept[part[: max(0, done - config.burn_in) // thinning]] = True
        proposed, accepted = numbers
        held = counts[self.free]
        marginals = held / np.maximum(held.sum(axis=1, keepdims=True), 1)
        return ChainSamples(hands[kept], types[kept], marginals, float(accepted / max(proposed, 1)))

    def _starts(
        self, config: ChainConfig, rng: np.random.Generator
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """A start (3,) and a seed for each chain: worlds of OM-1, drawn by likelihood."""
        others = list(self.view.others)
        worlds = VOIDS.sample(self.view, config.starts, rng).hands[:, others].copy()
        seeds = rng.integers(2**63, size=config.chains + 1, dtype=np.uint64)
        likelihoods = self.likelihoods(worlds, int(seeds[-1]))
        chosen = rng.choice(len(worlds), config.chains, p=likelihoods / likelihoods.sum())
        return worlds[chosen], seeds


def _resampled(n: int) -> int:
    """The number of chain states from which `n` samples are drawn."""
    return min(max(3 * n, LEAST_RESAMPLED), MOST_RESAMPLED)


@dataclass(frozen=True)
class _Run:
    """The arguments of one chain."""

    posterior: DealPosterior
    config: ChainConfig
    steps: NDArray[np.int64]
    worlds: NDArray[np.uint64]  # (n, 3): where its states go
    types: Types  # (n, 3): the types of the players in them
    counts: Floats

    def until(
        self, limit: Limit, start: NDArray[np.uint64], seed: np.uint64
    ) -> tuple[NDArray[np.float64], int]:
        """Run the chain until a limit.

        Return the numbers of proposals and of acceptances, and the steps done.
        """
        chain, stream = begin_chain(*self._model[:3], start, seed)
        numbers, done = np.zeros(2), 0
        end = int(self.steps[0] + self.steps[1] * len(self.worlds))
        size = SLICE if limit.deadline.is_set else end
        while done < end and not limit.is_over:
            span = done, min(done + size, end)
            stream, done, *found = continue_chain(
                *self._model, self.steps, span, np.uint64(stream), chain, self.worlds, self.types,
                self.counts, limit.stop,
            )  # fmt: skip
            numbers += found
        return numbers, done

    @property
    def _model(self) -> tuple[object, ...]:
        of = self.posterior
        return of.evidence, of.book.arrays, of.cache, of.free, self.config.swaps

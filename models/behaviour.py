"""OM-2: deals are weighted by the likelihood of the others' passes and plays."""

from functools import cache, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Probabilities, Worlds
from hearts.engine.clock import UNLIMITED, Limit
from hearts.game.cards import SEATS
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.game.rules import Rules
from hearts.game.trick import PastHands
from hearts.views.view import View
from models.decisions import Decisions
from models.evidence import evidence_of
from models.posterior import ChainConfig, DealPosterior
from models.styles import Floats, StyleBook, read_styles
from models.voids import VoidBelief

VOIDS = VoidBelief()
MAX_WORLDS = 1_000  # distinct worlds; larger samples repeat them
STYLE_CHANGE = 0.05  # floor of the style posterior: a player may change its style between hands
CACHED_MATCHES = 64  # style posteriors that are kept

MOVE = ChainConfig(steps=14_000)  # 9 ms of CPU at the sixth trick
ANALYSIS = ChainConfig(steps=50_000)  # 24 ms


class BehaviourBelief:
    """The posterior P(deal | history) ∝ P(history | deal) · OM-1(deal), sampled by MCMC."""

    def __init__(
        self,
        *,
        book: StyleBook | None = None,
        move: ChainConfig = MOVE,
        analysis: ChainConfig = ANALYSIS,
    ) -> None:
        self.book = book or shipped_styles()
        self.move = move  # for `sample`
        self.analysis = analysis  # for `probabilities`
        self.style_posterior = lru_cache(CACHED_MATCHES)(partial(style_posterior, self.book))

    def sample(self, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """Sample `n` weighted worlds whose card marginals are those of the whole chain."""
        return self.sample_within(UNLIMITED, view, n, rng)

    def sample_within(self, limit: Limit, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """Sample `n` worlds; those of OM-1 if the limit comes before the first chain state."""
        distinct = min(n, MAX_WORLDS)
        plain = VOIDS.sample(view, distinct, rng)
        posterior = self.posterior(view)
        found = posterior.sample(self.move, plain.hands, rng, limit) if posterior else plain
        worlds = found or plain
        # Shuffle: a search that runs out of time uses the first worlds only.
        order = np.resize(rng.permutation(distinct), n)
        weights = worlds.weights[order]
        return Worlds(worlds.hands[order], weights / weights.sum(), replaced=found is None)

    def probabilities(self, view: View) -> Probabilities:
        """The probability that each seat holds each card now (52, 4)."""
        return self.probabilities_within(UNLIMITED, view)

    def probabilities_within(self, limit: Limit, view: View) -> Probabilities:
        """The same from the steps before a limit; those of OM-1 if there are none."""
        plain = VOIDS.probabilities(view)
        posterior = self.posterior(view)
        if posterior is None:
            return plain
        rng = np.random.default_rng(int(view.fingerprint, 16))
        chain = posterior.run_chains(self.analysis, self.analysis.chains, rng, limit)
        if not chain.marginals.any():
            return plain
        result = plain.copy()
        cells = np.ix_(posterior.indices, view.others)
        result[cells] = posterior.smoothed(chain.marginals, plain)
        return result

    def log_weights(self, view: View, hands: NDArray[np.uint64], seed: int = 0) -> Floats:
        """The log-likelihood of worlds (n, 4), up to a constant."""
        posterior = self.posterior(view)
        if posterior is None:
            return np.zeros(len(hands))
        likelihoods = posterior.likelihoods(hands[:, list(view.others)].copy(), seed)
        logs: Floats = np.log(likelihoods)
        return logs

    def posterior(self, view: View) -> DealPosterior | None:
        """The posterior over the deals of a view; None if it equals OM-1."""
        if view.passing or view.partial or view.finished:
            return None
        styles = self.style_posterior(view.rules, view.earlier)[list(view.others)]
        found = DealPosterior(view, self.book, evidence_of(view, styles, self.book))
        return None if found.is_flat else found


@cache
def shipped_styles() -> StyleBook:
    """The style book that comes with the program."""
    return read_styles()


def style_posterior(book: StyleBook, rules: Rules, earlier: PastHands) -> Floats:
    """The relative likelihood of each style for each seat (4, S), from its plays in earlier hands.

    The best style of a seat has 1. Passes do not count: only the giver and the receiver saw them.
    """
    if not earlier:
        return np.ones((SEATS, len(book.weights)))
    decisions = Decisions.of([Record(Deal.over(rules, tricks)) for tricks in earlier])
    plays = [decisions.log_likelihoods(style).sum(axis=1) for style in book.weights]
    of_hands = book.powers * np.stack(plays, axis=1) + decisions.actions @ book.log_corrections.T
    logs = of_hands.reshape(len(earlier), SEATS, -1).sum(axis=0)
    relative = np.exp(logs - logs.max(axis=1, keepdims=True))
    result: Floats = (1 - STYLE_CHANGE) * relative + STYLE_CHANGE
    return result

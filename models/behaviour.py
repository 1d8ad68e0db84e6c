"""OM-2: deals are weighted by the likelihood of the others' passes and plays."""

from functools import cache, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Probabilities, Worlds
from hearts.engine.clock import UNLIMITED, Limit
from hearts.views.view import View
from models.earlier import type_posterior
from models.evidence import evidence_of
from models.player_types import TypeBook
from models.posterior import ChainConfig, ChainSamples, DealPosterior, Resample, Types
from models.styles import Floats, StyleBook, read_styles
from models.voids import VoidBelief

VOIDS = VoidBelief()
MAX_WORLDS = 1_000  # distinct worlds; larger samples repeat them
CACHED_MATCHES = 64  # type posteriors that are kept

MOVE = ChainConfig(steps=14_000)  # 9 ms of CPU at the sixth trick
ANALYSIS = ChainConfig(steps=50_000)  # 24 ms


class BehaviourBelief:
    """The posterior P(deal | history) ∝ P(history | deal) · OM-1(deal), sampled by MCMC."""

    policies: tuple[str, ...] = ()  # that an opponent may follow, beside the styles

    def __init__(
        self,
        *,
        book: StyleBook | None = None,
        move: ChainConfig = MOVE,
        analysis: ChainConfig = ANALYSIS,
    ) -> None:
        self.types = TypeBook(book or shipped_styles(), self.policies)
        self.move = move  # for `sample`
        self.analysis = analysis  # for `probabilities`
        self.type_posterior = lru_cache(CACHED_MATCHES)(partial(type_posterior, self.types))

    def sample(self, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """Sample `n` weighted worlds whose card marginals are those of the whole chain."""
        return self.sample_within(UNLIMITED, view, n, rng)

    def sample_within(self, limit: Limit, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """Sample `n` worlds; those of OM-1 if the limit comes before the first chain state."""
        return self.sample_with_types(limit, view, n, rng)[0]

    def sample_with_types(
        self, limit: Limit, view: View, n: int, rng: np.random.Generator
    ) -> tuple[Worlds, Types | None]:
        """Sample `n` worlds, and the types of the others in each (n, 3); None without a chain."""
        distinct = min(n, MAX_WORLDS)
        plain = VOIDS.sample(view, distinct, rng)
        posterior = self.posterior(view)
        found = None
        if posterior:
            found = posterior.sample(
                self.move, plain.hands, rng, limit, resample=self.resampling(rng)
            )
        worlds, types = found or (plain, None)
        # Shuffle: a search that runs out of time uses the first worlds only.
        order = np.resize(rng.permutation(distinct), n)
        weights = worlds.weights[order]
        replaced = posterior is not None and found is None
        sampled = Worlds(worlds.hands[order], weights / weights.sum(), replaced=replaced)
        return sampled, None if types is None else types[order]

    def probabilities(self, view: View) -> Probabilities:
        """The probability that each seat holds each card now (52, 4)."""
        return self.probabilities_within(UNLIMITED, view)

    def probabilities_within(self, limit: Limit, view: View) -> Probabilities:
        """The same from the steps before a limit; those of OM-1 if there are none."""
        return self.analyse(limit, view, self.analysis.chains)[0]

    def analyse(
        self, limit: Limit, view: View, n: int
    ) -> tuple[Probabilities, ChainSamples | None]:
        """The probabilities, and `n` samples of the long chain behind them, if there is one."""
        plain = VOIDS.probabilities(view)
        posterior = self.posterior(view)
        if posterior is None:
            return plain, None
        rng = np.random.default_rng(int(view.fingerprint, 16))
        chain = posterior.run_chains(self.analysis, n, rng, limit)
        if not chain.marginals.any():
            return plain, None
        resample = self.resampling(rng)
        if resample and len(chain.hands):
            chain = resample(posterior, chain, n)
        result = plain.copy()
        cells = np.ix_(posterior.indices, view.others)
        result[cells] = posterior.smoothed(chain.marginals, plain)
        return result, chain

    def resampling(self, _: np.random.Generator) -> Resample | None:
        """How states of the chain are resampled; not at all for OM-2."""
        return None

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
        evidence = evidence_of(view, self.known_types(view), self.types)
        found = DealPosterior(view, self.types, evidence)
        return None if found.is_flat else found

    def known_types(self, view: View) -> Floats:
        """The likelihood of each type of each of the others in earlier hands (3, types)."""
        of_seats: Floats = self.type_posterior(view.rules, view.earlier)
        return of_seats[list(view.others)]


@cache
def shipped_styles() -> StyleBook:
    """The style book that comes with the program."""
    return read_styles()

"""OM-3: deals and the opponents' types are sampled together, and types also play on."""

from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import BeliefReport, Probabilities, Worlds
from hearts.engine.bridge.policies import POLICIES
from hearts.engine.clock import Limit
from hearts.game.cards import SEATS
from hearts.kernels.policies.choose import NETWORK
from hearts.views.view import View
from models.behaviour import CACHED_MATCHES, BehaviourBelief
from models.network_types import SEARCH_LIKE, Earlier, log_advantages
from models.player_types import POLICY_TYPES
from models.posterior import ChainConfig, ChainSamples, DealPosterior, Resample, Types
from models.styles import Floats, StyleBook

# A step with a policy costs three times as much as one with a style, but fewer are needed: policies
# leave few deals. Types are drawn less often than in OM-2: each draw asks all policies.
MOVE = ChainConfig(steps=7_500, type_interval=48)
ANALYSIS = ChainConfig(steps=35_000, type_interval=48)
REPORTED = 2_000  # samples of the chain behind reported probabilities


class OpponentBelief(BehaviourBelief):
    """The posterior of deals and player types; in a world every opponent plays its type.

    Types are numbered as in the TypeBook; the number after its last one is the network.
    """

    policies = POLICY_TYPES
    network = SEARCH_LIKE

    def __init__(self, *, book: StyleBook | None = None) -> None:
        super().__init__(book=book, move=MOVE, analysis=ANALYSIS)
        self.earlier = lru_cache(CACHED_MATCHES)(partial(Earlier.of, self.network, self.types))

    def sample_within(self, limit: Limit, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """Sample `n` worlds with the policies by which their seats play on."""
        worlds, types = self.sample_with_types(limit, view, n, rng)
        if types is None and not view.earlier:
            return worlds  # nothing is known of anybody: all play on by our network
        if types is None:
            types = self._prior_types(view, n, rng)
        policies = np.full((n, SEATS), NETWORK, dtype=np.int64)
        policies[:, list(view.others)] = self._codes[types]
        return Worlds(worlds.hands, worlds.weights, worlds.replaced, policies)

    def probabilities_within(self, limit: Limit, view: View) -> Probabilities:
        """The probability that each seat holds each card now, from the steps before a limit."""
        return self.analyse(limit, view, REPORTED)[0]

    def report_within(self, limit: Limit, view: View) -> BeliefReport:
        """The probabilities of cards, and for each seat those of types, by what such players do."""
        probabilities, chain = self.analyse(limit, view, REPORTED)
        rng = np.random.default_rng(int(view.fingerprint, 16))
        types = self._prior_types(view, REPORTED, rng) if chain is None else chain.types
        found: list[dict[str, float]] = [{} for _ in range(SEATS)]
        for place, seat in enumerate(view.others):
            found[seat] = self._by_label(types[:, place])
        return BeliefReport(probabilities, tuple(found))

    def resampling(self, rng: np.random.Generator) -> Resample:
        """Resample states of the chain with the network as another type."""
        return partial(self._resample, rng)

    def _resample(
        self, rng: np.random.Generator, posterior: DealPosterior, chain: ChainSamples, n: int
    ) -> ChainSamples:
        """Draw `n` states by weight; some of the players with a style become the network."""
        view, styled = posterior.view, chain.types < self.types.style_count
        shares, others = self._network_shares(view), list(view.others)
        style_weights = self.earlier(view.rules, view.earlier).style_weights(self.types)[others]
        logs = log_advantages(self.network, posterior, style_weights, chain.hands)
        ratios = shares / (1 - shares) * np.exp(logs)
        weights = np.where(styled, (1 - shares) * (1 + ratios), 1.0).prod(axis=1)
        weights /= weights.sum()
        drawn = _systematic(weights, n, rng)
        is_network = styled & (rng.random(ratios.shape) * (1 + ratios) < ratios)
        types = np.where(is_network, self.types.size, chain.types)
        held = chain.hands[:, None, :] >> posterior.free.astype(np.uint64)[:, None] & np.uint64(1)
        # All steps of the chain correct what the states say by luck (a control variate).
        weighted, luck = np.tensordot(weights, held, 1), chain.marginals - held.mean(axis=0)
        too_much = luck < -weighted
        share = (weighted[too_much] / -luck[too_much]).min(initial=1.0)
        marginals = weighted + share * luck
        return ChainSamples(chain.hands[drawn], types[drawn], marginals, chain.acceptance)

    def _network_shares(self, view: View) -> Floats:
        """How probable the network is for each of the others (3,) that follows no policy."""
        earlier = self.earlier(view.rules, view.earlier)
        return earlier.network_shares(self.network, self.types)[list(view.others)]

    def _by_label(self, types: NDArray[np.int64]) -> dict[str, float]:
        """The probability of each kind of player, most probable first."""
        counts = np.bincount(types, minlength=self.types.size + 1) / len(types)
        found = dict.fromkeys((*self.types.labels, self.network.label), 0.0)
        for label, share in zip((*self.types.labels, self.network.label), counts, strict=True):
            found[label] += float(share)
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    @cached_property
    def _codes(self) -> NDArray[np.int64]:
        """The policy by which each type plays on.

        A style is too slow for that, and a network that imitates searches plays worse than they do:
        our own network, the strongest policy, stands in for both.
        """
        names = self.types.policy_of
        known = [POLICIES[name].code if name else NETWORK for name in names]
        return np.array([*known, NETWORK])

    def _prior_types(self, view: View, n: int, rng: np.random.Generator) -> Types:
        """Types of the others (n, 3), drawn from what earlier hands say of them."""
        weights, known = self.types.table_weights, self.known_types(view)
        tables = (weights @ known.T).prod(axis=1)
        drawn = rng.choice(len(tables), n, p=tables / tables.sum())
        chances = np.cumsum(weights[drawn, None] * known, axis=2)  # (n, 3, types)
        points = rng.random(chances.shape[:2]) * chances[..., -1]
        types = np.asarray((chances < points[..., None]).sum(axis=2), dtype=np.int64)
        is_network = rng.random(types.shape) < self._network_shares(view)
        return np.where((types < self.types.style_count) & is_network, self.types.size, types)


def _systematic(weights: Floats, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw `n` indices by weight, each as often as expected but for rounding, in random order."""
    points = (np.arange(n) + rng.random()) / n
    drawn = np.searchsorted(np.cumsum(weights), points, side="right")
    return rng.permutation(np.minimum(drawn, len(weights) - 1))

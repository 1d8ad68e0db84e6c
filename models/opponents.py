"""OM-3: deals and the opponents' types are sampled together, and types also play on."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import BeliefReport, Worlds
from hearts.engine.bridge.policies import POLICIES
from hearts.engine.clock import Limit
from hearts.game.cards import SEATS
from hearts.kernels.policies.choose import NETWORK
from hearts.views.view import View
from models.behaviour import BehaviourBelief
from models.player_types import OTHER, POLICY_TYPES
from models.posterior import ChainConfig, Types
from models.stand_ins import STAND_INS, stand_in_shares
from models.styles import Floats, StyleBook

# A step with a policy costs three times as much as one with a style, but fewer are needed: policies
# leave few deals. Types are drawn less often than in OM-2: each draw asks all policies.
MOVE = ChainConfig(steps=9_000, type_interval=48)
ANALYSIS = ChainConfig(steps=35_000, type_interval=48)
REPORTED = 400  # samples of the chain from which the probabilities of types are counted


class OpponentBelief(BehaviourBelief):
    """The posterior of deals and player types; in a world every opponent plays its type."""

    policies = POLICY_TYPES

    def __init__(self, *, book: StyleBook | None = None) -> None:
        super().__init__(book=book, move=MOVE, analysis=ANALYSIS)

    def sample_within(self, limit: Limit, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """Sample `n` worlds with the policies by which their seats play on."""
        worlds, types = self.sample_with_types(limit, view, n, rng)
        if types is None:
            types = self._prior_types(view, n, rng)
        policies = np.full((n, SEATS), NETWORK, dtype=np.int64)
        shares = stand_in_shares(view, worlds.hands)
        for place, seat in enumerate(view.others):
            known = self._codes[types[:, place]]
            drawn = rng.choice(list(STAND_INS), n, p=shares[seat])
            policies[:, seat] = np.where(known >= 0, known, drawn)
        return Worlds(worlds.hands, worlds.weights, worlds.replaced, policies)

    def report_within(self, limit: Limit, view: View) -> BeliefReport:
        """The probabilities of cards, and for each seat those of types, by what such players do."""
        probabilities, chain = self.analyse(limit, view, REPORTED)
        rng = np.random.default_rng(int(view.fingerprint, 16))
        types = self._prior_types(view, REPORTED, rng) if chain is None else chain.types
        hands = np.zeros((0 if chain is None else len(chain.hands), SEATS), dtype=np.uint64)
        if chain is not None:
            hands[:, list(view.others)], hands[:, view.seat] = chain.hands, view.hand
        shares = stand_in_shares(view, hands)
        found: list[dict[str, float]] = [{} for _ in range(SEATS)]
        for place, seat in enumerate(view.others):
            found[seat] = self._by_label(types[:, place], shares[seat])
        return BeliefReport(probabilities, tuple(found))

    def _by_label(self, types: NDArray[np.int64], shares: Floats) -> dict[str, float]:
        """The probability of each kind of player, most probable first."""
        counts = np.bincount(types, minlength=self.types.size) / len(types)
        found = dict.fromkeys((*self.types.labels, *STAND_INS.values()), 0.0)
        for label, share in zip(self.types.labels, counts, strict=True):
            found[label] += float(share)
        other = found.pop(OTHER)
        for label, share in zip(STAND_INS.values(), shares, strict=True):
            found[label] += other * float(share)
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    @cached_property
    def _codes(self) -> NDArray[np.int64]:
        """The policy of each type; -1 for a style."""
        return np.array([POLICIES[name].code if name else -1 for name in self.types.policy_of])

    def _prior_types(self, view: View, n: int, rng: np.random.Generator) -> Types:
        """Types of the others (n, 3), drawn from what earlier hands say of them."""
        weights, known = self.types.table_weights, self.known_types(view)
        tables = (weights @ known.T).prod(axis=1)
        drawn = rng.choice(len(tables), n, p=tables / tables.sum())
        chances = np.cumsum(weights[drawn, None] * known, axis=2)  # (n, 3, types)
        points = rng.random(chances.shape[:2]) * chances[..., -1]
        return np.asarray((chances < points[..., None]).sum(axis=2), dtype=np.int64)

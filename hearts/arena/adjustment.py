"""Adjusted differences: the luck of the cards is estimated and left out, without bias.

The method is explained in docs/tournaments.md. It needs others whose policy is known exactly: they
are deterministic functions of what their seat knows, so that the deals that agree with their cards
can be sampled. A proxy plays for the focus player where results are predicted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hearts.arena.results import TWELFTHS, Table
from hearts.arena.seeds import derive_seed
from hearts.engine.bridge.network import shipped_stack
from hearts.engine.bridge.policies import POLICIES
from hearts.engine.bridge.state import rules_word
from hearts.game.cards import SEATS
from hearts.game.deal import Deal
from hearts.game.errors import InvalidConfig
from hearts.kernels.luck.advantages import deal_features, pass_advantage, play_advantages
from hearts.kernels.luck.values import FEATURES, RESULT, ROLLOUT
from hearts.kernels.policies.choose import NETWORK
from hearts.players.spec import ORACLE, RULE_BASED, Spec

NETWORK_PROXY = "network"
# Pnetworks that are policies too: deterministic, and the same as kernels (tests compare them).
EXACT = tuple(name for name in RULE_BASED if name in POLICIES)
LUCK = 1 << 20  # marks the seeds of adjustments among those of decisions

STAGES = FRESH, PASSES, PLAYS, UNADJUSTED = range(4)  # whose features are added

Features = NDArray[np.float64]  # (FEATURES,), in points: see hearts.kernels.luck.values

# Of the features, if the network is the proxy. Any weights are unbiased; these make the variance
# small. Fitted by hearts/training/luck.py: see docs/experiments/043-variance-reduction.md.
NETWORK_WEIGHTS = (
    1.0, 0.839,
    0.091, -0.386, 0.397, -0.087, -0.006, -0.116,
    0.142, 0.166, 0.400, 0.521, 0.173, 0.304,
    0.127, -0.093, 0.291, 0.264, -0.106, 0.058,
)  # fmt: skip


@dataclass(frozen=True)
class SampleSizes:
    """The number of deals that the means of an adjustment are taken over."""

    fresh: int = 300  # new deals, for the mean of the prediction
    passes: int = 200  # deals of the other cards, for each pass
    samples: int = 150  # deals of a chain, for each card
    thinning: int = 8  # steps of the chain between two samples


USUAL = SampleSizes()


@dataclass(frozen=True)
class Adjustment:
    """Predicts results of one kind of others, with a proxy for the focus player."""

    others: str  # a policy
    proxy: str  # a policy, or NETWORK_PROXY
    sizes: SampleSizes = field(default_factory=lambda: USUAL)

    @property
    def by_network(self) -> bool:
        """Whether the network plays for the focus player."""
        return self.proxy == NETWORK_PROXY

    @cached_property
    def weights(self) -> Features:
        """The weights (FEATURES,) of the prediction."""
        if self.by_network:
            return np.array(NETWORK_WEIGHTS)
        plain = np.zeros(FEATURES)
        plain[[RESULT, ROLLOUT]] = 1.0
        return plain

    def adjusted(self, features: Features) -> float:
        """The adjusted difference of a deal, in points per hand."""
        return float(np.dot(self.weights, features))

    def features(self, hands: Sequence[tuple[Table, Deal]], seed: int) -> Features:
        """The features of a deal: the mean over its tables, each with its finished hand."""
        sizes, totals = self.sizes, np.zeros((len(STAGES), FEATURES))
        for place, (table, deal) in enumerate(hands):
            self._add_table(table, deal, (seed, place), totals)
        # Totals of whole numbers are exact: equal players differ by exactly 0.
        counts = np.array([sizes.fresh, sizes.passes, sizes.samples, 1])
        means: Features = (totals / counts[:, None]).sum(axis=0)
        return means / (TWELFTHS * len(hands))

    def _add_table(self, table: Table, deal: Deal, seed: tuple[int, int], totals: Features) -> None:
        """Add the features of one hand, in twelfths, to the totals of each stage."""
        focus = np.array([seat in table.focus for seat in range(SEATS)])
        dealt, passed = (np.array(each, dtype=np.uint64) for each in (deal.dealt, deal.passes))
        plays = np.array([card for _, card in deal.plays], dtype=np.uint8)
        start = (int(deal.direction), deal.tricks[0].leader)
        seats = (self.by_network, focus, self._codes(focus), rules_word(deal.rules))
        sizes, networks = self.sizes, shipped_stack()
        # The same new deals in every seating, in which their luck cancels.
        fresh, own = (np.uint64(derive_seed(*each)) for each in ((seed[0], LUCK), (*seed, LUCK)))
        if not play_advantages(
            dealt, passed, *start, *seats, plays, sizes.samples, sizes.thinning, own, networks,
            totals[PLAYS],
        ):  # fmt: skip
            # Another seat has played a random card after a fault: its policy does not explain it.
            totals[UNADJUSTED, RESULT] += table.advantage
            return
        if deal.direction:
            pass_advantage(
                dealt, passed, *start, *seats, sizes.passes, own, networks, totals[PASSES]
            )
        deal_features(sizes.fresh, *start, *seats, fresh, networks, totals[FRESH])

    def _codes(self, focus: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The policies (4,) of the seats, as numbers of the kernels."""
        proxy = NETWORK if self.by_network else POLICIES[self.proxy].code
        return np.where(focus, proxy, POLICIES[self.others].code).astype(np.int64)


def adjustment_of(focus: Spec, others: Spec, proxy: str = "") -> Adjustment:
    """The adjustment for two players; without `proxy`, the focus' own policy or the network.

    Fail if there is none: the policy of the others must be known, and the focus player must not see
    the cards of the others.
    """
    if others.kind not in EXACT:
        known = ", ".join(EXACT)
        raise InvalidConfig("adjusted", f"the policy of {others} is not known; known are {known}")
    if focus.kind == ORACLE:
        raise InvalidConfig("adjusted", f"{focus} sees the cards of the others")
    proxy = proxy or (focus.kind if focus.kind in EXACT else NETWORK_PROXY)
    if proxy not in (NETWORK_PROXY, *EXACT):
        choices = ", ".join((NETWORK_PROXY, *EXACT))
        raise InvalidConfig("proxy", f"{proxy!r} is unknown; choose {choices}")
    return Adjustment(others.kind, proxy)

"""Trials of a pass: play hands out after it, by a playout policy or by the network."""

from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Worlds
from hearts.engine.bridge.network import LEAST_PROBABILITY, shipped, shipped_stack
from hearts.engine.bridge.playouts import epsilon_word, playout_code
from hearts.engine.bridge.policies import NO_EPSILON, all_network, network_passes_under
from hearts.engine.bridge.state import rules_word
from hearts.engine.config import SearchConfig
from hearts.engine.playouts import Playout
from hearts.engine.rewards import RewardScale, reward_scale
from hearts.game.cards import RANKS, members, set_of
from hearts.game.rules import PASS_SIZE
from hearts.kernels.core.statistics import COLUMNS
from hearts.kernels.network.rollouts import network_passes, pass_probabilities, roll_out_passes
from hearts.kernels.search.passing import other_passes, triple_nuisance, try_passes
from hearts.views.view import View

Triples = NDArray[np.uint64]  # sets of three cards

CANDIDATES = 32  # triples that are tried by playouts
NETWORK_CANDIDATES = 24  # triples that are tried by network rollouts, which are slower
MOON_CANDIDATES = 6  # of these, triples of low cards, which keep a moon possible
# Whole hands that a core plays in a millisecond, passes included.
PLAYOUTS_PER_MS = {
    Playout.UNIFORM: 1_800,
    Playout.EPSILON_GREEDY: 1_200,
    Playout.SHOOT_AWARE: 800,
    Playout.SOFTMAX: 600,
}
NOISE = 12.0  # in the opponents' heuristic passes, in tenths of a point


class Trials(Protocol):
    """A way to play hands out after a pass."""

    per_ms: int  # hands that a core plays in a millisecond, roughly: sizes a search by time
    batch_size: int  # worlds between two deadline checks
    candidates: Triples  # the triples to try, the most promising first

    def play(
        self, triples: Triples, worlds: Worlds, seed: np.uint64, pass_seed: np.uint64
    ) -> NDArray[np.float64]:
        """Play every world once after each triple; return the statistics (triples, 8)."""
        ...


def trials_of(view: View, config: SearchConfig) -> Trials:
    """Network trials if the config asks for rollouts and the network passes under these rules."""
    if config.algorithm == "rollouts" and network_passes_under(view.rules):
        return NetworkTrials(view, config)
    return PlayoutTrials(view, config)


class PlayoutTrials:
    """The opponents pass by a noisy heuristic, and all seats play by a playout policy."""

    batch_size = 64

    def __init__(self, view: View, config: SearchConfig) -> None:
        self.view, self.config = view, config
        self.per_ms = PLAYOUTS_PER_MS[Playout(config.playout)]
        triples, values = _all_triples(view), np.empty(_TRIPLES)
        rules, direction = rules_word(view.rules), np.uint64(view.direction)
        triple_nuisance(triples, np.uint64(view.hand), direction, rules, values)
        self.candidates = _best(triples, values, CANDIDATES)

    def play(
        self, triples: Triples, worlds: Worlds, seed: np.uint64, pass_seed: np.uint64
    ) -> NDArray[np.float64]:
        """Play every world once after each triple; return the statistics (triples, 8)."""
        view, rules = self.view, rules_word(self.view.rules)
        direction, passes = np.uint64(view.direction), np.empty_like(worlds.hands)
        other_passes(worlds.hands, view.seat, direction, rules, NOISE, pass_seed, passes)
        statistics, reward = np.zeros((len(triples), COLUMNS)), _reward(view, self.config)
        playout = playout_code(Playout(self.config.playout))
        epsilon = epsilon_word(self.config.epsilon)
        try_passes(
            triples, worlds.hands, passes, view.seat, direction, seed, rules, playout, epsilon,
            *reward.arguments, statistics,
        )  # fmt: skip
        return statistics


class NetworkTrials:
    """The opponents pass, and all seats play, by the network or by their types."""

    per_ms, batch_size = 25, 16

    def __init__(self, view: View, config: SearchConfig) -> None:
        self.view, self.config, self.networks = view, config, shipped_stack()
        probabilities = np.empty(RANKS)
        hand, direction = np.uint64(view.hand), np.uint64(view.direction)
        rules = rules_word(view.rules)
        pass_probabilities(hand, direction, rules, shipped().arrays, probabilities)
        # The network rates single cards: a triple is rated by the sum of their log probabilities.
        log_policy = np.log(probabilities + LEAST_PROBABILITY)
        values = log_policy[list(combinations(range(RANKS), PASS_SIZE))].sum(axis=1)
        self.candidates = _best(_all_triples(view), values, NETWORK_CANDIDATES)

    def play(
        self, triples: Triples, worlds: Worlds, seed: np.uint64, pass_seed: np.uint64
    ) -> NDArray[np.float64]:
        """Play every world once after each triple; return the statistics (triples, 8)."""
        view, rules = self.view, rules_word(self.view.rules)
        direction, passes = np.uint64(view.direction), np.empty_like(worlds.hands)
        policies = all_network(len(worlds)) if worlds.policies is None else worlds.policies
        network_passes(
            policies, worlds.hands, view.seat, direction, pass_seed, rules, self.networks, passes
        )
        statistics, reward = np.zeros((len(triples), COLUMNS)), _reward(view, self.config)
        roll_out_passes(
            policies, triples, worlds.hands, passes, view.seat, direction, seed, NO_EPSILON, rules,
            *reward.arguments, self.networks, statistics,
        )  # fmt: skip
        return statistics


_TRIPLES = 286  # 13 choose 3


def _all_triples(view: View) -> Triples:
    return np.array(
        [set_of(three) for three in combinations(members(view.hand), PASS_SIZE)], dtype=np.uint64
    )


def _best(triples: Triples, values: NDArray[np.float64], wanted: int) -> Triples:
    """The triples of highest value, and the MOON_CANDIDATES of lowest rank."""
    ranks = [sum(card & 15 for card in members(int(triple))) for triple in triples]
    shedding = np.argsort(-values, kind="stable")[: wanted - MOON_CANDIDATES]
    keeping = np.argsort(ranks, kind="stable")[:MOON_CANDIDATES]
    chosen: Triples = triples[list(dict.fromkeys([*shedding, *keeping]))]
    return chosen


def _reward(view: View, config: SearchConfig) -> RewardScale:
    # The relative reward overrates moons, because playouts do not stop them: it loses 0.6 points a
    # hand to the pass by rule, while the difference gains.
    kind = "difference" if config.reward == "relative" else config.reward
    return reward_scale(kind, view.rules, view.match_scores)

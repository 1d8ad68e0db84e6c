"""One search as kernel arguments, and the threads that share its worlds."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Worlds
from hearts.engine.bridge.playouts import epsilon_word, playout_code
from hearts.engine.bridge.state import States, rules_word
from hearts.engine.bridge.worlds import equal_cards, root_moves, shown_voids, world_states
from hearts.engine.clock import Deadline, Stop
from hearts.engine.config import ONE_TREE, SearchConfig
from hearts.engine.playouts import Playout
from hearts.engine.rewards import RewardScale, reward_scale
from hearts.engine.search.counterfactual import centred, useful
from hearts.engine.search.result import SearchResult, Statistics, Watch
from hearts.game.cards import SEATS, CardSet, count
from hearts.kernels.core.random import open_stream
from hearts.kernels.core.statistics import COLUMNS, VISITS
from hearts.kernels.policies.choose import DUCK, NETWORK
from hearts.kernels.search.tree import allowed_moves
from hearts.views.view import View

MAX_MOVES = 13
SMALL = 15  # unseen cards up to which equal worlds are common enough to merge them


@dataclass(frozen=True)
class Task:
    """The arguments of the kernels for one search."""

    config: SearchConfig
    moves: tuple[CardSet, ...]
    root: np.uint64
    states: States
    allowed: NDArray[np.uint64]  # (worlds,): the moves of the root that each world has
    weights: NDArray[np.float64]
    policies: NDArray[np.int64] | None  # (worlds, 4): see Worlds
    voids: np.uint64  # shown so far, one bit for a seat and a suit
    sampled: int  # number of sampled worlds, before equal ones are merged
    rules_word: np.uint64
    reward: RewardScale
    spread: float  # of the searching seat's rewards: see `RewardScale.spread`
    stop: Stop
    deadline: Deadline
    watch: Watch | None = None
    bonus: NDArray[np.float64] | None = None  # see SearchResult
    auxiliary_value: NDArray[np.float64] | None = None  # see SearchResult

    @classmethod
    def of(
        cls, view: View, worlds: Worlds, config: SearchConfig, stop: Stop, deadline: Deadline
    ) -> "Task":
        """The search of a view over some worlds."""
        distinct = _merged(worlds) if count(view.unseen) <= SMALL else worlds
        states = world_states(view, distinct)
        weights, policies = distinct.weights, distinct.policies
        root = np.uint64(root_moves(view))
        allowed = np.empty(len(states), dtype=np.uint64)
        allowed_moves(states, root, rules_word(view.rules), allowed)
        if not allowed.all():
            policies = None if policies is None else policies[allowed > 0]
            states, allowed, weights = useful(states, allowed, weights)
        reward = reward_scale(config.reward, view.rules, view.match_scores)
        return cls(
            config=config,
            moves=equal_cards(view),
            root=root,
            states=states,
            allowed=allowed,
            weights=weights,
            policies=policies,
            voids=shown_voids(view),
            sampled=len(worlds),
            rules_word=rules_word(view.rules),
            reward=reward,
            spread=float(reward.spread[view.seat]),
            stop=stop,
            deadline=deadline,
        )

    def new_statistics(self, worlds: int, *, exact: bool = False) -> Statistics:
        """Allocate the statistics of some worlds, and let the observer read them."""
        statistics = np.zeros((worlds, MAX_MOVES, COLUMNS))
        if self.watch is not None:
            self.watch.begin(lambda: self._so_far(statistics.copy(), exact))
        return statistics

    def _so_far(self, statistics: Statistics, exact: bool) -> SearchResult:
        return self.result(statistics, int(statistics[..., VISITS].sum()), exact=exact)

    def result(
        self, statistics: Statistics, simulations: int, *, exact: bool = False
    ) -> SearchResult:
        """The result of the search; a single tree counts as one world."""
        one_tree = self.config.algorithm in ONE_TREE and not exact
        statistics, complete = statistics[:, : len(self.moves)], self.allowed == self.root
        if not one_tree and not complete.all():
            statistics = centred(statistics, complete, self.weights)
        return SearchResult(
            moves=self.moves,
            statistics=statistics,
            weights=np.ones(1) if one_tree else self.weights,
            worlds=self.sampled,
            voters=1 if one_tree else self.sampled,
            simulations=simulations,
            exact=exact,
            bonus=None if exact else self.bonus,
            auxiliary_value=None if exact else self.auxiliary_value,
        )

    @cached_property
    def tree_policies(self) -> NDArray[np.int64]:
        """The policies (worlds, 4) that seats follow in trees; -1: that of the playouts."""
        if self.policies is None:
            return np.full((len(self.states), SEATS), -1, dtype=np.int64)
        own = (self.policies >= DUCK) & (self.policies < NETWORK)
        return np.where(own, self.policies, -1)

    @property
    def policy(self) -> tuple[int, np.uint64, float]:
        """Playout, ε and exploration constant."""
        playout, exploration = Playout(self.config.playout), self.config.c * self.spread
        return playout_code(playout), epsilon_word(self.config.epsilon), exploration

    @property
    def is_over(self) -> bool:
        """Whether the search was stopped, or its time is up."""
        return bool(self.stop[0]) or self.deadline.is_over

    @property
    def by_policy(self) -> bool:
        """Whether the opponents play by policy inside the tree."""
        return self.config.opponents == "policy"

    def seed(self, tree: int) -> np.uint64:
        """The random stream of one tree."""
        return np.uint64(open_stream(np.uint64(self.config.seed), np.uint64(tree)))


def _merged(worlds: Worlds) -> Worlds:
    """The worlds with equal ones merged and their weights added."""
    policies = worlds.policies
    keys = worlds.hands if policies is None else np.hstack([worlds.hands, policies.view(np.uint64)])
    keys, place = np.unique(keys, axis=0, return_inverse=True)
    weights = np.bincount(place.ravel(), weights=worlds.weights).astype(np.float64)
    if policies is None:
        return Worlds(keys, weights)
    return Worlds(keys[:, :SEATS].copy(), weights, policies=keys[:, SEATS:].astype(np.int64))


def over_parts(work: Callable[[slice], int], n: int, threads: int) -> list[int]:
    """Call `work` on slices of `n` worlds in threads; return the results in order."""
    threads = min(threads, n)
    if threads == 1:
        return [work(slice(0, n))]
    cuts = np.linspace(0, n, threads + 1).astype(int).tolist()
    slices = [slice(low, high) for low, high in pairwise(cuts)]
    return list(_pool(threads).map(work, slices))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="search")

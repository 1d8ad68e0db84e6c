"""One search as kernel arguments, and the threads that share its worlds."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Worlds
from hearts.engine.bridge.playouts import epsilon_word, playout_code
from hearts.engine.bridge.state import States, rules_word
from hearts.engine.bridge.worlds import equal_cards, root_moves, world_states
from hearts.engine.clock import Deadline, Stop
from hearts.engine.config import ONE_TREE, SearchConfig
from hearts.engine.playouts import Playout
from hearts.engine.rewards import RewardScale, reward_scale
from hearts.engine.search.counterfactual import centred, useful
from hearts.engine.search.result import SearchResult, Statistics, Watch
from hearts.game.cards import CardSet, count
from hearts.kernels.core.random import open_stream
from hearts.kernels.core.statistics import COLUMNS, VISITS
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
    sampled: int  # number of sampled worlds, before equal ones are merged
    rules_word: np.uint64
    reward: RewardScale
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
        states, weights = world_states(view, distinct), distinct.weights
        root = np.uint64(root_moves(view))
        allowed = np.empty(len(states), dtype=np.uint64)
        allowed_moves(states, root, rules_word(view.rules), allowed)
        if not allowed.all():
            states, allowed, weights = useful(states, allowed, weights)
        return cls(
            config=config,
            moves=equal_cards(view),
            root=root,
            states=states,
            allowed=allowed,
            weights=weights,
            sampled=len(worlds),
            rules_word=rules_word(view.rules),
            reward=reward_scale(config.reward, view.rules, view.match_scores),
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

    @property
    def policy(self) -> tuple[int, np.uint64, float]:
        """Playout, ε and exploration constant."""
        playout = Playout(self.config.playout)
        return playout_code(playout), epsilon_word(self.config.epsilon), float(self.config.c)

    @property
    def is_over(self) -> bool:
        """Whether the search was stopped, or its time is up."""
        return bool(self.stop[0]) or self.deadline.is_over

    @property
    def by_policy(self) -> bool:
        """Whether the opponents play by policy inside the tree."""
        return self.config.opponents == "policy"

    @property
    def reward_args(self) -> tuple[object, ...]:
        """The reward arguments of the kernels."""
        reward = self.reward
        return reward.kind, reward.scale, reward.scores, reward.target, reward.ahead

    def seed(self, tree: int) -> np.uint64:
        """The random stream of one tree."""
        return np.uint64(open_stream(np.uint64(self.config.seed), np.uint64(tree)))


def _merged(worlds: Worlds) -> Worlds:
    """The worlds with equal ones merged and their weights added."""
    hands, place = np.unique(worlds.hands, axis=0, return_inverse=True)
    weights = np.bincount(place.ravel(), weights=worlds.weights).astype(np.float64)
    return Worlds(hands, weights)


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

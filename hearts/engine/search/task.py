"""One search as the kernels see it: states, moves, rewards, clock; and work spread over threads."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Worlds
from hearts.engine.bridge.playouts import Playout, epsilon_word
from hearts.engine.bridge.state import States, rules_word
from hearts.engine.bridge.worlds import equal_cards, root_moves, world_states
from hearts.engine.clock import Deadline
from hearts.engine.config import ONE_TREE, SearchConfig
from hearts.engine.rewards import RewardScale, reward_scale
from hearts.engine.search.counterfactual import levelled, useful
from hearts.engine.search.result import Figures, Findings, Stop, Watch
from hearts.game.cards import CardSet, count
from hearts.kernels.core.random import open_stream
from hearts.kernels.core.statistics import COLUMNS, VISITS
from hearts.kernels.search.tree import allowed_moves
from hearts.views.view import View

MAX_MOVES = 13
SMALL = 15  # unseen cards, up to which equal worlds are common enough to look for them


@dataclass(frozen=True)
class Task:
    """Everything that the kernels need, in their words."""

    config: SearchConfig
    moves: tuple[CardSet, ...]
    root: np.uint64
    states: States
    allowed: NDArray[np.uint64]  # (worlds,): the moves of the root that each world has
    weights: NDArray[np.float64]
    sampled: int
    rules_word: np.uint64
    reward: RewardScale
    stop: Stop
    deadline: Deadline
    watch: Watch | None = None
    bonus: NDArray[np.float64] | None = None  # what speaks for the moves beside rollouts
    advice: NDArray[np.float64] | None = None  # of that, what a tree says

    @classmethod
    def of(
        cls, view: View, worlds: Worlds, config: SearchConfig, stop: Stop, deadline: Deadline
    ) -> "Task":
        hands, weights = worlds.hands, worlds.weights
        if count(view.unseen) <= SMALL:
            hands, place = np.unique(worlds.hands, axis=0, return_inverse=True)
            weights = np.bincount(place.ravel(), weights=worlds.weights).astype(np.float64)
        root, states = np.uint64(root_moves(view)), world_states(view, Worlds(hands, weights))
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

    def new_figures(self, worlds: int, *, exact: bool = False) -> Figures:
        """Room for the figures of some worlds; who watches sees them grow."""
        figures = np.zeros((worlds, MAX_MOVES, COLUMNS))
        if self.watch is not None:
            self.watch.begin(lambda: self._so_far(figures.copy(), exact))
        return figures

    def _so_far(self, figures: Figures, exact: bool) -> Findings:
        return self.findings(figures, int(figures[..., VISITS].sum()), exact=exact)

    def findings(self, figures: Figures, simulations: int, *, exact: bool = False) -> Findings:
        """The result, one row of weights per world; a single tree has one row."""
        one_tree = self.config.algorithm in ONE_TREE and not exact
        figures, complete = figures[:, : len(self.moves)], self.allowed == self.root
        if not one_tree and not complete.all():
            figures = levelled(figures, complete, self.weights)
        return Findings(
            moves=self.moves,
            figures=figures,
            weights=np.ones(1) if one_tree else self.weights,
            worlds=self.sampled,
            voters=1 if one_tree else self.sampled,
            simulations=simulations,
            exact=exact,
            bonus=None if exact else self.bonus,
            advice=None if exact else self.advice,
        )

    @property
    def policy(self) -> tuple[int, np.uint64, float]:
        """Playout, ε and exploration constant."""
        playout = Playout(self.config.playout)
        return playout.code, epsilon_word(self.config.epsilon), float(self.config.c)

    @property
    def is_over(self) -> bool:
        """Whether somebody has stopped the search, or its time is up."""
        return bool(self.stop[0]) or self.deadline.is_over

    @property
    def by_policy(self) -> bool:
        """Whether the others play by policy inside the tree."""
        return self.config.opponents == "policy"

    @property
    def rewarding(self) -> tuple[object, ...]:
        """The arguments that say what a finished hand is worth."""
        reward = self.reward
        return reward.kind, reward.scale, reward.scores, reward.target, reward.ahead

    def seed(self, tree: int) -> np.uint64:
        """The random stream of one tree."""
        return np.uint64(open_stream(np.uint64(self.config.seed), np.uint64(tree)))


def over_parts(work: Callable[[slice], int], n: int, threads: int) -> list[int]:
    """Do `work` on slices of `n` worlds, in threads."""
    threads = min(threads, n)
    if threads == 1:
        return [work(slice(0, n))]
    cuts = np.linspace(0, n, threads + 1).astype(int).tolist()
    parts = [slice(low, high) for low, high in pairwise(cuts)]
    return list(_pool(threads).map(work, parts))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="search")

"""Tree search: UCT on each world, or one tree over all worlds."""

from dataclasses import dataclass
from itertools import cycle

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.state import States
from hearts.engine.config import MAX_SIMULATIONS
from hearts.engine.search.result import Statistics
from hearts.engine.search.task import Task, over_parts
from hearts.kernels.search.tree import clear_tree, grow_forest, grow_tree

SLICE = 64  # simulations between two deadline checks
SIMULATIONS_PER_MS = 6_000  # more than a core can do: sizes the arrays of a search by time


class _Tree:
    """The arrays of a tree: see hearts.kernels.search.tree."""

    def __init__(self, nodes: int) -> None:
        self.links = np.empty((nodes, 4), dtype=np.uint32)
        self.stats = np.empty((nodes, 2))
        self.cards = np.empty((nodes, 2), dtype=np.uint64)
        self.nodes = int(clear_tree(self.links, self.cards))
        self.simulations = 0

    @property
    def arrays(self) -> tuple[object, ...]:
        return self.links, self.stats, self.cards


def trees(task: Task) -> tuple[Statistics, int]:
    """Grow a tree on each world, with a fixed number of simulations in total."""
    n = len(task.states)
    shares = np.full(n, task.config.simulations // n)
    shares[: task.config.simulations % n] += 1
    statistics = task.new_statistics(n)

    def grow(part: slice) -> int:
        tree = _Tree(int(shares.max()) + 1)
        done = grow_forest(
            task.states[part], task.tree_policies[part], task.voids, part.start, shares[part],
            np.uint64(task.config.seed), task.root, task.allowed[part], task.rules_word,
            *task.policy, task.by_policy, *task.reward.arguments, *tree.arrays, statistics[part],
            task.stop,
        )  # fmt: skip
        return int(done)

    return statistics, sum(over_parts(grow, n, task.config.threads))


def trees_in_time(task: Task) -> tuple[Statistics, int]:
    """Grow a tree on each world in turns until time is up."""
    assert task.config.time_ms is not None
    n, threads = len(task.states), task.config.threads
    expected = int(task.config.time_ms * SIMULATIONS_PER_MS * threads)
    nodes = min(expected, MAX_SIMULATIONS) // n + SLICE
    statistics = task.new_statistics(n)
    order = np.zeros(1, dtype=np.int64)

    def grow(part: slice) -> int:
        trees = {world: _Tree(nodes) for world in range(n)[part]}
        for world, tree in cycle(trees.items()):
            here = slice(world, world + 1)
            seed, own = task.seed(world), statistics[world]
            source = task.states[here], task.tree_policies[here], task.allowed[here]
            _grow(task, tree, _Source(*source, order, seed, own))
            if task.is_over:
                break
        return sum(tree.simulations for tree in trees.values())

    return statistics, sum(over_parts(grow, n, threads))


@dataclass(frozen=True)
class _Source:
    """The states that simulations of a tree start from, and the statistics they add to."""

    states: States
    policies: NDArray[np.int64]
    allowed: NDArray[np.uint64]
    order: NDArray[np.int64]
    seed: np.uint64
    statistics: NDArray[np.float64]


def _grow(task: Task, tree: _Tree, source: _Source, simulations: int = SLICE) -> None:
    """Run further simulations of a tree."""
    availability = task.config.algorithm == "ismcts"
    nodes, done = grow_tree(
        source.states, source.policies, task.voids, source.order, tree.simulations, simulations,
        source.seed, task.root, source.allowed, task.rules_word,
        *task.policy, availability, task.by_policy, *task.reward.arguments,
        *tree.arrays, tree.nodes, source.statistics, task.stop,
    )  # fmt: skip
    tree.nodes, tree.simulations = int(nodes), tree.simulations + int(done)


def one_tree(task: Task) -> tuple[Statistics, int]:
    """Grow one tree over all worlds; every iteration takes another world."""
    config = task.config
    statistics = task.new_statistics(1)
    order = world_order(task.weights, config.seed)
    worlds = task.states, task.tree_policies, task.allowed
    source = _Source(*worlds, order, task.seed(0), statistics[0])
    if config.time_ms is None:
        tree = _Tree(config.simulations + 1)
        _grow(task, tree, source, config.simulations)
        return statistics, tree.simulations
    tree = _Tree(min(int(config.time_ms * SIMULATIONS_PER_MS), MAX_SIMULATIONS))
    while True:  # at least once: on a busy machine time may already be up
        _grow(task, tree, source)
        if task.is_over:
            return statistics, tree.simulations


def world_order(weights: NDArray[np.float64], seed: int) -> NDArray[np.int64]:
    """The world of each iteration: systematic resampling by weight, shuffled."""
    n = len(weights)
    rng = np.random.default_rng([seed, n])
    points = (np.arange(n) + rng.random()) / n
    drawn = np.searchsorted(np.cumsum(weights), points * weights.sum(), side="right")
    return rng.permutation(np.minimum(drawn, n - 1)).astype(np.int64)

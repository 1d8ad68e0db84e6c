"""From worlds to figures: the search itself, without a word about where worlds come from."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from itertools import cycle, pairwise

import numpy as np
from numpy.typing import NDArray

from hearts.beliefs import Worlds
from hearts.cards import CardSet, count
from hearts.clock import Deadline
from hearts.config import MAX_SIMULATIONS, MAX_WORLDS, SearchConfig
from hearts.kernels.figures import FIGURES, VISITS
from hearts.kernels.random import open_stream
from hearts.kernels.reward import DIFFERENCE, POINTS
from hearts.kernels.solver import TABLE_SIZE, solve_worlds
from hearts.kernels.tree import allowed_moves, clear_tree, grow_forest, grow_tree
from hearts.other_hands import levelled, useful
from hearts.playout import Playout, States, epsilon_word, rules_word
from hearts.rewards import RewardScale, reward_scale
from hearts.states import equal_cards, root_moves, world_states
from hearts.view import View

MAX_MOVES = 13
SLICE = 64  # simulations between two looks at the clock
SIMULATIONS_PER_MS = 6_000  # more than a core can do: sizes the trees of a search by time
ONE_WORLD = 6  # cards a seat, up to which a single known world is solved: under 10 ms
SOLVED_AT_ONCE = 8  # worlds between two looks at the clock
SMALL = 15  # unseen cards, up to which equal worlds are common enough to look for them

Stop = NDArray[np.uint8]  # (1,): set it to 1, and a search returns what it has
Figures = NDArray[np.float64]  # (worlds, moves, 8): see hearts.kernels.figures


@dataclass(frozen=True)
class Findings:
    """What a search found out about the moves of a view."""

    moves: tuple[CardSet, ...]  # each a set of cards that are equal in play, from the lowest
    figures: Figures
    weights: NDArray[np.float64]  # (worlds,), sum 1
    worlds: int  # worlds that were sampled
    voters: int  # worlds with a tree of their own, equal ones counted; 1 for a single tree
    simulations: int
    exact: bool  # solved, not sampled


class Watch:
    """A look over the shoulder of a search that runs in another thread."""

    def __init__(self) -> None:
        self._look: Callable[[], Findings] | None = None

    def begin(self, look: Callable[[], Findings]) -> None:
        """Take from a search how its findings so far can be had."""
        self._look = look

    def findings(self) -> Findings | None:
        """What the search has found so far; None before it has begun."""
        return None if self._look is None else self._look()


def no_stop() -> Stop:
    """A stop flag that nobody sets."""
    return np.zeros(1, dtype=np.uint8)


def is_solved(view: View, config: SearchConfig) -> bool:
    """Whether the worlds of a view are solved exactly instead of searched."""
    if not config.endgame or view.first_trick:
        return False
    return view.round_size <= (max(config.endgame, ONE_WORLD) if is_known(view) else config.endgame)


def is_known(view: View) -> bool:
    """Whether the view leaves only one deal."""
    full = (count(view.possible[seat]) == view.hand_sizes[seat] for seat in view.others)
    return not view.gone and all(full)


def worlds_wanted(view: View, config: SearchConfig) -> int:
    """How many worlds a search asks its belief for."""
    if is_known(view):
        return 1
    if is_solved(view, config):
        return config.worlds
    if config.algorithm == "pimc":
        # A world without a simulation says nothing.
        most = config.simulations
        if config.time_ms is not None:
            most = max(1, int(config.time_ms * SIMULATIONS_PER_MS / 4 / SLICE))
        return min(config.worlds, most)
    # One tree takes a new world every iteration.
    return MAX_WORLDS if config.time_ms else min(config.simulations, MAX_WORLDS)


def search(
    view: View,
    worlds: Worlds,
    config: SearchConfig,
    *,
    stop: Stop | None = None,
    deadline: Deadline | None = None,
    watch: Watch | None = None,
) -> Findings:
    """Search the moves of the view over some worlds, until the deadline of a budget of time."""
    stop = no_stop() if stop is None else stop
    task = _Task.of(view, worlds, config, stop, deadline or Deadline(config))
    task = task if watch is None else replace(task, watch=watch)
    if is_solved(view, config):
        return task.findings(*_solve(task), exact=True)
    if config.algorithm == "pimc":
        return task.findings(*(_trees(task) if config.time_ms is None else _trees_in_time(task)))
    return task.findings(*_one_tree(task))


@dataclass(frozen=True)
class _Task:
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

    @classmethod
    def of(
        cls, view: View, worlds: Worlds, config: SearchConfig, stop: Stop, deadline: Deadline
    ) -> "_Task":
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
        figures = np.zeros((worlds, MAX_MOVES, FIGURES))
        if self.watch is not None:
            self.watch.begin(lambda: self._so_far(figures.copy(), exact))
        return figures

    def _so_far(self, figures: Figures, exact: bool) -> Findings:
        return self.findings(figures, int(figures[..., VISITS].sum()), exact=exact)

    def findings(self, figures: Figures, simulations: int, *, exact: bool = False) -> Findings:
        """The result, one row of weights per world; a single tree has one row."""
        one_tree = self.config.algorithm != "pimc" and not exact
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


class _Tree:
    """The arrays of a tree: see hearts.kernels.tree."""

    def __init__(self, nodes: int) -> None:
        self.links = np.empty((nodes, 4), dtype=np.uint32)
        self.stats = np.empty((nodes, 2))
        self.cards = np.empty((nodes, 2), dtype=np.uint64)
        self.nodes = int(clear_tree(self.links, self.cards))
        self.simulations = 0

    @property
    def arrays(self) -> tuple[object, ...]:
        return self.links, self.stats, self.cards


def _trees(task: _Task) -> tuple[Figures, int]:
    """A tree on each world, with a fixed number of simulations in all."""
    n = len(task.states)
    shares = np.full(n, task.config.simulations // n)
    shares[: task.config.simulations % n] += 1
    figures = task.new_figures(n)

    def grow(part: slice) -> int:
        tree = _Tree(int(shares.max()) + 1)
        done = grow_forest(
            task.states[part], part.start, shares[part], np.uint64(task.config.seed), task.root,
            task.allowed[part], task.rules_word, *task.policy, task.by_policy, *task.rewarding,
            *tree.arrays, figures[part], task.stop,
        )  # fmt: skip
        return int(done)

    return figures, sum(_over_parts(grow, n, task.config.threads))


def _trees_in_time(task: _Task) -> tuple[Figures, int]:
    """A tree on each world, all growing in turn until time is up."""
    assert task.config.time_ms is not None
    n, threads = len(task.states), task.config.threads
    expected = int(task.config.time_ms * SIMULATIONS_PER_MS * threads)
    nodes = min(expected, MAX_SIMULATIONS) // n + SLICE
    figures = task.new_figures(n)
    order = np.zeros(1, dtype=np.int64)

    def grow(part: slice) -> int:
        trees = {world: _Tree(nodes) for world in range(n)[part]}
        for world, tree in cycle(trees.items()):
            here = slice(world, world + 1)
            state, allowed = task.states[here], task.allowed[here]
            _grow(task, tree, _Source(state, allowed, order, task.seed(world), figures[world]))
            if task.is_over:
                break
        return sum(tree.simulations for tree in trees.values())

    return figures, sum(_over_parts(grow, n, threads))


@dataclass(frozen=True)
class _Source:
    """Where the simulations of a tree begin, and where their outcomes go."""

    states: States
    allowed: NDArray[np.uint64]
    order: NDArray[np.int64]
    seed: np.uint64
    figures: NDArray[np.float64]


def _grow(task: _Task, tree: _Tree, source: _Source, simulations: int = SLICE) -> None:
    """Go on with a tree for some simulations."""
    availability = task.config.algorithm == "ismcts"
    nodes, done = grow_tree(
        source.states, source.order, tree.simulations, simulations, source.seed,
        task.root, source.allowed, task.rules_word,
        *task.policy, availability, task.by_policy, *task.rewarding,
        *tree.arrays, tree.nodes, source.figures, task.stop,
    )  # fmt: skip
    tree.nodes, tree.simulations = int(nodes), tree.simulations + int(done)


def _one_tree(task: _Task) -> tuple[Figures, int]:
    """One tree over all worlds, a new one each iteration."""
    config = task.config
    figures = task.new_figures(1)
    order = world_order(task.weights, config.seed)
    source = _Source(task.states, task.allowed, order, task.seed(0), figures[0])
    if config.time_ms is None:
        tree = _Tree(config.simulations + 1)
        _grow(task, tree, source, config.simulations)
        return figures, tree.simulations
    tree = _Tree(min(int(config.time_ms * SIMULATIONS_PER_MS), MAX_SIMULATIONS))
    while True:  # at least once: a busy machine may lose a short time before the first
        _grow(task, tree, source)
        if task.is_over:
            return figures, tree.simulations


def world_order(weights: NDArray[np.float64], seed: int) -> NDArray[np.int64]:
    """Which world each iteration takes: each in proportion to its weight, in random order."""
    n = len(weights)
    rng = np.random.default_rng([seed, n])
    points = (np.arange(n) + rng.random()) / n
    drawn = np.searchsorted(np.cumsum(weights), points * weights.sum(), side="right")
    return rng.permutation(np.minimum(drawn, n - 1)).astype(np.int64)


def _solve(task: _Task) -> tuple[Figures, int]:
    """Every world solved exactly: one outcome for each move, for as many as there is time."""
    n = len(task.states)
    figures = task.new_figures(n, exact=True)
    # The other rewards do not add up over tricks; what they want is close to a difference.
    mode = POINTS if task.reward.kind == POINTS else DIFFERENCE
    table = np.zeros((2, TABLE_SIZE), dtype=np.uint64)
    for done in range(0, n, SOLVED_AT_ONCE):
        part = slice(done, done + SOLVED_AT_ONCE)
        solve_worlds(
            task.states[part], task.root, task.allowed[part], mode,
            task.rules_word, *task.rewarding, *table, figures[part],
        )  # fmt: skip
        if task.is_over:
            break
    return figures, int(figures[..., VISITS].sum())


def _over_parts(work: Callable[[slice], int], n: int, threads: int) -> list[int]:
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

"""`choose_pass`: the three cards that a seat should give, by a race between the likely ones."""

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Belief, Worlds, load_belief
from hearts.engine.bridge.playouts import Playout
from hearts.engine.bridge.state import rules_word
from hearts.engine.clock import Deadline
from hearts.engine.config import SearchConfig
from hearts.engine.difference import EQUAL, Difference, from_batches
from hearts.engine.passing.trials import Triples, trials_of
from hearts.engine.search.result import Stop
from hearts.game.cards import CardSet, names
from hearts.game.errors import IllegalMove
from hearts.game.rules import PassDirection, Rules
from hearts.kernels.core import statistics as column
from hearts.kernels.core.random import open_stream
from hearts.kernels.core.statistics import COLUMNS
from hearts.kernels.search.passing import pass_by_rule
from hearts.views.view import View

LEAST_PLAYOUTS = 16  # for each triple that enters the race
LEAST_SLICES = 20  # of a duel, however few playouts it may have: its error comes from them


@dataclass(frozen=True)
class PassCandidate:
    """What the race found out about one triple."""

    cards: CardSet
    playouts: int
    points: float  # mean points of the hand
    points_error: float
    moon: float  # how often it led to a moon of one's own
    score: float  # mean reward; the highest of those that lasted longest is passed

    def as_object(self) -> dict[str, Any]:
        """The figures as JSON has them, rounded."""
        rounded = {key: round(value, 4) for key, value in vars(self).items() if key != "cards"}
        return {"cards": names(self.cards), **rounded}


@dataclass(frozen=True)
class PassDecision:
    """Three cards, and why."""

    cards: CardSet
    candidates: tuple[PassCandidate, ...]  # best first; empty when passed by rule
    simulations: int
    seconds: float
    seed: int
    config: SearchConfig
    view: View
    cost: Difference | None = None  # what `also` costs more than these cards; None: not asked for


def rule_pass(hand: CardSet, direction: PassDirection, rules: Rules) -> CardSet:
    """The three cards that rules of thumb say: see hearts.kernels.search.passing."""
    word = rules_word(rules)
    return int(pass_by_rule(np.uint64(hand), np.uint64(direction), word, 0.0, np.uint64(0)))


def choose_pass(
    view: View,
    config: SearchConfig,
    *,
    belief: Belief | None = None,
    stop: Stop | None = None,
    also: CardSet = 0,
) -> PassDecision:
    """Choose three cards for the seat of a view in which cards are to be passed.

    `also` is a triple that races with the likely ones, so that it has figures to compare, and then
    meets the winner on new worlds: those of the race have made the winner look better than it is.
    """
    started, deadline = time.perf_counter(), Deadline(config)
    if not view.passing:
        raise IllegalMove(f"seat {view.seat} has no cards to pass")
    config = replace(config, playout=Playout(config.playout).under(view.rules).value)
    cards = rule_pass(view.hand, view.direction, view.rules)
    candidates: list[PassCandidate] = []
    cost, playouts = None, 0
    if config.passing == "search" or also:
        race = _Race(view, config, belief or load_belief(config.belief), stop, deadline)
        if config.passing == "search":
            candidates = race.run(also)
            cards = candidates[0].cards if race.playouts else cards
        cost = race.duel(also, cards) if also else None
        playouts = race.playouts
    return PassDecision(
        cards=cards,
        candidates=tuple(candidates),
        cost=cost,
        simulations=playouts,
        seconds=time.perf_counter() - started,
        seed=config.seed,
        config=config,
        view=view,
    )


def _triples(*triples: CardSet) -> Triples:
    return np.array(triples, dtype=np.uint64)


class _Race:
    """Sequential halving: a round plays the triples left on new worlds and drops the worse half."""

    def __init__(
        self,
        view: View,
        config: SearchConfig,
        belief: Belief,
        stop: Stop | None,
        deadline: Deadline,
    ) -> None:
        self.view, self.config, self.belief = view, config, belief
        self.stop, self.deadline = stop, deadline
        self.trials = trials_of(view, config)
        self.rng = np.random.default_rng(config.seed)
        self._enter(_triples())
        self.playouts = self.slices = 0

    def run(self, also: CardSet = 0) -> list[PassCandidate]:
        """Race until one triple is left, or time is up; all of them, best first."""
        self._enter(self.trials.likely, also)
        # With few playouts few triples race, the most likely ones: two at least.
        left = np.arange(len(self.triples))[: max(2, self._budget // LEAST_PLAYOUTS)]
        rounds = int(np.ceil(np.log2(len(left))))
        for _ in range(rounds):
            self._play_round(left, max(1, self._budget // rounds // len(left)))
            ranked = left[np.argsort(-self._means[left], kind="stable")]
            left = ranked[: (len(ranked) + 1) // 2]
        return self._candidates()

    def duel(self, one: CardSet, other: CardSet) -> Difference | None:
        """What one triple costs more than another on new worlds, the same for both.

        It has as much time as a race.
        """
        if one == other:
            return EQUAL
        deadline = Deadline(self.config)
        self._enter(_triples(one, other))
        size = min(self.trials.at_once, max(1, self._budget // 2 // LEAST_SLICES))
        gaps = []
        for _ in range(max(LEAST_SLICES, self._budget // 2 // size)):
            if self.stop is not None and self.stop[0]:
                return None
            before = self.figures[:, column.POINTS].copy()
            self._play(np.arange(2), size)
            given, kept = (self.figures[:, column.POINTS] - before) / size
            gaps.append(given - kept)
            if deadline.is_over and len(gaps) > 1:  # of a single one no error could be told
                break
        return from_batches(np.array(gaps))

    def _enter(self, triples: Triples, also: CardSet = 0) -> None:
        """Begin with some triples; `also` comes first, since the first are never left out."""
        others = triples[triples != np.uint64(also)]
        self.triples = np.concatenate([_triples(also), others]) if also else triples
        self.figures = np.zeros((len(self.triples), COLUMNS))

    def _play_round(self, left: NDArray[np.int64], worlds: int) -> None:
        """Play the triples that are left on new worlds, in slices between looks at the clock."""
        while worlds > 0 and not self._is_over:
            self._play(left, min(worlds, self.trials.at_once))
            worlds -= self.trials.at_once

    @property
    def _is_over(self) -> bool:
        return self.deadline.is_over or (self.stop is not None and bool(self.stop[0]))

    @property
    def _budget(self) -> int:
        if self.config.time_ms is None:
            return self.config.simulations
        return int(self.config.time_ms * self.trials.per_ms)

    @property
    def _means(self) -> NDArray[np.float64]:
        visits = np.maximum(self.figures[:, column.VISITS], 1)
        return np.asarray(self.figures[:, column.REWARD] / visits)

    def _play(self, left: NDArray[np.int64], n: int) -> None:
        """Play the triples that are left on `n` new worlds."""
        worlds: Worlds = self.belief.sample(self.view, n, self.rng)
        seeds = self._stream(2 * self.slices), self._stream(2 * self.slices + 1)
        self.figures[left] += self.trials.play(self.triples[left], worlds, *seeds)
        self.playouts += n * len(left)
        self.slices += 1

    def _stream(self, number: int) -> np.uint64:
        return np.uint64(open_stream(np.uint64(self.config.seed), np.uint64(number)))

    def _candidates(self) -> list[PassCandidate]:
        visits = np.maximum(self.figures[:, column.VISITS], 1)
        points = self.figures[:, column.POINTS] / visits
        variance = np.maximum(self.figures[:, column.SQUARES] / visits - points**2, 0)
        order = sorted(
            range(len(self.triples)),
            key=lambda i: (-self.figures[i, column.VISITS], -self._means[i]),
        )
        return [
            PassCandidate(
                cards=int(self.triples[i]),
                playouts=int(self.figures[i, column.VISITS]),
                points=float(points[i]),
                points_error=float(np.sqrt(variance[i] / visits[i])),
                moon=float(self.figures[i, column.MOON] / visits[i]),
                score=float(self._means[i]),
            )
            for i in order
        ]

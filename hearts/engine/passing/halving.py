"""Sequential halving over the triples that a seat may pass."""

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Belief, sample_worlds
from hearts.engine.clock import Deadline, Limit, Stop, no_stop
from hearts.engine.config import SearchConfig
from hearts.engine.difference import EQUAL, Difference, from_batches
from hearts.engine.passing.decision import PassCandidate
from hearts.engine.passing.trials import Triples, trials_of
from hearts.game.cards import CardSet
from hearts.kernels.core import statistics as column
from hearts.kernels.core.random import open_stream
from hearts.kernels.core.statistics import COLUMNS
from hearts.views.view import View

LEAST_PLAYOUTS = 16  # for each triple that is tried
LEAST_BATCHES = 20  # of a comparison: its standard error is estimated from them


class SequentialHalving:
    """Each stage plays the remaining triples on new worlds and drops the worse half."""

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
        self.limit = Limit(no_stop() if stop is None else stop, deadline)
        self.trials = trials_of(view, config)
        self.rng = np.random.default_rng(config.seed)
        self._begin(_triples())
        self.playouts = self.batches = 0

    def run(self, alternative: CardSet = 0) -> list[PassCandidate]:
        """Halve until one triple is left or time is up; return all candidates, best first."""
        self._begin(self.trials.candidates, alternative)
        # With few playouts only the most promising triples are tried, at least two.
        left = np.arange(len(self.triples))[: max(2, self._budget // LEAST_PLAYOUTS)]
        stages = int(np.ceil(np.log2(len(left))))
        for _ in range(stages):
            self._play_stage(left, max(1, self._budget // stages // len(left)))
            ranked = left[np.argsort(-self._means[left], kind="stable")]
            left = ranked[: (len(ranked) + 1) // 2]
        return self._candidates()

    def compare(self, one: CardSet, other: CardSet) -> Difference | None:
        """How many points more `one` costs than `other` on the same new worlds; None if stopped.

        The comparison has the same budget as `run`.
        """
        if one == other:
            return EQUAL
        deadline = Deadline(self.config)
        self._begin(_triples(one, other))
        size = min(self.trials.batch_size, max(1, self._budget // 2 // LEAST_BATCHES))
        gaps: list[float] = []
        for _ in range(max(LEAST_BATCHES, self._budget // 2 // size)):
            if self._is_stopped:
                return None
            gaps.append(self._gap(size))
            if deadline.is_over and len(gaps) > 1:  # a single batch gives no error
                break
        return from_batches(np.array(gaps))

    def _gap(self, worlds: int) -> float:
        """How many points more the first of two triples costs, on new worlds."""
        before = self.statistics[:, column.POINTS].copy()
        self._play(np.arange(2), worlds)
        one, other = (self.statistics[:, column.POINTS] - before) / worlds
        return float(one - other)

    def _begin(self, triples: Triples, alternative: CardSet = 0) -> None:
        """Begin with some triples; `alternative` comes first, so that it is always tried."""
        others = triples[triples != np.uint64(alternative)]
        self.triples = np.concatenate([_triples(alternative), others]) if alternative else triples
        self.statistics = np.zeros((len(self.triples), COLUMNS))

    def _play_stage(self, left: NDArray[np.int64], worlds: int) -> None:
        """Play the remaining triples on new worlds, with deadline checks between batches."""
        while worlds > 0 and not self._is_over:
            self._play(left, min(worlds, self.trials.batch_size))
            worlds -= self.trials.batch_size

    @property
    def _is_stopped(self) -> bool:
        return self.stop is not None and bool(self.stop[0])

    @property
    def _is_over(self) -> bool:
        return self.deadline.is_over or self._is_stopped

    @property
    def _budget(self) -> int:
        if self.config.time_ms is None:
            return self.config.simulations
        return int(self.config.time_ms * self.trials.per_ms)

    @property
    def _means(self) -> NDArray[np.float64]:
        """The mean reward of each triple."""
        visits = np.maximum(self.statistics[:, column.VISITS], 1)
        return np.asarray(self.statistics[:, column.REWARD] / visits)

    def _play(self, left: NDArray[np.int64], n: int) -> None:
        """Play the remaining triples on `n` new worlds."""
        worlds = sample_worlds(self.belief, self.view, n, self.rng, self.limit)
        seeds = self._stream(2 * self.batches), self._stream(2 * self.batches + 1)
        self.statistics[left] += self.trials.play(self.triples[left], worlds, *seeds)
        self.playouts += n * len(left)
        self.batches += 1

    def _stream(self, number: int) -> np.uint64:
        return np.uint64(open_stream(np.uint64(self.config.seed), np.uint64(number)))

    def _candidates(self) -> list[PassCandidate]:
        """The candidates, those with the most playouts first, then by mean reward."""
        means, visits = self._means, self.statistics[:, column.VISITS]
        order = sorted(range(len(self.triples)), key=lambda i: (-visits[i], -means[i]))
        return [self._candidate(i) for i in order]

    def _candidate(self, place: int) -> PassCandidate:
        statistics = self.statistics[place]
        visits = max(statistics[column.VISITS], 1)
        points = statistics[column.POINTS] / visits
        variance = max(statistics[column.SQUARES] / visits - points**2, 0)
        return PassCandidate(
            cards=int(self.triples[place]),
            playouts=int(statistics[column.VISITS]),
            points=float(points),
            points_error=float(np.sqrt(variance / visits)),
            moon=float(statistics[column.MOON] / visits),
            score=float(statistics[column.REWARD] / visits),
        )


def _triples(*triples: CardSet) -> Triples:
    return np.array(triples, dtype=np.uint64)

"""The results of hands among four networks, and the win probabilities that follow from them."""

from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.network import Network, shipped, stacked
from hearts.engine.bridge.policies import NO_EPSILON, all_network
from hearts.engine.bridge.state import rules_word
from hearts.engine.winning import FARTHEST, LEVELS, STEP, MatchModel, levels, model_of
from hearts.game.cards import SEATS
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, PassDirection
from hearts.kernels.core.random import open_stream
from hearts.kernels.core.winning import MatchTables, fill_wins
from hearts.kernels.network.rollouts import network_passes, play_hands

TARGET = 100  # only the distance of scores to the target matters
_NOBODY = -1  # a seat whose pass is already known


def match_model(hands: int, seed: int, network: Network | None = None) -> MatchModel:
    """Play hands, a quarter of them in each direction of passing, and compute the model."""
    points = _played(hands // len(PassDirection), seed, network or shipped())
    distinct, counts = np.unique(np.sort(points, axis=1), axis=0, return_counts=True)
    results = distinct.astype(np.int8)
    unsolved = MatchModel(results, counts, np.zeros((LEVELS, 0), dtype=np.uint16))
    return model_of(results, counts, solved_wins(*unsolved.results))


def _played(hands: int, seed: int, network: Network) -> NDArray[np.int64]:
    """The points (n, 4) of hands that the network plays in all four seats."""
    rules, found = rules_word(PASSING), []
    rng = np.random.default_rng(seed)
    networks, policies = stacked(network), all_network(hands)
    for direction in PassDirection:
        dealt = [Deal.random(PASSING, direction, rng).dealt for _ in range(hands)]
        cards, passes = np.array(dealt, dtype=np.uint64), np.zeros((hands, SEATS), dtype=np.uint64)
        streams = [
            np.uint64(open_stream(np.uint64(seed), np.uint64(2 * direction + i))) for i in range(2)
        ]
        way, points = np.uint64(direction), np.empty((hands, SEATS), dtype=np.int64)
        if direction is not PassDirection.HOLD:
            network_passes(policies, cards, _NOBODY, way, streams[0], rules, networks, passes)
        play_hands(policies, cards, passes, way, streams[1], NO_EPSILON, rules, networks, points)
        found.append(points)
    return np.concatenate(found)


def solved_wins(
    results: NDArray[np.int64], probabilities: NDArray[np.float64]
) -> NDArray[np.float32]:
    """The grid of win probabilities, by dynamic programming from the highest scores down.

    A hand raises some score by more than STEP, so that it always leads to levels that are done.
    """
    wins = np.zeros((LEVELS,) * SEATS, dtype=np.float32)
    tables = MatchTables(np.zeros((1, 1)), levels(TARGET, (0,) * SEATS), wins)
    places = np.array(list(combinations_with_replacement(range(LEVELS), SEATS)))
    places = places[np.argsort(-places.sum(axis=1), kind="stable")]
    scores = TARGET - FARTHEST + STEP * places
    fill_wins(scores, places, TARGET, results, probabilities, tables)
    return wins

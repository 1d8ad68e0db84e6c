"""Metrics of one belief in one view: log-loss, true state sampling ratio, effective sample size."""

import math
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Belief, Worlds
from hearts.game.cards import ALL_CARDS, SEATS, index_of
from hearts.views.view import View
from models.deals import Deals
from models.evaluation.labelled import Floats, LabelledView
from models.voids import VoidBelief

MIN_PROBABILITY = 1e-6  # lower probabilities are clipped to this
COMPARED = 512  # worlds of OM-1 that the true deal is compared with


@runtime_checkable
class Weighing(Protocol):
    """A belief that can weight a given deal."""

    def log_weights(self, view: View, hands: NDArray[np.uint64], seed: int = 0) -> Floats:
        """The log-probability of worlds (n, 4), up to a constant."""
        ...


@runtime_checkable
class Counting(Protocol):
    """A belief that is uniform over a set of deals."""

    def deals(self, view: View) -> Deals:
        """The set of deals."""
        ...


def log_losses(probabilities: Floats, labelled: LabelledView) -> Floats:
    """The log-loss of each hidden card (cards,), in nats."""
    stated = labelled.stated(probabilities)[labelled.true]
    return np.asarray(-np.log(np.maximum(stated, MIN_PROBABILITY)))


def log_ratio(
    belief: Belief, labelled: LabelledView, probabilities: Floats, rng: np.random.Generator
) -> float:
    """The log of the true state sampling ratio (Solinas, Rebstock and Buro, 2019).

    This is the probability of the true deal, relative to its probability under OM-1. It is exact
    for a belief that counts deals, and estimated with worlds of OM-1 for one that weights deals.
    For any other belief the probability of a deal is approximated by the product over its cards.
    """
    view = labelled.view
    if isinstance(belief, Counting):
        return math.log(VoidBelief().deals(view).number / belief.deals(view).number)
    worlds = VoidBelief().sample(view, COMPARED, rng).hands
    truth = np.tile(np.array(labelled.hands, dtype=np.uint64), (COMPARED, 1))
    if isinstance(belief, Weighing):
        logs = belief.log_weights(view, np.concatenate([truth, worlds]))
    else:
        logs = _log_products(probabilities, np.concatenate([truth, worlds]))
    relative = np.exp(logs - float(logs.max()))
    return math.log(relative[:COMPARED].mean()) - math.log(relative[COMPARED:].mean())


def _log_products(probabilities: Floats, hands: NDArray[np.uint64]) -> Floats:
    """The sum of the log-probabilities of all cards of worlds (n, 4)."""
    logs = np.log(np.maximum(probabilities, MIN_PROBABILITY))
    total = np.zeros(len(hands))
    for seat in range(SEATS):
        for card in ALL_CARDS:
            has = hands[:, seat] >> np.uint64(card) & np.uint64(1)
            total += has * logs[index_of(card), seat]
    return total


def effective_worlds(worlds: Worlds) -> float:
    """The effective sample size, with equal worlds merged."""
    _, index = np.unique(worlds.hands, axis=0, return_inverse=True)
    return float(1 / np.square(np.bincount(index.ravel(), worlds.weights)).sum())

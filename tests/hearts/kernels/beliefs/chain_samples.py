"""Prints samples of a short chain as JSON, to compare processes with and without numba."""

import json
import sys

import numpy as np

from hearts.game.rules import PASSING
from hearts.views.view import View
from models.behaviour import BehaviourBelief, shipped_styles
from models.posterior import ChainConfig
from tests.hearts.play import random_deal


def samples() -> list[object]:
    """States of a chain on a hand without a pass, marginals and acceptance."""
    book = shipped_styles()
    n = len(book.weights)
    # Empty tables for passes: there are none, and the tables would take plain Python a minute.
    nothing = np.zeros((4, 1, n), dtype=np.float32), np.zeros((4, 1, n, 3)), np.zeros(1, np.int64)
    book.__dict__["pass_tables"] = nothing
    view = View.of(random_deal(PASSING, 26, 4), 1)
    posterior = BehaviourBelief(book=book).posterior(view)
    assert posterior is not None
    config = ChainConfig(steps=60, burn_in=20, starts=3)
    found = posterior.run_chains(config, 10, np.random.default_rng(1))
    return [found.hands.tolist(), np.round(found.marginals, 9).tolist(), found.acceptance]


if __name__ == "__main__":
    json.dump(samples(), sys.stdout)

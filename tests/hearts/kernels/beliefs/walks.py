"""A short walk of the chain, printed as JSON: run in different processes, it must be the same."""

import json
import sys

import numpy as np

from hearts.game.rules import PASSING
from hearts.kernels.beliefs.likelihood import Styles
from hearts.views.view import View
from models.behaviour import BehaviourBelief, Effort, Inquiry, shipped_styles
from tests.hearts.play import random_deal


def walk() -> list[object]:
    """States of a chain on a hand without a pass, and how often cards were where."""
    book = shipped_styles()
    n = len(book.columns)
    # Without passes their tables, which take plain Python a minute, are not looked at.
    nothing = np.zeros((4, 1, n), dtype=np.float32), np.zeros((4, 1, n, 3)), np.zeros(1, np.int64)
    book.__dict__["kernel"] = Styles(book.play, *nothing, book.power, book.kinds)
    view = View.of(random_deal(PASSING, 26, 4), 1)
    inquiry = Inquiry.of(view, BehaviourBelief(book=book))
    assert inquiry is not None
    effort = Effort(steps=60, settling=20, starts=3)
    found = inquiry.walk(effort, 10, np.random.default_rng(1))
    return [found.hands.tolist(), np.round(found.holders, 9).tolist(), found.acceptance]


if __name__ == "__main__":
    json.dump(walk(), sys.stdout)

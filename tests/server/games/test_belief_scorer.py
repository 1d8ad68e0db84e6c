"""Beliefs that are judged in the background."""

from __future__ import annotations

import threading

from sqlalchemy import create_engine

from hearts.game.errors import IllegalMove
from server.games import belief_scorer
from server.search.admission import Slots


def test_a_hand_that_cannot_be_judged_does_not_end_the_work(monkeypatch):
    looks, twice = [], threading.Event()

    def fails(*_: object, **__: object) -> int:
        looks.append(1)
        if len(looks) > 1:
            twice.set()
        raise IllegalMove("seat 0 cannot play 2C")

    monkeypatch.setattr(belief_scorer, "PAUSE", 0.01)
    monkeypatch.setattr(belief_scorer, "score_beliefs", fails)
    scorer = belief_scorer.BeliefScorer(create_engine("sqlite://"), Slots(1, 1, 1.0))
    scorer.start()
    try:
        assert twice.wait(5)
    finally:
        scorer.close()

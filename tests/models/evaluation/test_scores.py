"""Scores of beliefs with known probabilities, intervals, and reports."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from hearts.game.cards import SEATS, bit, index_of, members
from hearts.game.records import read_records
from models.evaluation.labelled import labelled_views
from models.evaluation.report import report
from models.evaluation.scores import Scores, score_view
from models.uniform import UniformBelief
from models.voids import VoidBelief

DATA = Path(__file__).parents[2] / "data"
RECORDS = tuple(islice(read_records(DATA / "xinxin-1k-dev.jsonl.gz"), 6))


class Informed:
    """A belief that gives every card the probability `share` at its true seat."""

    def __init__(self, hands, share: float) -> None:
        self.hands = hands
        self.share = share

    def sample(self, view, n, rng):
        return VoidBelief().sample(view, n, rng)

    def probabilities(self, view):
        stated = np.zeros((52, SEATS))
        for card in members(view.unseen):
            for seat in view.others:
                here = bool(self.hands[seat] & bit(card))
                stated[index_of(card), seat] = self.share if here else (1 - self.share) / 2
        return stated


def test_scores_of_known_probabilities():
    scores = Scores()
    for labelled in labelled_views(RECORDS[0], 0):
        score_view(Informed(labelled.hands, 0.9), labelled, scores, np.random.default_rng(0))
    found = scores.as_object()
    assert found["log_loss"] == pytest.approx(-np.log(0.9))
    assert found["brier"] == pytest.approx(0.1**2 + 2 * 0.05**2)
    assert found["tssr"]["median_log"] > 1
    assert {decile["true"] for decile in found["calibration"]} == {0.0, 1.0}


def test_intervals_grow_with_the_spread_of_hands():
    widths = []
    for shares in ((0.9, 0.9, 0.9), (0.9, 0.6, 0.9), (0.9, 0.35, 0.9)):
        scores, plain = Scores(), Scores()
        for number, share in enumerate(shares):
            for labelled in labelled_views(RECORDS[number], number):
                rng = np.random.default_rng(0)
                score_view(Informed(labelled.hands, share), labelled, scores, rng)
                score_view(VoidBelief(), labelled, plain, rng)
        found = report(3, 36, {"it": scores, "OM-1": plain})["models"]
        low, high = found["it"]["log_loss_interval"]
        assert low <= found["it"]["log_loss"] <= high
        widths.append(high - low)
        low, high = found["it"]["gain_interval"]
        assert low <= found["it"]["gain"] <= high < 1
        assert found["OM-1"]["gain_interval"] == [0, 0]
    assert widths[0] == pytest.approx(0, abs=1e-9)
    assert widths[0] < widths[1] < widths[2]


def test_beliefs_that_count_deals_have_an_exact_sampling_ratio():
    scores = {"OM-0": Scores(), "OM-1": Scores()}
    views = 0
    for number, record in enumerate(RECORDS):
        for labelled in labelled_views(record, number):
            views += 1
            assert labelled.view.turn == labelled.view.seat
            for name, belief in (("OM-0", UniformBelief()), ("OM-1", VoidBelief())):
                score_view(belief, labelled, scores[name], np.random.default_rng(0))
    result = report(len(RECORDS), views, scores)
    assert set(result) == {"hands", "views", "models"}
    assert result["models"]["OM-1"]["tssr"] == {"mean": 1.0, "median_log": 0.0}
    # OM-0 ignores voids, so it spreads its probability over more deals once there is one.
    ratios = [trick["tssr"]["median_log"] for trick in result["models"]["OM-0"]["tricks"]]
    assert ratios[0] == 0
    assert min(ratios) < -2
    assert max(ratios) == 0
    assert result["models"]["OM-1"]["log_loss"] < result["models"]["OM-0"]["log_loss"]
    assert result["models"]["OM-0"]["by_trick"]["2"] == pytest.approx(np.log(3), abs=0.03)

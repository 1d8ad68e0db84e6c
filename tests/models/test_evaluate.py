"""Scores of beliefs: by hand where that can be, and records without habits."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from hearts.game.cards import SEATS, bit, index_of, members
from hearts.game.records import parse_record, read_records
from models.evaluate import Scores, figures, judge, neutralised, sights
from models.uniform import UniformBelief
from models.voids import VoidBelief

DATA = Path(__file__).parents[1] / "data"
RECORDS = tuple(islice(read_records(DATA / "xinxin-1k-dev.jsonl.gz"), 6))


class Knowing:
    """A belief that is sure of `share` of what it says, and says the truth."""

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


def test_who_knows_the_truth_has_the_loss_of_its_doubts():
    scores = Scores()
    for sight in sights(RECORDS[0], 0):
        judge(Knowing(sight.hands, 0.9), sight, scores, np.random.default_rng(0))
    found = scores.as_object()
    assert found["log_loss"] == pytest.approx(-np.log(0.9))
    assert found["brier"] == pytest.approx(0.1**2 + 2 * 0.05**2)
    assert found["tssr"]["median_log"] > 1
    assert {row["true"] for row in found["calibration"]} == {0.0, 1.0}


def test_intervals_come_from_the_spread_between_hands():
    """Hands of which one knows all and one nothing: the more alike, the narrower the interval."""
    widths = []
    for shares in ((0.9, 0.9, 0.9), (0.9, 0.6, 0.9), (0.9, 0.35, 0.9)):
        scores, plain = Scores(), Scores()
        for number, share in enumerate(shares):
            for sight in sights(RECORDS[number], number):
                rng = np.random.default_rng(0)
                judge(Knowing(sight.hands, share), sight, scores, rng)
                judge(VoidBelief(), sight, plain, rng)
        found = figures(3, 36, {"it": scores, "OM-1": plain})["models"]
        low, high = found["it"]["log_loss_interval"]
        assert low <= found["it"]["log_loss"] <= high
        widths.append(high - low)
        low, high = found["it"]["gain_interval"]
        assert low <= found["it"]["gain"] <= high < 1
        assert found["OM-1"]["gain_interval"] == [0, 0]
    assert widths[0] == pytest.approx(0, abs=1e-9)
    assert widths[0] < widths[1] < widths[2]


def test_every_deal_is_as_likely_as_any_for_who_knows_nothing():
    found = {"OM-0": Scores(), "OM-1": Scores()}
    views = 0
    for number, record in enumerate(RECORDS):
        for sight in sights(record, number):
            views += 1
            assert sight.view.turn == sight.view.seat
            for name, belief in (("OM-0", UniformBelief()), ("OM-1", VoidBelief())):
                judge(belief, sight, found[name], np.random.default_rng(0))
    result = figures(len(RECORDS), views, found)
    assert set(result) == {"hands", "views", "models"}
    assert result["models"]["OM-1"]["tssr"] == {"mean": 1.0, "median_log": 0.0}
    # Who does not notice voids spreads the same certainty over more deals, from the first void on.
    ratios = [row["tssr"]["median_log"] for row in result["models"]["OM-0"]["tricks"]]
    assert ratios[0] == 0
    assert min(ratios) < -2
    assert max(ratios) == 0
    assert result["models"]["OM-1"]["log_loss"] < result["models"]["OM-0"]["log_loss"]
    assert result["models"]["OM-0"]["by_trick"]["2"] == pytest.approx(np.log(3), abs=0.03)


def test_a_neutralised_hand_goes_as_the_hand_went():
    rng = np.random.default_rng(0)
    changed = 0
    for record in RECORDS:
        other = neutralised(record, rng)
        assert parse_record(other.as_object()).deal == other.deal  # legal to the last card
        assert other.deal.dealt == record.deal.dealt
        assert other.deal.final_points() == record.deal.final_points()
        for before, after in zip(record.deal.tricks, other.deal.tricks, strict=True):
            assert (before.winner, before.led) == (after.winner, after.led)
            changed += before.cards != after.cards
    assert changed > len(RECORDS)


def test_neutral_cards_are_equally_likely():
    """Of cards that were equal at their first choice each is played about as often."""
    record = RECORDS[0]
    cards = {}
    for seed in range(60):
        plays = list(neutralised(record, np.random.default_rng(seed)).deal.plays)
        for number, (_, card) in enumerate(plays[:12]):
            cards.setdefault(number, []).append(card)
    shares = [max(map(each.count, each)) / len(each) for each in cards.values()]
    assert min(shares) < 0.7

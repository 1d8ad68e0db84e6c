"""Sources of predictions: which decisions are examined, and what worlds and policies predict."""

from importlib import import_module

import numpy as np
import pytest

from hearts.arena.experiments import Cell, examine_cell, moons, play_cell
from hearts.arena.moon_sources import (
    CHECKPOINTS,
    SOURCES,
    TRUE,
    Case,
    Source,
    cases,
    choices,
    per_hands,
    true_worlds,
)
from hearts.arena.runner import Workers
from hearts.engine.config import SearchConfig
from hearts.game.cards import CLUBS, DIAMONDS, HEARTS, SPADES, SUIT_MASK, count, lowest
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.game.rules import STANDARD, PassDirection
from hearts.players.spec import Spec

ONE = Workers(jobs=1)
CONFIG = SearchConfig.parse({"belief": "OM-2"})


def played_out(deal: Deal) -> Deal:
    while not deal.finished:
        deal = deal.play(lowest(deal.legal))
    return deal


def test_a_choice_is_examined_at_each_checkpoint_once():
    deal = played_out(Deal.random(STANDARD, PassDirection.HOLD, np.random.default_rng(4)))
    for seat in range(4):
        found = list(choices(deal, seat))
        checkpoints = [checkpoint for checkpoint, _, _ in found]
        assert checkpoints == sorted(set(checkpoints), reverse=True)
        assert set(checkpoints) <= set(CHECKPOINTS)
        for checkpoint, before, card in found:
            left = 13 - len(before.tricks)
            assert left <= checkpoint
            assert all(other >= checkpoint for other in CHECKPOINTS if other >= left)
            assert before.turn == seat
            assert count(before.legal) > 1
            assert (seat, card) in list(deal.plays)[52 - sum(map(count, before.hands)) :]


def test_true_worlds_are_the_deal():
    deal = Deal.random(STANDARD, PassDirection.HOLD, np.random.default_rng(1))
    worlds = true_worlds(deal.hands)
    assert {tuple(map(int, hands)) for hands in worlds.hands} == {deal.hands}
    assert worlds.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("shooter", [0, 1])
def test_a_certain_moon_is_certain_in_all_worlds_and_with_all_policies(shooter):
    suits = [DIAMONDS, SPADES, HEARTS]
    hands = [SUIT_MASK[CLUBS if each == shooter else suits.pop()] for each in range(4)]
    deal = played_out(Deal.of(STANDARD, hands))
    assert deal.shooter == shooter
    record = Record(deal, extra={"seating": 0, "deal": 7}).as_object()
    found = cases([record], CONFIG)
    assert len(found) == len(CHECKPOINTS)
    expected = {"made": float(shooter == 0), "conceded": float(shooter == 1)}
    for case in found:
        assert (case.deal, case.actual) == (7, expected)
        for source in SOURCES:
            assert case.predictions[source] == pytest.approx(expected)


def test_predictions_are_means_over_the_hands_of_a_checkpoint():
    source = Source(TRUE, "network")
    made = [(0, 13, 1, 0.5), (0, 13, 0, 0.1), (3, 13, 0, 0.3), (3, 10, 1, 0.9)]
    found = [
        Case(deal, left, {"made": actual, "conceded": 0}, {source: {"made": chance, "conceded": 0}})
        for deal, left, actual, chance in made
    ]
    assert per_hands(found, "made", 13, None).mean == pytest.approx(100 / 3)
    assert per_hands(found, "made", 13, source).mean == pytest.approx(30)
    assert per_hands(found, "made", 10, source).mean == pytest.approx(90)
    assert per_hands(found, "conceded", 13, source).mean == 0
    assert per_hands(found, "made", 4, source).mean == 0  # no hand had a choice there


def test_the_experiment_examines_the_hands_only_if_asked(tmp_path, monkeypatch):
    even = {"made": 0.0, "conceded": 0.5}
    case = Case(0, 13, {"made": 0.0, "conceded": 1.0}, dict.fromkeys(SOURCES, even))
    seen = []

    def fake(records, config, jobs):
        seen.extend(records)
        return [case]

    # The package has a function of the same name.
    monkeypatch.setattr(import_module("hearts.arena.experiments.moons"), "cases", fake)
    focus = Spec("engine", (("simulations", 20), ("worlds", 2)))
    cell = Cell("duck", 0, focus, Spec("duck"), passing="cycle", predictions=True)
    for asked in (False, True):
        experiment = moons(quick=True, sources=asked)
        outputs = experiment.outputs(tmp_path)  # the second time it is read
        results = {cell: play_cell(cell, 1, 0, ONE, outputs, lambda results: None)}
        examine_cell(experiment, cell, 0, outputs, 1)
        text = "\n".join(experiment.notes(experiment, results))
        assert text.count("50.0 (50.0 … 50.0)") == asked * len(SOURCES)
    assert [record["seating"] for record in seen] == [0, 1, 2, 3]

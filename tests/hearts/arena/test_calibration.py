"""Predictions of moons: recomputed by hand, certain moons, and their agreement with outcomes."""

import numpy as np
import pytest

from hearts.arena.calibration import (
    EDGES,
    agreement,
    every_card,
    first_card,
    mean_in,
    reliability,
)
from hearts.arena.experiments import moons
from hearts.arena.referee import Prediction, Referee, Spending
from hearts.arena.results import DealResult, Table, deal_result_of
from hearts.arena.tournament import Tournament, play_deal
from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.game.cards import CLUBS, DIAMONDS, HEARTS, SPADES, SUIT_MASK
from hearts.game.deal import Deal
from hearts.game.errors import InvalidConfig
from hearts.game.rules import STANDARD, PassDirection
from hearts.kernels.core import statistics as column
from hearts.players.duck import DuckPlayer
from hearts.players.engine import EnginePlayer, expected_moons
from hearts.players.spec import Spec, parse_spec
from hearts.views.view import View

QUICK = SearchConfig.parse({"simulations": 40, "worlds": 4, "belief": "OM-2", "seed": 5})


def prediction_oracle(decision) -> tuple[float, float]:
    """Moons of the chosen card over its playouts, world by world."""
    move = next(i for i, cards in enumerate(decision.result.moves) if cards >> decision.card & 1)
    totals = {column.VISITS: 0.0, column.MOON: 0.0, column.AGAINST: 0.0}
    for weight, world in zip(decision.result.weights, decision.result.statistics, strict=True):
        for name in totals:
            totals[name] += weight * world[move][name]
    visits = totals[column.VISITS]
    return totals[column.MOON] / visits, totals[column.AGAINST] / visits


@pytest.mark.parametrize("algorithm", ["pimc", "rollouts"])
def test_a_prediction_is_the_weighted_share_of_playouts_with_a_moon(algorithm):
    deal = Deal.random(STANDARD, PassDirection.HOLD, np.random.default_rng(2))
    config = SearchConfig.parse({"algorithm": algorithm}, QUICK)
    found = []
    while len(deal.tricks) < 8:
        decision = decide(View.of(deal, deal.turn), config)
        if decision.forced:
            assert expected_moons(decision) is None
        else:
            found.append(expected_moons(decision))
            assert found[-1] == pytest.approx(prediction_oracle(decision), abs=1e-9)
        deal = deal.play(decision.card)
    assert len(found) > 20
    assert any(0 < chance < 1 for pair in found for chance in pair)


def all_clubs_at(seat: int) -> Deal:
    """A deal in which a seat holds all clubs: it leads and wins every trick."""
    suits = [DIAMONDS, SPADES, HEARTS]
    hands = [SUIT_MASK[CLUBS if each == seat else suits.pop()] for each in range(4)]
    return Deal.of(STANDARD, hands)


@pytest.mark.parametrize("shooter", [0, 1])
def test_a_certain_moon_is_predicted_as_certain(shooter):
    # Seat 0 plays last if seat 1 leads, and has seen that nobody else has a club.
    referee = Referee([EnginePlayer(QUICK), DuckPlayer(), DuckPlayer(), DuckPlayer()])
    assert referee.play(all_clubs_at(shooter), seed=3).shooter == shooter
    assert len(referee.predictions) > 10
    expected = (1.0, 0.0) if shooter == 0 else (0.0, 1.0)
    assert {(each.made, each.conceded) for each in referee.predictions} == {expected}
    assert {each.seat for each in referee.predictions} == {0}


def test_a_tournament_stores_what_the_focus_player_expects_and_a_journal_keeps_it():
    focus = parse_spec("engine:simulations=20,worlds=2")
    tournament = Tournament(focus, Spec("duck"), passing="cycle", predictions=True)
    result = play_deal(tournament, 1)
    for table in result.tables:
        assert table.predictions
        assert {each.seat for each in table.predictions} == set(table.focus)
        plays = [each.play for each in table.predictions]
        assert plays == sorted(set(plays))
    assert deal_result_of(result.as_object()) == result
    silent = play_deal(Tournament(focus, Spec("duck"), passing="cycle"), 1)
    assert all(table.predictions == () for table in silent.tables)
    assert "predictions" not in silent.as_object()["tables"][0]
    assert [table.digest for table in silent.tables] == [table.digest for table in result.tables]


def hand_of(shooter: int | None, *predictions: tuple[int, float, float]) -> Table:
    """A hand of focus seat 0 with predictions (tricks left, made, conceded)."""
    noted = tuple(Prediction(0, 4 * (13 - left), *chances) for left, *chances in predictions)
    return Table((0,), ((0, 0, 0, 26),), (shooter,), 0, predictions=noted)


def deal_with(number: int, *tables: Table) -> DealResult:
    return DealResult(number, tables, Spending(), Spending())


RESULTS = [
    deal_with(0, hand_of(2, (12, 0.0, 0.2), (11, 0.0, 0.6), (5, 0.0, 1.0)), hand_of(None)),
    deal_with(1, hand_of(0, (13, 0.5, 0.0), (4, 1.0, 0.0)), hand_of(None, (10, 0.1, 0.05))),
]


def test_agreement_counts_hands_by_their_first_card():
    conceded = agreement(RESULTS, "conceded", first_card)
    assert conceded.count == 3  # one hand has no prediction
    assert conceded.predicted.mean == pytest.approx(100 * (0.2 + 0 + 0.05) / 3)
    assert conceded.actual.mean == pytest.approx(100 / 3)
    assert conceded.gap.mean == pytest.approx(conceded.predicted.mean - conceded.actual.mean)
    made = agreement(RESULTS, "made", first_card)
    assert made.predicted.mean == pytest.approx(100 * (0 + 0.5 + 0.1) / 3)
    assert made.actual.mean == pytest.approx(100 / 3)


def test_agreement_of_a_part_of_the_hand_is_that_of_its_mean():
    early = agreement(RESULTS, "conceded", mean_in("early"))
    assert early.predicted.mean == pytest.approx(100 * ((0.2 + 0.6) / 2 + 0 + 0.05) / 3)
    late = agreement(RESULTS, "conceded", mean_in("late"))
    assert (late.count, late.predicted.mean, late.actual.mean) == (2, 50, 50)
    nothing = agreement(RESULTS, "made", mean_in("middle"))
    assert (nothing.count, nothing.gap.mean) == (0, 0)


def test_bins_cover_every_card_once():
    everything = agreement(RESULTS, "conceded", every_card())
    bins = dict(reliability(RESULTS, "conceded"))
    assert sum(found.count for found in bins.values()) == everything.count == 6
    assert bins[EDGES[-2], 1.0].count == 1  # certainty is in the last one
    for (low, high), found in bins.items():
        assert 100 * low <= found.predicted.mean <= 100 * high


def test_an_experiment_with_one_opponent_has_files_of_its_own_but_shares_journals():
    everybody, one = moons(quick=False), moons(quick=False, against="public stack")
    assert [cell.line for cell in one.cells] == ["public stack"]
    assert one.cells[0].tournament(3) in [cell.tournament(3) for cell in everybody.cells]
    assert (everybody.name, one.name) == ("moons-expert", "moons-expert-public-stack")
    assert everybody.journals == one.journals
    assert len(everybody.cells) == 8
    for wrong in ({"against": "nobody"}, {"player": "duck"}):
        with pytest.raises(InvalidConfig, match=r"is unknown|does not search"):
            moons(quick=False, **wrong)

"""Recorded hands as decisions: who decided, what is held out, which rules are refused."""

from dataclasses import replace

import numpy as np
import pytest

from hearts.game.errors import InvalidRecord
from hearts.game.records import Record
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.training.decisions import decisions_of
from hearts.training.hyperparameters import Imitation
from tests.hearts.play import random_deal

IMITATION = Imitation(held_out=0.3)
PLAYERS = ["a", "b", "a", "c"]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    deals = [random_deal(PASSING, 52, seed, PassDirection(seed % 4)) for seed in range(20)]
    named = [Record.of(deal, str(i), "x", players=PLAYERS) for i, deal in enumerate(deals)]
    other = [Record.of(random_deal(STANDARD, 30, 99), "20", "elsewhere")]
    return named + other


def test_each_decision_has_its_player(records):
    found = decisions_of(records, IMITATION, forgetful=0.0)
    assert set(found.players) == {"a", "b", "c", "elsewhere"}
    n = len(found.players)
    assert n == len(found.samples.seat) == len(found.held_out)
    named = found.players != "elsewhere"
    assert (found.players[named] == np.array(PLAYERS)[found.samples.seat[named]]).all()
    assert len(found.chosen(["a", "b"])) + len(found.chosen(["c", "elsewhere"])) == len(
        found.chosen()
    )
    with pytest.raises(InvalidRecord, match="too few decisions"):
        found.chosen(["nobody"])


def test_all_hands_of_a_deal_are_held_out_together(records):
    found = decisions_of([*records, *records], IMITATION, forgetful=0.0)
    learned, judged = found.chosen(), found.chosen(held_out=True)
    assert len(learned) + len(judged) == len(found.players)
    assert len(learned) % 2 == len(judged) % 2 == 0
    assert 0 < len(judged) < len(learned)


def test_forgetful_seats_see_less(records):
    sizes = [
        decisions_of(records, IMITATION, forgetful=share).samples.sizes[:, 0].sum()
        for share in (0.0, 0.5, 1.0)
    ]
    assert sizes[0] > sizes[1] > sizes[2]


def test_hands_with_another_scoring_are_refused():
    deal = random_deal(replace(PASSING, jack_bonus=True), 52, 1)
    with pytest.raises(InvalidRecord, match="scoring is not the usual one"):
        decisions_of([Record.of(deal)], IMITATION, forgetful=0.0)
    with pytest.raises(InvalidRecord, match="no hand"):
        decisions_of([], IMITATION, forgetful=0.0)

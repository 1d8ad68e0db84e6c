"""Features and likelihoods of plays and passes against the oracle, feature by feature."""

import numpy as np
import pytest

from hearts.engine.bridge.state import rules_word
from hearts.game.cards import members, suit_of
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.kernels.beliefs.choices import list_pass, list_runs
from hearts.kernels.beliefs.features import MOST, PASSES
from hearts.kernels.beliefs.moments import PHASE, WIDTH, describe
from hearts.kernels.core.state import distinct
from models.styles import FEATURES
from tests.hearts.kernels.beliefs.behaviour_oracle import Table, passing
from tests.hearts.play import positions, random_deal

U = np.uint64


def moments_of(deal) -> np.ndarray:
    seats, cards = np.array(list(deal.plays), dtype=np.int64).reshape(-1, 2).T.copy()
    moments = np.zeros((len(seats), WIDTH), dtype=np.int64)
    describe(seats, cards, rules_word(deal.rules), moments)
    return moments


def named(names, row) -> dict[str, float]:
    return dict(zip(names, row, strict=True))


@pytest.mark.parametrize("rules", [STANDARD, PASSING])
@pytest.mark.parametrize("seed", range(6))
def test_every_choice_of_a_hand_has_the_features_of_the_oracle(rules, seed):
    hand = list(positions(rules, seed, skew=0.15 * seed))
    last = hand[-1].play(next(members(hand[-1].legal)))
    moments = moments_of(last)
    rows = np.empty((13, MOST))
    for number, (deal, (seat, card)) in enumerate(zip(hand, last.plays, strict=True)):
        if number == 0:
            continue  # the opening lead is no choice
        table = Table(deal)
        end, chosen = list_runs(moments[number], U(deal.hands[seat]), rows, 0)
        runs = table.runs()
        assert end == len(runs)
        assert card in runs[chosen]
        names = FEATURES[table.phase]
        by_suit = sorted(runs, key=lambda run: suit_of(run[0]))
        for run, row in zip(by_suit, rows, strict=False):
            expected = {name: float(value) for name, value in table.features(run).items()}
            assert named(names, row[: len(names)]) == pytest.approx(expected), (number, run)
            assert not row[len(names) :].any()


def test_every_phase_and_feature_is_met():
    """The games above would prove little if a feature were never there."""
    met = np.zeros((3, MOST), dtype=bool)
    rows = np.empty((13, MOST))
    for seed in range(150):
        hand = list(positions(PASSING, seed, skew=0.008 * seed))
        for deal, moment in zip(hand[1:-1], moments_of(hand[-1])[1:], strict=True):
            end, _ = list_runs(moment, U(deal.hands[deal.turn]), rows, 0)
            met[moment[PHASE]] |= rows[:end].any(axis=0)
    for phase, names in enumerate(list(FEATURES.values())[:3]):
        assert [name for j, name in enumerate(names) if not met[phase, j]] == []


def test_every_card_that_may_be_passed_has_the_features_of_the_oracle():
    met = np.zeros(PASSES, dtype=bool)
    for seed in range(40):
        deal = random_deal(PASSING, 0, seed, PassDirection.LEFT, skew=0.02 * seed)
        for dealt in deal.dealt:
            rows = np.empty((13, PASSES))
            list_pass(U(dealt), rows)
            met |= rows.any(axis=0)
            hand = list(members(dealt))
            for card, row in zip(hand, rows, strict=True):
                expected = {name: float(value) for name, value in passing(hand, card).items()}
                assert named(FEATURES["pass"], row) == pytest.approx(expected)
    assert met.all()


def test_runs_are_those_of_the_search():
    """A run of the model is what a search takes for one move."""
    for seed in range(5):
        for deal in positions(STANDARD, seed, skew=0.5):
            in_play = deal.trick.cards_set
            for hand in deal.hands:
                in_play |= hand
            lowest = list(members(int(distinct(U(deal.legal), U(in_play)))))
            assert [run[0] for run in Table(deal).runs()] == lowest

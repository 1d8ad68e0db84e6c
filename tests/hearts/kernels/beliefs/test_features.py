"""Features of plays and passes against the oracle, feature by feature."""

import numpy as np
import pytest

from hearts.engine.bridge.state import rules_word
from hearts.game.cards import members, suit_of
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.kernels.beliefs.choices import list_pass, list_runs
from hearts.kernels.beliefs.contexts import PHASE, WIDTH, describe_plays
from hearts.kernels.beliefs.features import MAX_FEATURES, PASS_FEATURES
from hearts.kernels.core.state import distinct
from models.styles import FEATURES
from tests.hearts.kernels.beliefs.behaviour_oracle import Table, passing
from tests.hearts.play import positions, random_deal

U = np.uint64


def contexts_of(deal) -> np.ndarray:
    seats, cards = np.array(list(deal.plays), dtype=np.int64).reshape(-1, 2).T.copy()
    contexts = np.zeros((len(seats), WIDTH), dtype=np.int64)
    describe_plays(seats, cards, rules_word(deal.rules), contexts)
    return contexts


def named(names, values) -> dict[str, float]:
    return dict(zip(names, values, strict=True))


@pytest.mark.parametrize("rules", [STANDARD, PASSING])
@pytest.mark.parametrize("seed", range(6))
def test_play_features_match_the_oracle(rules, seed):
    hand = list(positions(rules, seed, skew=0.15 * seed))
    last = hand[-1].play(next(members(hand[-1].legal)))
    contexts = contexts_of(last)
    features = np.empty((13, MAX_FEATURES))
    for number, (deal, (seat, card)) in enumerate(zip(hand, last.plays, strict=True)):
        if number == 0:
            continue  # the opening lead is no choice
        table = Table(deal)
        end, chosen = list_runs(contexts[number], U(deal.hands[seat]), features, 0)
        runs = table.runs()
        assert end == len(runs)
        assert card in runs[chosen]
        names = FEATURES[table.phase]
        by_suit = sorted(runs, key=lambda run: suit_of(run[0]))
        for run, row in zip(by_suit, features, strict=False):
            expected = {name: float(value) for name, value in table.features(run).items()}
            assert named(names, row[: len(names)]) == pytest.approx(expected), (number, run)
            assert not row[len(names) :].any()


def test_every_feature_occurs_in_random_hands():
    """So the comparison with the oracle covers all features."""
    met = np.zeros((3, MAX_FEATURES), dtype=bool)
    features = np.empty((13, MAX_FEATURES))
    for seed in range(150):
        hand = list(positions(PASSING, seed, skew=0.008 * seed))
        for deal, context in zip(hand[1:-1], contexts_of(hand[-1])[1:], strict=True):
            end, _ = list_runs(context, U(deal.hands[deal.turn]), features, 0)
            met[context[PHASE]] |= features[:end].any(axis=0)
    for phase, names in enumerate(list(FEATURES.values())[:3]):
        assert [name for j, name in enumerate(names) if not met[phase, j]] == []


def test_pass_features_match_the_oracle():
    met = np.zeros(PASS_FEATURES, dtype=bool)
    for seed in range(40):
        deal = random_deal(PASSING, 0, seed, PassDirection.LEFT, skew=0.02 * seed)
        for dealt in deal.dealt:
            features = np.empty((13, PASS_FEATURES))
            list_pass(U(dealt), features)
            met |= features.any(axis=0)
            hand = list(members(dealt))
            for card, row in zip(hand, features, strict=True):
                expected = {name: float(value) for name, value in passing(hand, card).items()}
                assert named(FEATURES["pass"], row) == pytest.approx(expected)
    assert met.all()


def test_runs_are_the_distinct_moves_of_the_search():
    for seed in range(5):
        for deal in positions(STANDARD, seed, skew=0.5):
            in_play = deal.trick.cards_set
            for hand in deal.hands:
                in_play |= hand
            lowest = list(members(int(distinct(U(deal.legal), U(in_play)))))
            assert [run[0] for run in Table(deal).runs()] == lowest

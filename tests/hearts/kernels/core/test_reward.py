"""Rewards against plain Python: all kinds, all ways to score a moon."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from hearts.engine.bridge.state import rules_word
from hearts.engine.config import REWARDS
from hearts.engine.rewards import reward_scale
from hearts.game.cards import ALL_CARDS, CardSet, set_of
from hearts.game.rules import (
    JACK,
    QUEEN,
    STANDARD,
    MoonScoring,
    Rules,
    hand_points,
    lowest_score,
    moon_shooter,
)
from hearts.kernels.core import statistics as column
from hearts.kernels.core.reward import rewards
from hearts.kernels.core.statistics import COLUMNS, add_outcome
from tests.hearts.kernels.core.test_winning import win_oracle

SWITCHES = ("jack_bonus", "no_trick_bonus", "shooting_needs_jack", "queen_penalty", "no_shooting")
GRID = [
    replace(STANDARD, moon=moon, **dict(zip(SWITCHES, on, strict=True)))
    for moon in MoonScoring
    for on in product((False, True), repeat=len(SWITCHES))
] + [replace(STANDARD, hearts_arent_points=True, jack_bonus=True)]


def random_results(rng: np.random.Generator) -> Iterator[list[CardSet]]:
    """What the seats took in hands of 13 tricks: by chance, nearly all to one seat, and all."""
    for chances in ([0.25] * 4, [0.4, 0.4, 0.2, 0], [0.96, 0.02, 0.01, 0.01], [0, 0, 1, 0]):
        tricks = rng.permutation(ALL_CARDS).reshape(13, 4).tolist()
        takers = rng.choice(4, 13, p=chances)
        yield [
            sum(set_of(trick) for trick, taker in zip(tricks, takers, strict=True) if taker == seat)
            for seat in range(4)
        ]


def hands_to_value() -> Iterator[tuple[Rules, list[CardSet], tuple[int, ...]]]:
    """Rules, what was taken under them, and the match before: early, close to its end, over it."""
    rng = np.random.default_rng(3)
    for rules in GRID:
        for taken in random_results(rng):
            yield rules, taken, tuple(rng.integers(-20, 110, 4).tolist())


def taken_word(taken: list[CardSet]) -> np.uint64:
    """A lane of 16 bits per seat: hearts, queen, jack, tricks, as `state` has them."""
    word = 0
    for seat, cards in enumerate(taken):
        hearts = (cards >> 48).bit_count()
        lane = hearts + (16 if cards & QUEEN else 0) + (32 if cards & JACK else 0)
        word += (lane + 256 * (cards.bit_count() // 4)) << 16 * seat
    return np.uint64(word)


def reward_oracle(
    kind: str,
    rules: Rules,
    points: tuple[int, ...],
    scores: tuple[int, ...],
    shooter: int | None = None,
) -> list[float]:
    """The four rewards as the docstring of hearts.kernels.core.reward says them."""
    total = rules.total
    span = max(1, total - lowest_score(rules))
    if kind == "points":
        return [(total - own) / span for own in points]
    if kind == "difference":
        return [0.5 + ((sum(points) - own) / 3 - own) / span / 2 for own in points]
    if kind == "relative":
        headroom = sum(total - each for each in points)
        return [(total - own) / headroom if headroom > 0 else 0.25 for own in points]
    trusted = trusting_oracle(rules, points, scores)
    if shooter is None:
        return trusted
    all_points = tuple(total if seat == shooter else 0 for seat in range(4))
    stopped = trusting_oracle(rules, all_points, scores)
    return [
        (own + stopped[seat]) / 2 if seat == shooter else own for seat, own in enumerate(trusted)
    ]


def trusting_oracle(rules: Rules, points: tuple[int, ...], scores: tuple[int, ...]) -> list[float]:
    """The reward `match` as if no moon could have been stopped."""
    differences = reward_oracle("difference", rules, points, scores)
    winning = win_oracle(after_hand(points, scores), rules.target_score, scores)
    return [0.8 * win + 0.2 * other for win, other in zip(winning, differences, strict=True)]


def after_hand(points: tuple[int, ...], scores: tuple[int, ...]) -> list[int]:
    """The scores after a hand."""
    return [score + own for score, own in zip(scores, points, strict=True)]


def place_oracle(rules: Rules, points: tuple[int, ...], scores: tuple[int, ...]) -> list[float]:
    """The expected place of each seat, from 1 to 0."""
    after = after_hand(points, scores)
    margin = rules.target_score - max(0, *after)
    return [
        sum(ahead_oracle(after[other] - after[seat], margin) for other in range(4) if other != seat)
        / 3
        for seat in range(4)
    ]


def ahead_oracle(lead: int, margin: int) -> float:
    """The chance to end ahead of a seat with `lead` points more; `margin` points are to come."""
    if margin <= 0:
        return 0.5 if lead == 0 else float(lead > 0)
    spread = 12.6 * math.sqrt(max(1.0, min(margin, 159) / 10.4))
    return 0.5 * (1 + math.erf(max(-200, min(200, lead)) / spread / math.sqrt(2)))


def valued(
    kind: str, rules: Rules, taken: list[CardSet], scores: tuple[int, ...]
) -> tuple[int, list[int], list[float]]:
    """The kernel's shooter, points and rewards."""
    scale = reward_scale(kind, rules, scores)
    points, reward = np.zeros(4, dtype=np.int64), np.zeros(4)
    shooter = rewards(
        taken_word(taken), rules_word(rules), *scale.arguments, points, reward,
    )  # fmt: skip
    return int(shooter), points.tolist(), reward.tolist()


@pytest.mark.parametrize("kind", REWARDS)
def test_rewards_agree_with_the_oracle(kind):
    seen = Counter()
    for rules, taken, scores in hands_to_value():
        points, shooter = hand_points(rules, taken), moon_shooter(rules, taken)
        found = valued(kind, rules, taken, scores)
        assert found[:2] == (-1 if shooter is None else shooter, list(points))
        assert found[2] == pytest.approx(
            reward_oracle(kind, rules, points, scores, shooter), abs=1e-12
        )
        moon = rules.moon.value if shooter is not None else "no moon"
        seen[moon, rules.jack_bonus, rules.no_trick_bonus, rules.shooting_needs_jack] += 1
    assert len(seen) == 4 * 2 * 2 * 2  # every way to score met every bonus


def test_no_hand_is_worth_less_than_the_lowest_score():
    for rules, taken, _ in hands_to_value():
        assert lowest_score(rules) <= min(hand_points(rules, taken))
        assert max(hand_points(rules, taken)) <= rules.total


@pytest.mark.parametrize("kind", REWARDS)
def test_statistics_add_up_results_as_the_oracle_does(kind):
    rules = replace(STANDARD, jack_bonus=True, no_trick_bonus=True)
    scores = (30, 61, 95, 12)
    scale = reward_scale(kind, rules, scores)
    rng, points, reward = np.random.default_rng(5), np.zeros(4, dtype=np.int64), np.zeros(4)
    for seat in range(4):
        row, expected = np.zeros(COLUMNS), np.zeros(COLUMNS)
        for taken in (each for _ in range(6) for each in random_results(rng)):
            add_outcome(
                row, seat, taken_word(taken), rules_word(rules), *scale.arguments, points, reward,
            )  # fmt: skip
            own, shooter = hand_points(rules, taken)[seat], moon_shooter(rules, taken)
            outcome = {
                column.VISITS: 1,
                column.REWARD: reward_oracle(
                    kind, rules, hand_points(rules, taken), scores, shooter
                )[seat],
                column.POINTS: own,
                column.SQUARES: own**2,
                column.QUEEN: bool(taken[seat] & QUEEN),
                column.MOON: shooter == seat,
                column.AGAINST: shooter not in (None, seat),
                column.MATCH: place_oracle(rules, hand_points(rules, taken), scores)[seat],
            }
            for place, value in outcome.items():
                expected[place] += value
        assert row.tolist() == pytest.approx(expected.tolist())
        assert row[[column.MOON, column.AGAINST]].sum() >= 6  # all tricks to one seat: a moon

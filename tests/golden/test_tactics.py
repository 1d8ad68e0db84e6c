"""Positions with a right card: the proofs that it is right, and that the engine plays it."""

import tomllib
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from hearts.engine.decide import decide
from hearts.engine.levels import LEVELS
from hearts.game.cards import Card, CardSet, members, name, names, parse_cards
from hearts.views.view import View
from tests.golden.proofs import best_play, bounds
from tests.hearts.worlds import all_worlds

PATH = Path(__file__).with_name("tactics.toml")
POSITIONS: list[dict[str, Any]] = tomllib.loads(PATH.read_text(encoding="utf-8"))["position"]
SEEDS = range(10)
NOISE = 1e-9

every_position = pytest.mark.parametrize("position", POSITIONS, ids=lambda given: given["name"])


def those(proof: str) -> pytest.MarkDecorator:
    chosen = [position for position in POSITIONS if position["proof"] == proof]
    return pytest.mark.parametrize("position", chosen, ids=lambda given: given["name"])


def read(position: dict[str, Any]) -> tuple[View, CardSet, CardSet]:
    """The view, the right cards and the wrong ones."""
    view, right = View.parse(position["view"]), parse_cards(position["right"])
    return view, right, view.legal & ~right


@cache
def cards_played(level: str) -> dict[str, list[Card]]:
    """What a level plays in every position, seed by seed."""
    return {
        position["name"]: [
            decide(View.parse(position["view"]), replace(LEVELS[level], seed=seed)).card
            for seed in SEEDS
        ]
        for position in POSITIONS
    }


def rightly(position: dict[str, Any], level: str) -> int:
    """How many seeds play a right card."""
    return sum(name(card) in position["right"] for card in cards_played(level)[position["name"]])


@every_position
def test_a_position_is_complete(position):
    view, right, _ = read(position)
    assert position.keys() == {"name", "theme", "proof", "right", "why", "view"}
    assert right & view.legal == right != 0
    assert position["right"] == names(right)
    assert position["why"].endswith(".")
    assert not view.contradictions


def test_there_are_enough_of_each_theme():
    assert len(POSITIONS) >= 40
    assert len({position["name"] for position in POSITIONS}) == len(POSITIONS)
    themes = Counter(position["theme"] for position in POSITIONS)
    proofs = Counter(position["proof"] for position in POSITIONS)
    assert min(themes.values()) >= 2
    assert set(proofs) == {"certain", "each", "average", "argument"}
    assert proofs["certain"] + proofs["each"] >= 40


@those("certain")
def test_no_play_of_the_others_makes_another_card_better(position):
    view, right, wrong = read(position)
    costs = False
    for world in all_worlds(view):
        worst, best = bounds(view, world, -1), bounds(view, world, 1)
        least = min(worst[card] for card in members(right))
        assert all(best[card] <= least + NOISE for card in members(wrong))
        costs |= any(worst[card] < least - NOISE for card in members(wrong))
    assert costs


@pytest.mark.parametrize(
    "position",
    [position for position in POSITIONS if position["proof"] != "argument"],
    ids=lambda given: given["name"],
)
def test_the_right_cards_are_best_over_all_deals(position):
    """On average over every deal that fits; in each of them, unless the position says otherwise."""
    view, right, wrong = read(position)
    advantages = [best_play(view, world) for world in all_worlds(view)]
    means = {card: fmean(each[card] for each in advantages) for card in members(view.legal)}
    best = max(means.values())
    assert all(means[card] >= best - NOISE for card in members(right))
    assert all(means[card] < best - NOISE for card in members(wrong))
    if position["proof"] != "average":
        for each in advantages:
            assert all(each[card] >= max(each.values()) - NOISE for card in members(right))


@every_position
def test_expert_plays_it_with_every_seed(position):
    assert rightly(position, "expert") == len(SEEDS)


def test_medium_plays_nine_of_ten():
    share = fmean(rightly(position, "medium") / len(SEEDS) for position in POSITIONS)
    assert share >= 0.9

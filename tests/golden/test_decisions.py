"""The golden decisions: the same numbers as when they were recorded."""

from collections import Counter
from copy import deepcopy
from itertools import combinations, product

import pytest

from tests.golden.decisions import (
    CARD_OPTIONS,
    LEVELS,
    PASS_OPTIONS,
    PLAYER_TYPES,
    ROLLOUT_OPTIONS,
    decided,
    differences,
    stored,
)

CASES = stored()
CHUNKS = 16  # that pytest-xdist spreads over processes
CARDS = [case for case in CASES if case["kind"] == "card"]
PASSES = [case for case in CASES if case["kind"] == "pass"]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_decisions_have_their_stored_numbers(chunk):
    changed = [
        f"{case['id']}{place}"
        for case in CASES[chunk::CHUNKS]
        for place in differences(decided(case), case["result"])
    ]
    assert not changed, f"{len(changed)} numbers differ:\n" + "\n".join(changed[:20])


@pytest.mark.parametrize(
    ("kind", "family", "options"),
    [
        ("card", "cover", CARD_OPTIONS),
        ("card", "rollouts", ROLLOUT_OPTIONS),
        ("pass", "cover", PASS_OPTIONS),
    ],
)
def test_every_pair_of_options_is_there(kind, family, options):
    found = [case for case in CASES if (case["kind"], case["family"]) == (kind, family)]
    chosen = [case | case["ai_config"] for case in found]
    for one, other in combinations(options, 2):
        pairs = {(case[one], case[other]) for case in chosen}
        assert pairs == set(product(options[one], options[other])), (one, other)


def test_the_file_is_whole():
    assert len(CASES) >= 450
    assert len(PASSES) >= 100
    assert [case["id"] for case in CASES] == [f"{number:03}" for number in range(len(CASES))]
    for cases, least in ((CARDS, 15), (PASSES, 4)):
        levels = Counter(case["ai_config"].get("level") for case in cases)
        assert all(levels[level] >= least for level in LEVELS), levels
        assert {case["ai_config"].get("player_type") for case in cases} >= {*PLAYER_TYPES}


def test_unusual_decisions_and_rules_are_there():
    results = [case["result"] for case in CARDS]
    for flag in ("exact", "blunder", "forced"):
        assert {result[flag] for result in results} == {True, False}
    # those that really searched so, not those that fell back to another algorithm
    searched = Counter(result["algorithm"] for result in results if not result["exact"])
    assert {*searched} == {*CARD_OPTIONS["algorithm"]}
    assert min(searched.values()) >= 40, searched
    rolled = [case["result"]["algorithm"] for case in CARDS if case["family"] == "rollouts"]
    assert {*rolled} == {"rollouts"}
    assert {each["tree_advantage"] != 0 for result in results for each in result["cards"]} == {
        True,
        False,
    }
    assert len({str(case["game_state"].get("rules")) for case in CASES}) >= 15
    assert {case["game_state"].get("current_player", 0) for case in CASES} == {0, 1, 2, 3}
    assert sum("also" in case and case["result"]["cost"] is not None for case in PASSES) >= 6


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("card", lambda card: "XX"),
        ("view", lambda view: view[::-1]),
        ("exact", lambda exact: not exact),
        ("simulations", lambda simulations: simulations + 1),
        ("effective_worlds", lambda worlds: worlds * (1 + 1e-8)),
        ("cards", lambda cards: cards[:-1]),
    ],
)
def test_a_changed_value_is_found(key, change):
    then = CARDS[0]["result"]
    assert not [*differences(deepcopy(then), then)]
    now = then | {key: change(then[key])}
    assert [place.split(":")[0] for place in differences(now, then)] == [f".{key}"]


def test_a_changed_number_of_a_card_or_candidate_is_found():
    for cases, below in ((CARDS, "cards"), (PASSES, "candidates")):
        then = next(case["result"] for case in cases if case["result"][below])
        for key, value in then[below][0].items():
            if isinstance(value, int | float):
                now = deepcopy(then)
                now[below][0][key] = value + (1 if isinstance(value, int) else 1e-6)
                assert len([*differences(now, then)]) == 1, key

"""Search options that are rejected, each with the exact message."""

from __future__ import annotations

import pytest

from tests.server.api import OPENING, SHORT

HAND = {"player_hand": SHORT}
CONFIGS = {
    "1e12 simulations": (
        {"simulations": 10**12},
        "simulations: 1000000000000 is more than the 1000000 that this service allows",
    ),
    "1e12 simulations as a float": (
        {"simulations": 1e12},
        "simulations: 1000000000000 is more than the 1000000 that this service allows",
    ),
    "4000 digits": (
        {"simulations": 10**4000},
        "simulations: such a number is more than the 1000000 that this service allows",
    ),
    "too many worlds": (
        {"worlds": 10_001},
        "worlds: 10001 is more than the 10000 that this service allows",
    ),
    "no worlds": ({"worlds": 0}, "worlds: 0 is out of range: 1 to 10000"),
    "too long": (
        {"time_ms": 10_001},
        "time_ms: 10001 is more than the 10000 that this service allows",
    ),
    "no time": ({"time_ms": 0}, "time_ms: 0 is out of range: 1 to 60000"),
    "epsilon 2": ({"epsilon": 2}, "epsilon: 2 is out of range: 0 to 1"),
    "negative c": ({"c": -1}, "c: -1 is out of range: 0 to 100"),
    "seed -1": ({"seed": -1}, "seed: -1 is out of range: 0 to 18446744073709551615"),
    "algorithm": (
        {"algorithm": "magic"},
        "algorithm: 'magic' is unknown; choose pimc, ismcts, open-loop, rollouts",
    ),
    "level": (
        {"level": "god"},
        "level: 'god' is unknown; choose easy, medium, hard, expert",
    ),
    "lambda alone": ({"lambda": 0.3}, "lambda: only the belief 'mixture' has a λ"),
    "lambda for another": (
        {"belief": "OM-1", "lambda": 0.3},
        "lambda: only the belief 'mixture' has a λ",
    ),
}


@pytest.mark.parametrize("case", CONFIGS)
def test_a_config_out_of_its_range(api, case):
    config, message = CONFIGS[case]
    status, answer = api.post("/api/move", {"game_state": HAND, "ai_config": config})
    assert (status, answer["error_code"]) == (400, "AI_CONFIG_ERROR")
    assert answer["message"] == f"ai_config.{message}"


@pytest.mark.parametrize(("option", "reason"), [
    ("simulatoins", "there is no such option; did you mean 'simulations'?"),
    ("Level", "there is no such option; did you mean 'level'?"),
    ("timeout_ms", "there is no such option; did you mean 'time_ms'?"),
    ("xyzzy", "there is no such option; the options are aggregation, algorithm, "),
])  # fmt: skip
@pytest.mark.parametrize("path", ["/api/move", "/api/play-one", "/api/pass"])
def test_an_unknown_option_is_refused_with_the_closest_one(api, path, option, reason):
    hand = {"player_hand": OPENING, "pass_direction": 1} if path == "/api/pass" else HAND
    status, answer = api.post(path, {"game_state": hand, "ai_config": {option: 1}})
    assert (status, answer["error_code"]) == (400, "AI_CONFIG_ERROR")
    assert answer["message"].startswith(f"ai_config.{option}: {reason}")


@pytest.mark.parametrize("path", ["/api/move", "/api/play-one", "/api/analysis"])
def test_an_option_beside_the_config_is_refused(api, path):
    given = {"states": [HAND]} if path == "/api/analysis" else {"game_state": HAND}
    status, answer = api.post(path, given | {"level": "hard"})
    assert (status, answer["error_code"]) == (400, "AI_CONFIG_ERROR")
    assert answer["message"] == "level: is misplaced: it belongs in ai_config"


def test_options_of_existing_clients_beside_the_config_are_ignored_with_a_warning(api):
    status, answer = api.post("/api/move", {"game_state": HAND, "simulations": 50, "worlds": 5})
    assert status == 200
    assert answer["warnings"] == ["simulations: unknown, ignored", "worlds: unknown, ignored"]


def test_an_unknown_belief_is_refused_with_those_there_are(api):
    status, answer = api.post("/api/move", {"game_state": HAND, "ai_config": {"belief": "OM-9"}})
    assert (status, answer["error_code"]) == (400, "AI_CONFIG_ERROR")
    assert answer["message"].startswith("ai_config.belief: 'OM-9' is not installed; choose ")

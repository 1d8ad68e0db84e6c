"""Search options that are rejected, each with the exact message."""

from __future__ import annotations

import pytest

from tests.server.api import SHORT

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


def test_an_unknown_belief_is_refused_with_those_there_are(api):
    status, answer = api.post("/api/move", {"game_state": HAND, "ai_config": {"belief": "OM-9"}})
    assert (status, answer["error_code"]) == (400, "AI_CONFIG_ERROR")
    assert answer["message"].startswith("ai_config.belief: 'OM-9' is not installed; choose ")

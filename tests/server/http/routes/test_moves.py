"""Answers to /api/move and /api/play-one: options, seeds, statistics, explanations."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from hearts.engine.config import published
from hearts.engine.levels import LEVELS
from hearts.game.cards import parse_card, symbol
from server.search.options import PLAYER_TYPES
from tests.server.api import FAST, OPENING, SHORT, cards, play, trick

FIRST = trick(2, "2C AC 7C 3C", winner=3)
SECOND = trick(3, "4D 8D 2D KD", winner=2)
AFTER = cards("9C QC 3D JD 4S QS KS 2H 6H 9H AH")
FULL = {
    "player_hand": AFTER,
    "trick_history": [FIRST, SECOND],
    "current_trick": trick(2, "5D 6D"),
    "rules": 2465,
}


def test_a_move_has_the_fields_that_clients_read(api):
    answer = api.move({"player_hand": SHORT})
    assert answer["status"] == "success"
    assert set(answer["move"]) == {"card", "player"}
    assert answer["move"]["card"] in SHORT
    assert answer["move"]["player"] == 0
    assert isinstance(answer["computation_time_ms"], float)


def test_the_config_may_be_left_out(api):
    status, answer = api.post("/api/move", {"game_state": {"player_hand": SHORT}})
    assert status == 200
    assert answer["simulations"] == answer["config"]["simulations"] == 10_000
    assert answer["worlds"] == 30
    assert answer["config"]["epsilon"] == 0.1


@pytest.mark.parametrize("config", [None, {}, {"simulations": None, "seed": None, "belief": None}])
def test_null_means_absent_in_the_config(api, config):
    status, answer = api.post(
        "/api/move", {"game_state": {"player_hand": SHORT}, "ai_config": config}
    )
    assert (status, answer["simulations"]) == (200, 10_000)


def test_play_one_has_fast_defaults(api):
    status, answer = api.post("/api/play-one", {"game_state": {"player_hand": SHORT}})
    assert (status, answer["simulations"], answer["worlds"]) == (200, 1_000, 20)
    assert answer["move"]["card"] in SHORT


def test_play_one_takes_simulations_and_player_type(api):
    body = {"game_state": {"player_hand": SHORT}, "simulations": 50, "player_type": "simple"}
    status, answer = api.post("/api/play-one", body)
    assert (status, answer["simulations"], answer["config"]["reward"]) == (200, 50, "points")
    assert answer["warnings"] == []


def test_what_is_said_about_the_options_of_play_one_names_them_as_they_were_sent(api):
    body = {"game_state": {"player_hand": SHORT}, "simulations": 0, "player_type": "bogus"}
    counted, unknown = api.post("/api/play-one", body)[1]["warnings"]
    assert counted == "simulations: 0 counts as 1"
    assert unknown.startswith("player_type: 'bogus' is unknown (known: simple, ")
    status, answer = api.post("/api/play-one", body | {"simulations": 10**9})
    assert (status, answer["error_code"]) == (400, "AI_CONFIG_ERROR")
    assert answer["message"].startswith("simulations: 1000000000 is more than ")
    both = body | {"simulations": 50, "ai_config": {"simulations": 10**9, "worlds": 0}}
    assert api.post("/api/play-one", both)[1]["message"].startswith("ai_config.worlds: 0 is out ")


@pytest.mark.parametrize("kind", PLAYER_TYPES)
def test_every_player_type_plays(api, kind):
    answer = api.move({"player_hand": SHORT}, player_type=kind)
    assert answer["move"]["card"] in SHORT
    assert PLAYER_TYPES[kind].items() <= answer["config"].items()
    assert answer["warnings"] == []


@pytest.mark.parametrize("kind", PLAYER_TYPES)
def test_the_global_player_types_look_at_the_match_where_it_is_known(api, kind):
    state = {"player_hand": SHORT, "match_scores": [90, 10, 20, 30]}
    reward = api.move(state, player_type=kind)["config"]["reward"]
    assert (reward == "match") == kind.startswith("global")


@pytest.mark.parametrize("match", [{}, {"match_scores": [90, 10, 20, 30]}])
def test_no_two_player_types_are_the_same(api, match):
    state = {"player_hand": ["5H"]} | match
    configs = [api.move(state, player_type=kind)["config"] for kind in PLAYER_TYPES]
    configs.append(api.move(state)["config"])
    assert all(configs.count(config) == 1 for config in configs)


def test_an_unknown_player_type_falls_back_with_a_warning(api):
    answer = api.move({"player_hand": SHORT}, player_type="bogus")
    assert answer["move"]["card"] in SHORT
    (warning,) = answer["warnings"]
    assert warning.startswith("ai_config.player_type: 'bogus' is unknown (known: simple, ")


@pytest.mark.parametrize("simulations", [0, -5, -(10**15)])
def test_fewer_simulations_than_one_count_as_one(api, simulations):
    answer = api.move({"player_hand": SHORT}, simulations=simulations)
    assert answer["simulations"] == 1
    assert answer["warnings"] == [f"ai_config.simulations: {simulations} counts as 1"]


def test_one_legal_card_is_answered_without_a_search(api):
    answer = api.move({"player_hand": ["5H"]})
    assert answer["move"]["card"] == "5H"
    assert answer["analysis"] == []
    assert answer["explanation"] == "♥5 is the only legal card."


def test_many_clients_at_once_get_their_own_answers(api):
    def ask(seat: int) -> bool:
        state = {"player_hand": SHORT, "current_player": seat % 4}
        client = api.app.test_client()
        body = {"game_state": state, "ai_config": FAST | {"simulations": 500}}
        answer = client.post("/api/move", json=body).json
        return answer["status"] == "success" and answer["move"]["player"] == seat % 4

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(24)))


def test_the_same_seed_and_state_give_the_same_answer(api):
    one, two = (api.move(FULL | {"current_trick": trick(2, "5S 3S")}, seed=7) for _ in range(2))
    drop = ("computation_time_ms", "config")
    assert {k: v for k, v in one.items() if k not in drop} == {
        k: v for k, v in two.items() if k not in drop
    }
    assert one["seed"] == 7


def test_the_answer_s_config_reproduces_it(api):
    body = {"game_state": {"player_hand": SHORT}, "ai_config": {"simulations": 300}}
    first = api.post("/api/move", body)[1]
    again = api.post("/api/move", body | {"ai_config": first["config"]})[1]
    assert again["analysis"] == first["analysis"]
    assert again["seed"] == first["seed"]


def test_without_a_seed_each_search_has_its_own(api):
    body = {"game_state": {"player_hand": SHORT}, "ai_config": {"simulations": 10}}
    assert len({api.post("/api/move", body)[1]["seed"] for _ in range(4)}) == 4


def test_the_statistics_of_every_legal_card_best_first(api):
    answer = api.move({"player_hand": SHORT}, simulations=300)
    ranked = [move["card"] for move in answer["analysis"]]
    assert sorted(ranked) == sorted(answer["legal_cards"])
    assert ranked[0] == answer["move"]["card"]
    scores = [move["score"] for move in answer["analysis"]]
    assert scores == sorted(scores, reverse=True)
    assert answer["explanation"].startswith(symbol(parse_card(answer["move"]["card"])))


def test_a_card_that_was_never_tried_has_no_statistics(api):
    answer = api.move({"player_hand": SHORT}, simulations=3, worlds=3)
    untried = [move for move in answer["analysis"] if not move["visits"]]
    assert untried
    for move in untried:
        known = {key for key, value in move.items() if value is not None}
        assert known == {"card", "votes", "visits"}
    assert answer["analysis"][0]["points"] is not None
    one = api.move({"player_hand": SHORT}, simulations=1, worlds=1)
    assert one["explanation"].endswith("No other card was tried.")


def test_explanations_can_be_left_out(api):
    answer = api.move({"player_hand": SHORT}, explain=False)
    assert not {"analysis", "explanation"} & answer.keys()


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_is_a_config(api, level):
    answer = api.post("/api/move", {"game_state": FULL, "ai_config": {"level": level, "seed": 1}})[
        1
    ]
    config = published(vars(LEVELS[level]))
    expected = {k: v for k, v in config.items() if k not in ("seed", "threads")}
    assert expected.items() <= answer["config"].items()


def test_an_answer_does_not_tell_how_many_cores_were_free(api):
    state = {"player_hand": SHORT}
    assert "threads" not in api.move(state)["config"]
    dealt = {"player_hand": OPENING, "pass_direction": 1}
    passed = api.post("/api/pass", {"game_state": dealt, "ai_config": {"passing": "rule"}})[1]
    assert "threads" not in passed["config"]
    assert api.move(state, threads=1)["config"]["threads"] == 1


def test_named_options_go_over_the_level(api):
    answer = api.move(FULL, level="hard", simulations=10)
    assert answer["config"]["algorithm"] == LEVELS["hard"].algorithm
    assert answer["simulations"] == 10


@pytest.mark.parametrize("options", [
    {"algorithm": "ismcts"}, {"algorithm": "open-loop"}, {"playout": "uniform"},
    {"aggregation": "vote"}, {"reward": "relative"}, {"c": 1.5}, {"time_ms": 5},
    {"threads": 1}, {"use_threads": False}, {"belief": "OM-1"}, {"clock": "cpu", "time_ms": 5},
])  # fmt: skip
def test_every_knob_of_the_search_can_be_turned(api, options):
    answer = api.move({"player_hand": SHORT}, **options)
    expected = {"threads": 1} if "use_threads" in options else options
    assert expected.items() <= answer["config"].items()
    assert answer["warnings"] == []


def test_a_renamed_option_has_both_names_and_is_answered_by_the_published_one(api):
    for weight, simulations in (("prior", "counsel"), ("policy_weight", "auxiliary_simulations")):
        answer = api.move({"player_hand": SHORT}, **{weight: 0.5, simulations: 7})
        assert (answer["config"]["prior"], answer["config"]["counsel"]) == (0.5, 7)
        assert answer["warnings"] == []
    for config, named in (
        ({"prior": 101}, "prior"),
        ({"policy_weight": 101}, "policy_weight"),
        ({"prior": 0.5, "policy_weight": 0.5}, "policy_weight"),
    ):
        body = {"game_state": {"player_hand": SHORT}, "ai_config": config}
        status, answer = api.post("/api/move", body)
        assert (status, answer["error_code"]) == (400, "AI_CONFIG_ERROR")
        assert answer["message"].startswith(f"ai_config.{named}: ")


def test_a_client_that_names_nothing_gets_the_strong_default(api):
    expected = {"algorithm": "pimc", "belief": "OM-2", "playout": "softmax",
                "reward": "difference", "endgame": 3, "epsilon": 0.1}  # fmt: skip
    dealt = {"player_hand": OPENING, "pass_direction": 1}
    for path, state in (("/api/move", FULL), ("/api/play-one", FULL), ("/api/pass", dealt)):
        answer = api.post(path, {"game_state": state})[1]
        assert expected.items() <= answer["config"].items(), path
    votes = [move["votes"] for move in api.move(FULL, worlds=30)["analysis"]]
    assert sum(votes) == pytest.approx(30)


@pytest.mark.parametrize(("config", "playout"), [
    ({"epsilon": 0.1}, "epsilon-greedy"),
    ({"epsilon": 0.3, "playout": "shoot-aware"}, "shoot-aware"),
    ({"playout": "uniform"}, "uniform"), ({"level": "hard", "epsilon": 0.2}, "epsilon-greedy"),
    ({}, "softmax"),
])  # fmt: skip
def test_a_client_that_names_epsilon_or_a_playout_gets_it(api, config, playout):
    answer = api.move(FULL, **config)
    assert answer["config"]["playout"] == playout
    assert answer["config"]["epsilon"] == config.get("epsilon", 0.1)


def test_the_time_of_a_move_bounds_the_sampling_of_worlds(api):
    answer = api.move(FULL, belief="OM-2", time_ms=1, worlds=10_000)
    assert answer["warnings"] == ["time was up before OM-2 had sampled a world: OM-1 sampled them"]
    assert answer["simulations"] > 0


PARTIAL = {"player_hand": SHORT}
NO_QUEEN = FULL | {"rules": 2464}


@pytest.mark.parametrize(("state", "config", "warnings"), [
    (FULL, {"level": "expert"}, []),
    (PARTIAL, {}, []),
    (NO_QUEEN, {}, []),
    (PARTIAL, {"level": "expert"}, []),
    (FULL | {"rules": 2467}, {"level": "expert", "playout": "epsilon-greedy"}, []),
    (NO_QUEEN, {"level": "expert"},
     ["ai_config.level: rollouts by the network need the usual penalties: the policy of cautious "
      "played them",
      "ai_config.level: softmax playouts need the usual scoring: epsilon-greedy was used"]),
    (NO_QUEEN, {"playout": "softmax"},
     ["ai_config.playout: softmax playouts need the usual scoring: epsilon-greedy was used"]),
])  # fmt: skip
def test_a_fallback_from_what_the_client_chose_is_warned_of(api, state, config, warnings):
    assert api.move(state, **config)["warnings"] == warnings


def test_unknown_fields_are_named_everywhere(api):
    table = {"cards": [play("9D", 3) | {"loud": True}], "suit": "D"}
    state = {"player_hand": SHORT, "mood": 1, "current_trick": table,
             "rules": {"queen_penalty": True, "nice": True, "moon": None}}  # fmt: skip
    body = {"game_state": state, "ai_config": FAST | {"debug": 9, "name": None}, "extra": []}
    status, answer = api.post("/api/move", body)
    assert status == 200
    assert sorted(answer["warnings"]) == [
        "ai_config.debug: unknown, ignored",
        "ai_config.name: unknown, ignored",
        "extra: unknown, ignored",
        "game_state.current_trick.cards[0].loud: unknown, ignored",
        "game_state.current_trick.suit: unknown, ignored",
        "game_state.mood: unknown, ignored",
        "game_state.rules.nice: unknown, ignored",
    ]

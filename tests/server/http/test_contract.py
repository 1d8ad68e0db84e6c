"""The contract that Hearts clients already rely on, and what the service adds to it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from hearts.engine.config import published
from hearts.engine.levels import LEVELS
from hearts.game.cards import names, parse_card, parse_cards, symbol
from hearts.game.rules import Rules
from hearts.views.codec import decode_state
from server import version
from server.http.schemas.states import GameStateSchema
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


# What clients have always been able to do.


@pytest.mark.parametrize("path", ["/api/health", "/healthz"])
def test_health(api, path):
    assert api.client.get(path).json == {"status": "ok", "version": version()}


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


def test_null_means_absent_in_the_state(api):
    nothing = dict.fromkeys(GameStateSchema().fields)
    with_nulls = api.move(nothing | {"player_hand": SHORT})
    assert with_nulls["warnings"] == []
    assert with_nulls["view_hash"] == api.move({"player_hand": SHORT})["view_hash"]
    empty_trick = {"cards": None, "lead_player": None, "winner": None}
    assert api.move({"player_hand": SHORT, "current_trick": empty_trick})["warnings"] == []


@pytest.mark.parametrize("field", ["played_cards", "scores", "match_scores"])
def test_an_empty_list_of_seats_says_nothing(api, field):
    state = {"player_hand": SHORT}
    answer = api.move(state | {field: []}, player_type="global")
    assert (answer["warnings"], answer["config"]["reward"]) == ([], "difference")
    assert answer["view_hash"] == api.move(state)["view_hash"]


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


@pytest.mark.parametrize("size", range(1, 13))
def test_short_hands_without_any_history(api, size):
    hand = OPENING[:size]
    for rules in ({}, {"rules": 0}):
        answer = api.move({"player_hand": hand} | rules)
        assert answer["move"]["card"] in hand


def test_rules_0_allow_any_lead(api):
    answer = api.move({"player_hand": ["2C", "JH", "QS"], "rules": 0})
    assert set(answer["legal_cards"]) == {"2C", "JH", "QS"}


def test_absent_rules_are_those_of_the_clients(api):
    rules = Rules.from_mask(0xBC1)
    named = [
        "queen_penalty", "must_break_hearts", "queen_breaks_hearts",
        "no_hearts_first_trick", "no_queen_first_trick", "lead_clubs",
    ]  # fmt: skip
    flags = {name: getattr(rules, name) for name in rules.__dataclass_fields__}
    assert sorted(name for name, on in flags.items() if on is True) == sorted(named)
    state = {"player_hand": SHORT}
    assert api.move(state)["view_hash"] == api.move(state | {"rules": 0xBC1})["view_hash"]


def test_rules_by_name_and_by_mask_are_the_same(api):
    by_name = {"player_hand": SHORT, "rules": {"lead_2_clubs": True, "lead_clubs": False}}
    mask = Rules.parse(by_name["rules"], Rules.from_mask(0xBC1)).mask
    by_mask = {"player_hand": SHORT, "rules": mask}
    assert api.move(by_name)["view_hash"] == api.move(by_mask)["view_hash"]


def test_suit_is_followed(api):
    answer = api.move({"player_hand": SHORT, "current_trick": trick(3, "9D"), "rules": 0})
    assert answer["move"]["card"] == "8D"
    assert answer["simulations"] == 0


def test_one_legal_card_is_answered_without_a_search(api):
    answer = api.move({"player_hand": ["5H"]})
    assert answer["move"]["card"] == "5H"
    assert answer["analysis"] == []
    assert answer["explanation"] == "♥5 is the only legal card."


def test_ten_is_read_in_both_forms_and_written_as_10(api):
    for ten in ("10D", "TD", "td", "10♦"):
        assert api.move({"player_hand": [ten]})["move"]["card"] == "10D"


def test_a_full_history_is_replayed(api):
    answer = api.move(FULL)
    assert set(answer["legal_cards"]) == {"3D", "JD"}
    assert answer["warnings"] == []


def test_hearts_lead_only_once_broken(api):
    state = {"player_hand": ["2C", "JH"], "scores": [0, 0, 0, 0]}
    assert api.move(state | {"hearts_broken": False})["legal_cards"] == ["2C"]
    assert api.move(state | {"hearts_broken": True})["legal_cards"] == ["2C", "JH"]


def test_history_wins_over_claims_with_a_warning(api):
    answer = api.move(FULL | {"hearts_broken": True, "scores": [0, 5, 0, 0]})
    assert answer["warnings"] == [
        "game_state.hearts_broken: true is claimed, false is seen; what is seen counts",
        "game_state.scores[1]: 5 is claimed, 0 is seen; what is seen counts",
    ]
    claims = {"played_cards": [[], ["AC"], [], []]}
    (warning,) = api.move(FULL | claims)["warnings"]
    assert warning == "game_state.played_cards[1]: the history has no trick with AC for it"


def test_claims_that_agree_with_the_history_are_quiet(api):
    won = [[], [], names(parse_cards("4D 8D 2D KD")), names(parse_cards("2C AC 7C 3C"))]
    claims = {"hearts_broken": False, "scores": [0] * 4, "played_cards": won}
    assert api.move(FULL | claims)["warnings"] == []


def test_without_history_claims_are_believed(api):
    state = {"player_hand": SHORT, "scores": [3, 1, 0, 0], "hearts_broken": True}
    assert api.move(state)["warnings"] == []
    state |= {"played_cards": [["2H", "3H", "4H"], ["5H"], [], []]}
    assert api.move(state)["warnings"] == []


@pytest.mark.parametrize("points", [-10, 27, 1000])
def test_a_claim_that_is_not_believed_breaks_no_hearts(api, points):
    state = {"player_hand": SHORT, "scores": [points, 0, 0, 0]}
    (warning,) = api.move(state)["warnings"]
    assert warning == f"game_state.scores[0]: {points} is claimed, 0 is seen; what is seen counts"
    answer = api.post("/api/legal", {"game_state": state})[1]
    assert (answer["hearts_broken"], "JH" in answer["legal_cards"]) == (False, False)
    assert decode_state(state).view.points == (0, 0, 0, 0)
    believed = api.post("/api/legal", {"game_state": state | {"scores": [1, 0, 0, 0]}})[1]
    assert (believed["hearts_broken"], "JH" in believed["legal_cards"]) == (True, True)


def test_a_long_number_is_not_quoted_at_length_in_a_warning(api):
    (warning,) = api.move({"player_hand": SHORT, "scores": [10**4000, 0, 0, 0]})["warnings"]
    assert len(warning) < 600
    (warning,) = api.move({"player_hand": SHORT}, simulations=-(10**4000))["warnings"]
    assert len(warning) < 600


def test_the_last_tricks_alone_count_as_what_was_won(api):
    answer = api.move({"player_hand": ["9C", "QC", "3D"], "trick_history": [FIRST, SECOND],
                       "current_trick": trick(2, "5D 6D")})  # fmt: skip
    assert answer["legal_cards"] == ["3D"]
    (warning,) = answer["warnings"]
    assert warning == "game_state.trick_history: 2 of 10 tricks: only who won what counts"


def test_leading_thirteen_cards_without_the_opening_card(api):
    hand = ["3C", *OPENING[1:]]
    for rules in (2465, 0xBC1):
        answer = api.move({"player_hand": hand, "rules": rules})
        assert answer["move"]["card"] in hand
        (warning,) = answer["warnings"]
        assert warning == (
            "game_state.current_trick.lead_player: seat 0 opens the hand, but did not have the 2C:"
            " the rule about the opening is not applied"
        )


def test_following_a_stranger_s_opening_with_the_2_of_clubs_in_hand(api):
    state = {"player_hand": OPENING, "current_trick": trick(3, "6D"), "rules": 2465}
    answer = api.move(state)
    assert answer["move"]["card"] in {"3D", "8D", "KD"}
    assert "the rule about the opening is not applied" in answer["warnings"][0]


@pytest.mark.parametrize("seat", range(4))
def test_any_seat_may_ask(api, seat):
    state = {
        "player_hand": SHORT,
        "current_player": seat,
        "current_trick": trick((seat + 3) % 4, "9D"),
    }
    assert api.move(state)["move"] == {"card": "8D", "player": seat}


def test_a_whole_number_may_be_written_with_a_point(api):
    answer = api.move({"player_hand": SHORT, "current_player": 0.0}, simulations=50.0)
    assert answer["simulations"] == 50
    hashes = [
        api.move({"player_hand": SHORT, "rules": rules})["view_hash"]
        for rules in (
            {"target_score": 50, "pass_cycle": [1, 0]},
            {"target_score": 50.0, "pass_cycle": [1.0, 0.0]},
        )
    ]
    assert hashes[0] == hashes[1]


def test_errors_have_one_shape(api):
    status, answer = api.post("/api/move", {})
    assert status == 400
    assert answer == {
        "status": "error", "error_code": "PARSE_ERROR", "message": "game_state: is missing",
    }  # fmt: skip


@pytest.mark.parametrize(("method", "path", "status"), [
    ("get", "/api/nowhere", 404), ("post", "/nowhere", 404), ("post", "/", 405),
    ("get", "/api/move", 405), ("delete", "/api/move", 405),
    ("post", "/api/health", 405), ("put", "/api/play-one", 405),
])  # fmt: skip
def test_wrong_paths_and_methods(api, method, path, status):
    answer = getattr(api.client, method)(path)
    assert (answer.status_code, answer.json["error_code"]) == (status, "HTTP_ERROR")
    assert answer.json["message"].startswith(f"{path}: ")
    assert (status == 405) == ("Allow" in answer.headers)


def test_a_wrong_method_is_told_the_right_ones(api):
    message = api.client.put("/api/move").json["message"]
    assert message == "/api/move: PUT is not answered here; choose OPTIONS, POST"
    assert api.client.get("/nowhere").json["message"] == "/nowhere: there is no such path"


@pytest.mark.parametrize("path", ["/api/health", "/api/move", "/api/play-one", "/api/pass"])
def test_pages_of_any_origin_may_call(api, path):
    asked = {"Origin": "http://a.example", "Access-Control-Request-Method": "POST",
             "Access-Control-Request-Headers": "content-type"}  # fmt: skip
    answer = api.client.options(path, headers=asked)
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    assert "content-type" in answer.headers["Access-Control-Allow-Headers"]


@pytest.mark.parametrize("path", ["/api/move", "/api/health", "/api/nowhere", "/", "*"])
def test_a_plain_options_is_answered_everywhere(api, path):
    answer = api.client.options(path)
    assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (200, "*")
    assert answer.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS, POST"
    assert "Content-Type" in answer.headers["Access-Control-Allow-Headers"]


def test_even_errors_carry_the_cors_headers(api):
    for answer in (api.send("/api/move", b"{"), api.client.get("/nowhere")):
        assert "Retry-After" in answer.headers["Access-Control-Expose-Headers"]
        assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_many_clients_at_once_get_their_own_answers(api):
    def ask(seat: int) -> bool:
        state = {"player_hand": SHORT, "current_player": seat % 4}
        client = api.app.test_client()
        body = {"game_state": state, "ai_config": FAST | {"simulations": 500}}
        answer = client.post("/api/move", json=body).json
        return answer["status"] == "success" and answer["move"]["player"] == seat % 4

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(24)))


# What the service adds.


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


def test_unknown_fields_are_named_everywhere(api):
    table = {"cards": [play("9D", 3) | {"loud": True}], "suit": "D"}
    state = {"player_hand": SHORT, "mood": 1, "current_trick": table,
             "rules": {"queen_penalty": True, "nice": True, "moon": None}}  # fmt: skip
    body = {"game_state": state, "ai_config": FAST | {"speed": 9, "haste": None}, "extra": []}
    status, answer = api.post("/api/move", body)
    assert status == 200
    assert sorted(answer["warnings"]) == [
        "ai_config.haste: unknown, ignored",
        "ai_config.speed: unknown, ignored",
        "extra: unknown, ignored",
        "game_state.current_trick.cards[0].loud: unknown, ignored",
        "game_state.current_trick.suit: unknown, ignored",
        "game_state.mood: unknown, ignored",
        "game_state.rules.nice: unknown, ignored",
    ]


def test_passed_and_received_cards_are_known(api):
    # I gave K♠ A♠ 2♦ to the left and have J♦ from the right.
    state = {
        "player_hand": OPENING, "pass_direction": 1, "rules": 4001,
        "passed_cards": ["KS", "AS", "2D"], "received_cards": ["3D", "8D", "QS"],
    }  # fmt: skip
    status, answer = api.post("/api/beliefs", {"game_state": state})
    assert status == 200
    assert answer["probabilities"]["KS"] == [0, 1, 0, 0]
    assert {"KS", "AS", "2D"} <= set(answer["known"][1])


def test_target_score_and_match_scores_change_what_is_known(api):
    base = {"player_hand": SHORT}
    hashes = {
        api.move(base | more)["view_hash"]
        for more in ({}, {"match_scores": [1, 2, 3, 4]}, {"target_score": 50})
    }
    assert len(hashes) == 3

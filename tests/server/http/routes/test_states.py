"""Game states of clients: what may be left out, and how histories and claims are read."""

from __future__ import annotations

import pytest

from hearts.game.cards import names, parse_cards
from hearts.game.rules import PASSING, Rules
from hearts.views.codec import decode_state
from server.http.schemas.states import GameStateSchema
from tests.server.api import OPENING, SHORT, cards, trick

FIRST = trick(2, "2C AC 7C 3C", winner=3)
SECOND = trick(3, "4D 8D 2D KD", winner=2)
AFTER = cards("9C QC 3D JD 4S QS KS 2H 6H 9H AH")
FULL = {
    "player_hand": AFTER,
    "trick_history": [FIRST, SECOND],
    "current_trick": trick(2, "5D 6D"),
    "rules": 2465,
}


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


@pytest.mark.parametrize("size", range(1, 13))
def test_short_hands_without_any_history(api, size):
    hand = OPENING[:size]
    for rules in ({}, {"rules": 0}):
        answer = api.move({"player_hand": hand} | rules)
        assert answer["move"]["card"] in hand


def test_rules_0_allow_any_lead(api):
    answer = api.move({"player_hand": ["2C", "JH", "QS"], "rules": 0})
    assert set(answer["legal_cards"]) == {"2C", "JH", "QS"}


def test_absent_rules_are_those_of_the_usual_game(api):
    state = {"player_hand": SHORT}
    assert api.move(state)["view_hash"] == api.move(state | {"rules": PASSING.mask})["view_hash"]
    assert api.move({"player_hand": OPENING})["legal_cards"] == ["2C"]


def test_without_rules_an_opening_with_another_club_is_accepted_with_a_warning(api):
    """As clients send it whose rules let any club open the hand."""
    state = {
        "player_hand": ["2C", *OPENING[2:]],
        "trick_history": [trick(0, "5C 6C 3C KC", winner=3)],
        "current_trick": trick(3, "AD"),
    }
    answer = api.move(state)
    (warning,) = answer["warnings"]
    assert warning.startswith("game_state.trick_history[0].cards[0]: seat 0 cannot play 5C ")
    assert warning.endswith(": the rule about the opening is not applied")
    assert set(answer["legal_cards"]) == {"3D", "8D", "KD"}
    code, message = api.refused(state | {"rules": PASSING.mask})
    assert (code, "the 2C opens the hand" in message) == ("INVALID_GAME_STATE", True)
    assert api.move(state | {"rules": {"lead_clubs": True}})["warnings"] == []


@pytest.mark.parametrize("more", [{}, {"rules": 4001}, {"passed_cards": []}, {"rules": 2465,
    "passed_cards": [], "current_trick": {"cards": [], "lead_player": 0}}])  # fmt: skip
def test_before_the_pass_a_move_is_refused(api, more):
    code, message = api.refused({"player_hand": OPENING, "pass_direction": 1} | more)
    assert code == "INVALID_GAME_STATE"
    assert message.startswith("game_state.pass_direction: ")
    assert "pass first (POST /api/pass)" in message


@pytest.mark.parametrize("more", [
    {"current_trick": {"cards": [], "lead_player": 0}}, {"rules": 2465}, {"pass_direction": 0},
    {"passed_cards": ["KS", "AS", "2D"], "received_cards": ["3D", "8D", "QS"]},
])  # fmt: skip
def test_clients_that_ignore_passes_get_a_card(api, more):
    assert api.move({"player_hand": OPENING, "pass_direction": 1} | more)["move"]["card"] == "2C"


def test_rules_by_name_and_by_mask_are_the_same(api):
    by_name = {"player_hand": SHORT, "rules": {"lead_2_clubs": True, "lead_clubs": False}}
    mask = Rules.parse(by_name["rules"], PASSING).mask
    by_mask = {"player_hand": SHORT, "rules": mask}
    assert api.move(by_name)["view_hash"] == api.move(by_mask)["view_hash"]


def test_suit_is_followed(api):
    answer = api.move({"player_hand": SHORT, "current_trick": trick(3, "9D"), "rules": 0})
    assert answer["move"]["card"] == "8D"
    assert answer["simulations"] == 0


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
        "game_state.hearts_broken: true is claimed, false is seen; the claim is ignored",
        "game_state.scores[1]: 5 is claimed, 0 is seen; the claim is ignored",
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
    assert warning == f"game_state.scores[0]: {points} is claimed, 0 is seen; the claim is ignored"
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
    assert warning == "game_state.trick_history: 2 of 10 tricks: only the cards won are used"


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

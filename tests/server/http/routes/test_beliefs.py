"""Answers to /api/beliefs."""

from __future__ import annotations

import pytest

from hearts.engine.beliefs import belief_names
from hearts.game.cards import ALL_CARDS, name
from tests.server.api import OPENING, SHORT, trick


@pytest.mark.parametrize("model", belief_names())
def test_every_model_says_who_holds_what(api, model):
    state = {"player_hand": SHORT, "current_trick": trick(3, "9D")}
    body = {"game_state": state, "model": model, "worlds": 3, "seed": 5}
    status, answer = api.post("/api/beliefs", body)
    assert status == 200
    assert list(answer["probabilities"]) == [name(card) for card in ALL_CARDS]
    if model.startswith("OM-"):  # others may doubt what the seat sees
        table = answer["probabilities"]
        assert table["8D"] == [1, 0, 0, 0]
        assert table["9D"] == [0, 0, 0, 0]
        for seat, held in enumerate([7, 7, 7, 6]):
            assert sum(row[seat] for row in table.values()) == pytest.approx(held, abs=1e-3)
    assert [len(hand) for hand in answer["worlds"][0]["hands"]] == [7, 7, 7, 6]
    assert api.post("/api/beliefs", body)[1]["worlds"] == answer["worlds"]


def test_om3_says_how_the_others_play(api):
    first, second = trick(3, "2C AC 7C 3C"), trick(0, "4D 2D KD 8D")
    hand = "9C QC 3D JD 4S QS KS 2H 6H 9H AH".split()  # noqa: SIM905  # as cards are written
    state = {"player_hand": hand, "trick_history": [first, second], "rules": 2465}
    answer = api.post("/api/beliefs", {"game_state": state, "model": "OM-3"})[1]
    assert answer["types"][0] == {}
    for of_seat in answer["types"][1:]:
        assert sum(of_seat.values()) == pytest.approx(1, abs=1e-3)
        assert list(of_seat.values()) == sorted(of_seat.values(), reverse=True)
        assert {"ducks", "counts cards", "stops moons early", "tries to shoot"} <= set(of_seat)
    assert api.post("/api/beliefs", {"game_state": state, "model": "OM-2"})[1]["types"] == []


def test_the_mixture_takes_its_share_apart_or_in_its_name(api):
    if "mixture" not in belief_names():
        pytest.skip("no mixture is installed")
    state = {"player_hand": SHORT}
    apart = api.post("/api/beliefs", {"game_state": state, "model": "mixture", "lambda": 0.3})[1]
    named = api.post("/api/beliefs", {"game_state": state, "model": "mixture:0.3"})[1]
    assert apart["model"] == named["model"] == "mixture:0.3"
    assert apart["probabilities"] == named["probabilities"]
    move = api.move(state, belief="mixture", **{"lambda": 0.3})
    assert move["model"] == "mixture:0.3"


def test_shown_voids_are_known(api):
    first = trick(2, "2C AC 7C 3C")
    second = trick(3, "4D 8D 2D 5S")  # seat 2 has no diamonds
    hand = "9C QC 3D JD 4S QS KS 2H 6H 9H AH".split()  # noqa: SIM905  # as cards are written
    state = {"player_hand": hand, "trick_history": [first, second], "rules": 2465}
    answer = api.post("/api/beliefs", {"game_state": state})[1]
    assert answer["voids"][2] == ["D"]
    assert all(answer["probabilities"][card][2] == 0 for card in ("5D", "AD", "KD"))


def test_before_the_pass_nobody_is_said_to_lead(api):
    """A direction and no card passed yet: without 2C in the hand, nothing is wrong with that."""
    state = {"player_hand": ["3C", *OPENING[1:]], "pass_direction": 1, "rules": 4001}
    before = api.post("/api/beliefs", {"game_state": state | {"passed_cards": []}})[1]
    assert before["warnings"] == []
    assert before["probabilities"]["2C"] == [0, 0.333333, 0.333333, 0.333333]
    leading = api.post("/api/beliefs", {"game_state": state})[1]
    assert len(leading["warnings"]) == 1
    later = state | {"passed_cards": [], "current_trick": trick(3, "2C")}
    assert api.post("/api/beliefs", {"game_state": later})[1]["warnings"] == []


@pytest.mark.parametrize(("more", "message"), [
    ({"model": "OM-9"}, "model: 'OM-9' is not installed"), ({"worlds": -1}, "worlds: must be 0 to"),
    ({"worlds": 1001}, "worlds: must be 0 to 1000"), ({"seed": -1}, "seed: -1 is out of range: "),
    ({"lambda": 0.5}, "lambda: only the belief 'mixture' has a λ"),
])  # fmt: skip
def test_beliefs_out_of_their_range(api, more, message):
    status, answer = api.post("/api/beliefs", {"game_state": {"player_hand": SHORT}} | more)
    assert (status, answer["error_code"]) == (400, "AI_CONFIG_ERROR")
    assert answer["message"].startswith(message)

"""Answers to /api/legal and /api/models."""

from __future__ import annotations

from hearts.engine.beliefs import belief_names
from hearts.engine.levels import LEVELS
from server.search.options import PLAYER_TYPES
from tests.server.api import SHORT, trick


def test_legal_cards_and_whose_turn_it_is(api):
    state = {"player_hand": SHORT, "current_trick": trick(3, "9D")}
    answer = api.post("/api/legal", {"game_state": state})[1]
    assert (answer["legal_cards"], answer["turn"]) == (["8D"], 0)
    state = {"player_hand": SHORT, "current_trick": trick(2, "9D")}
    answer = api.post("/api/legal", {"game_state": state})[1]
    assert (answer["legal_cards"], answer["turn"]) == ([], 3)
    over = api.post("/api/legal", {"game_state": {"player_hand": []}})[1]
    assert (over["legal_cards"], over["turn"]) == ([], None)


def test_models_lists_everything_that_can_be_chosen(api):
    answer = api.client.get("/api/models").json
    assert [model["name"] for model in answer["models"]] == list(belief_names())
    assert answer["levels"].keys() == LEVELS.keys()
    assert answer["player_types"] == PLAYER_TYPES
    assert answer["defaults"]["move"]["simulations"] == 10_000
    assert answer["ceilings"]["states"] == 64
    for playout in answer["playouts"]:
        assert api.move({"player_hand": SHORT}, playout=playout)["config"]["playout"] == playout
    for aggregation in answer["aggregations"]:
        assert api.move({"player_hand": SHORT}, aggregation=aggregation)["warnings"] == []

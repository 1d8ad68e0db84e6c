"""Every state of recorded hands has an answer: a legal card of the hand."""

from __future__ import annotations

import pytest

from tests.server.states import absolute, sample


@pytest.fixture(scope="module")
def states():
    return sample(300)


@pytest.mark.parametrize("form", ["seat 0", "any seat", "short"])
def test_recorded_states_get_a_legal_card(api, states, form):
    for number, (state, legal) in enumerate(states):
        seat = number % 4 if form == "any seat" else 0
        asked = absolute(state, seat) if seat else state
        if form == "short" and len(state["player_hand"]) < 13:
            asked = {
                key: state[key]
                for key in ("player_hand", "current_trick", "hearts_broken", "rules")
            }
        answer = api.move(asked, simulations=30, worlds=3)
        assert answer["move"] == {"card": answer["move"]["card"], "player": seat}
        assert answer["move"]["card"] in legal
        assert set(answer["legal_cards"]) == set(legal)
        assert form == "short" or answer["warnings"] == []

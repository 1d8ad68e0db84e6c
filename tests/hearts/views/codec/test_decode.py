"""A client's state is read with warnings, or refused in the client's own words."""

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.game.cards import names
from hearts.game.errors import FieldError, ImpossibleView, InvalidRules, NothingToPlay
from hearts.game.rules import PASSING, PassDirection
from hearts.views.codec import decode_state, decode_to_pass, decode_to_play, encode_state
from hearts.views.codec.names import STATE_FIELDS
from hearts.views.view import View
from tests.hearts.games import new_deal, steps

SHORT = ["2D", "8D", "10D", "3S", "QS", "KH", "AH"]
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda values: st.lists(values, max_size=5) | st.dictionaries(st.text(max_size=3), values),
    max_leaves=6,
)


def play(card, player):
    return {"card": card, "player": player}


def states(seed):
    """The state of the player to move before every card of a random hand."""
    rng = np.random.default_rng(seed)
    for deal in steps(new_deal(PASSING, PassDirection.LEFT, rng), rng):
        if deal.turn is not None:
            yield encode_state(View.of(deal, deal.turn, checked=False))


def fault_in(state):
    """The error that a state is refused with, None where it can be read."""
    try:
        decode_to_play(state)
    except FieldError as error:
        return error
    return None


def places_in(value, path=()):
    """The paths to everything inside a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for step, below in inside:
        yield (*path, step)
        if isinstance(below, dict | list):
            yield from places_in(below, (*path, step))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 99), st.integers(0, 51), st.data())
def test_whatever_stands_in_a_field_it_is_read_or_refused_by_its_name(seed, number, data):
    state = deepcopy(list(states(seed))[number])
    *path, last = data.draw(st.sampled_from(list(places_in(state))))
    holder = state
    for step in path:
        holder = holder[step]
    holder[last] = data.draw(JUNK)
    fault = fault_in(state)
    assert fault is None or (fault.path[0] == "game_state" and fault.path[1] in STATE_FIELDS)


@pytest.mark.parametrize(
    ("state", "path", "reason"),
    [
        ({"player_hand": "2C"}, ("player_hand",), "'2C' is not a list"),
        ({"player_hand": [2]}, ("player_hand", 0), "2 is not a card: "),
        ({"current_player": True}, ("current_player",), "True is not a whole number"),
        ({"current_trick": []}, ("current_trick",), "[] is not an object"),
        ({"current_trick": {"cards": ["2C"]}}, ("current_trick", "cards", 0), "'2C' is not an obj"),
        ({"trick_history": {}}, ("trick_history",), "{} is not a list"),
        ({"trick_history": [{"cards": [play("2C", 5)]}]},
         ("trick_history", 0, "cards", 0, "player"), "5: seats are 0 to 3"),
        ({"hearts_broken": 1}, ("hearts_broken",), "1 is neither true nor false"),
        ({"scores": [0, 0, 0, None]}, ("scores", 3), "None is not a whole number"),
        ({"earlier_hands": [{}]}, ("earlier_hands", 0, "trick_history"), "None is not a list"),
        ({"earlier_hands": [{"trick_history": []}]},
         ("earlier_hands", 0, "trick_history"), "0 tricks: a hand that is over has 13"),
        ({"current_trick": {"cards": [play("8C", 3)]}, "played_cards": [["8C"], [], [], []]},
         ("played_cards", 0), "8C: on the table too"),
    ],
)  # fmt: skip
def test_a_fault_has_the_path_of_the_clients_field(state, path, reason):
    with pytest.raises(FieldError) as caught:
        decode_state({"player_hand": SHORT} | state)
    assert caught.value.path == ("game_state", *path)
    assert caught.value.reason.startswith(reason)


@pytest.mark.parametrize(
    ("state", "path"),
    [
        ({"rules": {"moon": "new"}}, ("rules", "moon")),
        ({"rules": {"pass_cycle": [1, 9]}}, ("rules", "pass_cycle", 1)),
        ({"rules": {"target_score": 0}}, ("rules", "target_score")),
        ({"target_score": 0}, ("target_score",)),
        ({"pass_direction": 7}, ("pass_direction",)),
        ({"rules": -1}, ("rules",)),
    ],
)
def test_a_fault_of_the_rules_has_the_path_of_the_option(state, path):
    with pytest.raises(InvalidRules) as caught:
        decode_state({"player_hand": SHORT} | state, path=("states", 3))
    assert caught.value.path == ("states", 3, *path)


def test_a_second_field_is_mentioned_in_the_clients_words():
    twice = {"cards": [play("6D", 2), play("6D", 3)]}
    with pytest.raises(ImpossibleView) as caught:
        decode_state({"player_hand": SHORT, "current_trick": twice})
    assert str(caught.value) == (
        "game_state.current_trick.cards[1]: 6D was played before, at current_trick.cards[0]"
    )


def test_what_a_client_quotes_is_not_translated():
    with pytest.raises(ImpossibleView, match="'tricks' is not a list"):
        decode_state({"player_hand": SHORT, "trick_history": "tricks"})


def test_a_player_without_cards_has_nothing_to_play():
    with pytest.raises(NothingToPlay) as caught:
        decode_to_play({"player_hand": []}, path=("states", 0))
    assert str(caught.value) == "states[0].player_hand: no cards, so nothing to play"


def test_a_card_is_asked_of_the_player_whose_turn_it_is():
    with pytest.raises(ImpossibleView, match=r"current_trick: seat 3 is to play, not seat 0"):
        decode_to_play({"player_hand": SHORT, "current_trick": {"cards": [play("9D", 2)]}})


def test_a_pass_is_made_from_thirteen_cards():
    with pytest.raises(ImpossibleView, match=r"game_state\.player_hand: 7 cards: a pass is made"):
        decode_to_pass({"player_hand": SHORT, "pass_direction": 1})


def test_warnings_name_their_place():
    trick = {"cards": [play("9D", 3) | {"loud": 1}], "winner": 3}
    state = {"player_hand": SHORT, "mood": 1, "played": "8D", "current_trick": trick}
    state["scores"] = [99, 0, 0, 0]
    decoded = decode_state(state, path=("states", 2), also=frozenset({"played"}))
    assert names(decoded.view.hand) == SHORT
    assert decoded.warnings == [
        "states[2].mood: unknown, ignored",
        "states[2].current_trick.cards[0].loud: unknown, ignored",
        "states[2].current_trick.winner: the trick is not over, so nobody has won it",
        "states[2].scores[0]: 99 is claimed, 0 is seen; the claim is ignored",
    ]
    assert not decoded.match_known


def test_long_input_is_not_quoted_at_length():
    state = {"player_hand": SHORT, "x" * 1000: 1, "scores": [10**4000, 0, 0, 0]}
    unknown, claim = decode_state(state).warnings
    assert unknown == f"game_state.{'x' * 40}: unknown, ignored"
    assert len(claim) == 501

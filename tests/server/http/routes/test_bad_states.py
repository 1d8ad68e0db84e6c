"""Game states that are rejected, each with the exact message."""

from __future__ import annotations

import time

import pytest

from tests.server.api import FAST, OPENING, SHORT, cards, play, trick
from tests.server.service import AT_ONCE

DECK = [rank + suit for suit in "CDSH" for rank in cards("2 3 4 5 6 7 8 9 10 J Q K A")]
# Two tricks of a hand by the standard rules: seat 2 had 2♣, seat 3 won with the ace.
FIRST = trick(2, "2C AC 7C 3C", winner=3)
SECOND = trick(3, "4D 8D 2D KD", winner=2)
AFTER = cards("9C QC 3D JD 4S QS KS 2H 6H 9H AH")  # seat 0 after two tricks
STANDARD = {"rules": 2465}


def after(*tricks: dict, **more: object) -> dict:
    """A state of seat 0 with a history."""
    return {"player_hand": AFTER, "trick_history": list(tricks), **STANDARD, **more}


GAME = "INVALID_GAME_STATE"
STATES = {
    "20 cards": (
        {"player_hand": DECK[:20]},
        "player_hand: 20 cards: a hand has at most 13",
    ),
    "52 cards": ({"player_hand": DECK}, "player_hand: 52 cards: a hand has at most 13"),
    "duplicate": ({"player_hand": [*SHORT, "8D"]}, "player_hand[7]: 8D is named twice"),
    "duplicate in another spelling": (
        {"player_hand": ["10D", "TD"]},
        "player_hand[1]: 10D is named twice",
    ),
    "no card": (
        {"player_hand": ["ZZ"]},
        "player_hand[0]: 'ZZ' is not a card: write rank then suit, such as '10D' or 'QS'",
    ),
    "empty text": (
        {"player_hand": [""]},
        "player_hand[0]: '' is not a card: write rank then suit, such as '10D' or 'QS'",
    ),
    "card in hand and trick": (
        {"player_hand": SHORT, "current_trick": trick(3, "8D")},
        "current_trick.cards[0]: 8D is in the hand too",
    ),
    "card in hand and history": (
        after(FIRST, trick(3, "4D 9C 2D KD")),
        "trick_history[1].cards[1]: 9C is in the hand too",
    ),
    "card twice in the trick": (
        {"player_hand": SHORT, "current_trick": trick(2, "6D 6D")},
        "current_trick.cards[1]: 6D was played before, at current_trick.cards[0]",
    ),
    "card twice in history": (
        after(FIRST, trick(3, "4D 8D 4D KD")),
        "trick_history[1].cards[2]: 4D was played before, at trick_history[1].cards[0]",
    ),
    "card in trick and history": (
        after(FIRST, SECOND, current_trick=trick(2, "AC 6C")),
        "current_trick.cards[0]: AC was played before, at trick_history[0].cards[1]",
    ),
    "current player 7": (
        {"player_hand": SHORT, "current_player": 7},
        "current_player: 7: seats are 0 to 3",
    ),
    "current player -1": (
        {"player_hand": SHORT, "current_player": -1},
        "current_player: -1: seats are 0 to 3",
    ),
    "player 7 in the trick": (
        {"player_hand": SHORT, "current_trick": {"cards": [play("6D", 7)]}},
        "current_trick.cards[0].player: 7: seats are 0 to 3",
    ),
    "player -1 in the trick": (
        {"player_hand": SHORT, "current_trick": {"cards": [play("6D", -1)]}},
        "current_trick.cards[0].player: -1: seats are 0 to 3",
    ),
    "player 1000000 in the trick": (
        {"player_hand": SHORT, "current_trick": {"cards": [play("6D", 1_000_000)]}},
        "current_trick.cards[0].player: 1000000: seats are 0 to 3",
    ),
    "lead player 4": (
        {"player_hand": SHORT, "current_trick": {"cards": [], "lead_player": 4}},
        "current_trick.lead_player: 4: seats are 0 to 3",
    ),
    "lead player that does not match": (
        {"player_hand": SHORT, "current_trick": {"cards": [play("6D", 3)], "lead_player": 2}},
        "current_trick.lead_player: seat 2 is said to lead, but seat 3 played first",
    ),
    "trick out of order": (
        {"player_hand": SHORT, "current_trick": {"cards": [play("6D", 2), play("7D", 1)]}},
        "current_trick.cards[1].player: seat 3 plays here, after seat 2 has led; not seat 1",
    ),
    "the same player twice": (
        {"player_hand": SHORT, "current_trick": {"cards": [play("6D", 3), play("7D", 3)]}},
        "current_trick.cards[1].player: seat 0 plays here, after seat 3 has led; not seat 3",
    ),
    "somebody else's turn": (
        {"player_hand": SHORT, "current_trick": trick(1, "6D 7D")},
        "current_trick: seat 3 is to play, not seat 0",
    ),
    "somebody else leads": (
        {"player_hand": SHORT, "current_trick": {"cards": [], "lead_player": 2}},
        "current_trick.lead_player: seat 2 is to play, not seat 0",
    ),
    "history led by a non-winner": (
        after(FIRST, trick(0, "3H KH 4H 5H")),
        "trick_history[1].lead_player: seat 0 leads, but seat 3 won the trick before",
    ),
    "trick led by a non-winner": (
        after(FIRST, SECOND, current_trick=trick(3, "5D")),
        "current_trick.lead_player: seat 3 leads, but seat 2 won the trick before",
    ),
    "14 tricks": (
        {"player_hand": SHORT, "trick_history": [FIRST] * 14},
        "trick_history: 14 tricks: a hand has 13",
    ),
    "too many tricks for the hand": (
        {"player_hand": OPENING, "trick_history": [FIRST], **STANDARD},
        "player_hand: 13 cards after 1 tricks: 12 expected (send all tricks, or none)",
    ),
    "revoke": (
        after(FIRST, trick(3, "4D 8D 2D 6C"), trick(0, "5D 7D 6D 10D"), player_hand=AFTER[1:]),
        "trick_history[1].cards[3]: seat 2 cannot play 6C while it has 6D: must follow diamonds",
    ),
    "revoke of my own": (
        after(FIRST, trick(3, "4D 5S 2D KD"), current_trick=trick(2, "5D 6D")),
        "trick_history[1].cards[1]: seat 0 cannot play 5S while it has 3D: must follow diamonds",
    ),
    "wrong winner": (
        after(trick(2, "2C AC 7C 3C", winner=2), SECOND),
        "trick_history[0].winner: seat 3 wins, not seat 2",
    ),
    "winner 9": (
        after(trick(2, "2C AC 7C 3C", winner=9), SECOND),
        "trick_history[0].winner: seat 3 wins, not seat 9",
    ),
    "4 cards in the trick": (
        {"player_hand": SHORT, "current_trick": trick(0, "6D 7D 9D 10D")},
        "current_trick.cards: 4 cards: a completed trick belongs in trick_history",
    ),
    "5 cards in the trick": (
        {"player_hand": SHORT, "current_trick": trick(0, "6D 7D 9D 10D JD")},
        "current_trick.cards: 5 cards: a completed trick belongs in trick_history",
    ),
    "3 cards in a completed trick": (
        after(FIRST, trick(3, "4D 8D 2D")),
        "trick_history[1].cards: 3 cards: a completed trick has 4",
    ),
    "no cards in a completed trick": (
        after({}, SECOND),
        "trick_history[0].cards: 0 cards: a completed trick has 4",
    ),
    "13 cards and mine on the table": (
        {"player_hand": OPENING, "current_trick": trick(0, "6D")},
        "player_hand: 13 cards, and one on the table: a hand has 13",
    ),
    "scores of three": (
        {"player_hand": SHORT, "scores": [1, 2, 3]},
        "scores: 3 entries: there are 4 seats",
    ),
    "match scores of five": (
        {"player_hand": SHORT, "match_scores": [1, 2, 3, 4, 5]},
        "match_scores: 5 entries: there are 4 seats",
    ),
    "match scores beyond all": (
        {"player_hand": SHORT, "match_scores": [0, 10**9, 0, 0]},
        "match_scores[1]: must be within ±100000",
    ),
    "target score 0": (
        {"player_hand": SHORT, "target_score": 0},
        "target_score: 0: must be 1 to 100000",
    ),
    "played cards of two": (
        {"player_hand": SHORT, "played_cards": [["2D"], []]},
        "played_cards: 2 entries: there are 4 seats",
    ),
    "won and in the hand": (
        {"player_hand": SHORT, "played_cards": [["8D"], [], [], []]},
        "played_cards[0]: 8D: in the hand too",
    ),
    "won by two": (
        {"player_hand": SHORT, "played_cards": [["2D"], ["2D"], [], []]},
        "played_cards[1]: 2D: won by another seat too",
    ),
    "won is no card": (
        {"player_hand": SHORT, "played_cards": [["1D"], [], [], []]},
        "played_cards[0][0]: '1D' is not a card: write rank then suit, such as '10D' or 'QS'",
    ),
    "pass direction 5": (
        {"player_hand": SHORT, "pass_direction": 5},
        "pass_direction: 5: choose left, right, across, hold (1, -1, 2, 0)",
    ),
    "two cards passed": (
        {"player_hand": SHORT, "pass_direction": 1, "passed_cards": ["2D", "3D"]},
        "passed_cards: 2 cards: a pass is 3",
    ),
    "passed when nobody passes": (
        {"player_hand": SHORT, "passed_cards": ["2D", "3D", "4D"]},
        "passed_cards: no cards are passed when the direction is hold",
    ),
    "passed and still held": (
        {"player_hand": SHORT, "pass_direction": 1, "passed_cards": ["2D", "3D", "8D"]},
        "passed_cards: 8D: still in the hand",
    ),
    "mask too large": (
        {"player_hand": SHORT, "rules": 1 << 14},
        "rules: 16384: the mask has 14 bits, 0 to 16383",
    ),
    "negative mask": (
        {"player_hand": SHORT, "rules": -1},
        "rules: -1: the mask has 14 bits, 0 to 16383",
    ),
    "flag that is no flag": (
        {"player_hand": SHORT, "rules": {"queen_penalty": 1}},
        "rules.queen_penalty: 1: must be true or false",
    ),
    "target score 0 in the rules": (
        {"player_hand": SHORT, "rules": {"target_score": 0}},
        "rules.target_score: 0: must be 1 to 100000",
    ),
    "direction 9 in the rules": (
        {"player_hand": SHORT, "rules": {"pass_cycle": [1, 9]}},
        "rules.pass_cycle[1]: 9: choose left, right, across, hold (1, -1, 2, 0)",
    ),
    "long s": (
        {"player_hand": ["4ſ"]},
        "player_hand[0]: '4ſ' is not a card: write rank then suit, such as '10D' or 'QS'",
    ),
    "two last tricks that do not follow": (
        {"player_hand": SHORT, "trick_history": [FIRST, trick(1, "3H KH 4H 5H")]},
        "trick_history[1].lead_player: seat 1 leads, but seat 3 won the trick before",
    ),
    "a last trick that holds my card": (
        {"player_hand": SHORT, "trick_history": [trick(0, "8D 9D 10D JD")]},
        "trick_history[0].cards[0]: 8D is in the hand too",
    ),
    "a revoke among the last tricks": (
        {
            "player_hand": ["2C"],
            "trick_history": [trick(0, "3D 4D 5H 6D"), trick(3, "7D 8D 9D 10D")],
            "current_trick": trick(2, "KH AH"),
        },
        "trick_history[1].cards[3]: seat 2 did not follow diamonds before",
    ),
    "a revoke of my own among the last tricks": (
        {
            "player_hand": ["2C"],
            "trick_history": [trick(0, "3D 4D 5H 6D"), trick(3, "5C 3H 4H 6H")],
        },
        "trick_history[1].cards[1]: seat 0 must follow clubs: its hand has some",
    ),
}


@pytest.mark.parametrize("case", STATES)
def test_a_state_that_cannot_be(api, case):
    state, message = STATES[case]
    code, found = api.refused(state)
    assert (code, found) == (GAME, f"game_state.{message}")


@pytest.mark.parametrize("path", ["/api/move", "/api/play-one"])
def test_an_empty_hand_has_no_legal_moves(api, path):
    code, message = api.refused({"player_hand": [], "trick_history": []}, path)
    assert code == "NO_LEGAL_MOVES"
    assert message == "game_state.player_hand: no cards, so nothing to play"


def test_a_lone_surrogate_is_quoted_and_does_not_crash(api):
    code, message = api.refused({"player_hand": ["\ud800C"]})
    assert code == GAME
    assert "is not a card" in message


def test_a_long_text_is_not_quoted_at_length(api):
    code, message = api.refused({"player_hand": ["x" * 100_000]})
    assert code == GAME
    assert len(message) < 600


def test_everybody_void_is_refused_or_answered_at_once(api):
    """All show void in diamonds while ten diamonds are unseen: nobody can hold them."""
    history = [trick(0, "2D 3C 4C 5C"), trick(0, "3D 6C 7C 8C")]
    for hand in (["KH", "QH"], cards("KH QH JH 10H 9H 8H 7H 6H 5H 4H 3H")):
        state = {"player_hand": hand, "trick_history": history, "rules": 0}
        begun = time.perf_counter()
        status, answer = api.post("/api/move", {"game_state": state, "ai_config": FAST})
        assert time.perf_counter() - begun < AT_ONCE
        assert status == 200 or answer["error_code"] == GAME, answer

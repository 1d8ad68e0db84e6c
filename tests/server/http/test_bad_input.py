"""What cannot be answered, and the exact words that say why."""

from __future__ import annotations

import json
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


HAND = {"player_hand": SHORT}
SHAPES = {
    "nothing": ({}, "game_state: is missing"),
    "null": (None, "the body: must be an object"),
    "list": ([], "the body: must be an object"),
    "number": (5, "the body: must be an object"),
    "text": ("game_state", "the body: must be an object"),
    "game_state null": ({"game_state": None}, "game_state: must not be null"),
    "game_state list": ({"game_state": []}, "game_state: must be an object"),
    "game_state text": ({"game_state": "x"}, "game_state: must be an object"),
    "no hand": ({"game_state": {}}, "game_state.player_hand: is missing"),
    "hand null": (
        {"game_state": {"player_hand": None}},
        "game_state.player_hand: must not be null",
    ),
    "hand text": ({"game_state": {"player_hand": "2C"}}, "game_state.player_hand: must be a list"),
    "hand of numbers": (
        {"game_state": {"player_hand": [2, "3C"]}},
        "game_state.player_hand[0]: must be a text, not 2",
    ),
    "hand of null": (
        {"game_state": {"player_hand": ["3C", None]}},
        "game_state.player_hand[1]: must not be null",
    ),
    "player text": (
        {"game_state": HAND | {"current_player": "0"}},
        "game_state.current_player: must be a whole number, not '0'",
    ),
    "player half": (
        {"game_state": HAND | {"current_player": 0.5}},
        "game_state.current_player: must be a whole number, not 0.5",
    ),
    "player true": (
        {"game_state": HAND | {"current_player": True}},
        "game_state.current_player: must be a whole number, not true",
    ),
    "trick list": (
        {"game_state": HAND | {"current_trick": []}},
        "game_state.current_trick: must be an object",
    ),
    "trick cards object": (
        {"game_state": HAND | {"current_trick": {"cards": {}}}},
        "game_state.current_trick.cards: must be a list",
    ),
    "trick cards as texts": (
        {"game_state": HAND | {"current_trick": {"cards": ["6D"]}}},
        "game_state.current_trick.cards[0]: must be an object",
    ),
    "trick card without player": (
        {"game_state": HAND | {"current_trick": {"cards": [{"card": "6D"}]}}},
        "game_state.current_trick.cards[0].player: is missing",
    ),
    "trick card without card": (
        {"game_state": HAND | {"current_trick": {"cards": [{"player": 3}]}}},
        "game_state.current_trick.cards[0].card: is missing",
    ),
    "trick player text": (
        {"game_state": HAND | {"current_trick": {"cards": [play("6D", "3")]}}},
        "game_state.current_trick.cards[0].player: must be a whole number, not '3'",
    ),
    "history object": (
        {"game_state": HAND | {"trick_history": {}}},
        "game_state.trick_history: must be a list",
    ),
    "history of lists": (
        {"game_state": HAND | {"trick_history": [[]]}},
        "game_state.trick_history[0]: must be an object",
    ),
    "winner text": (
        {"game_state": HAND | {"trick_history": [trick(0, "", winner="me")]}},
        "game_state.trick_history[0].winner: must be a whole number, not 'me'",
    ),
    "scores of texts": (
        {"game_state": HAND | {"scores": ["1", 0, 0, 0]}},
        "game_state.scores[0]: must be a whole number, not '1'",
    ),
    "scores object": (
        {"game_state": HAND | {"scores": {}}},
        "game_state.scores: must be a list",
    ),
    "broken text": (
        {"game_state": HAND | {"hearts_broken": "yes"}},
        "game_state.hearts_broken: must be true or false, not 'yes'",
    ),
    "rules text": (
        {"game_state": HAND | {"rules": "standard"}},
        "game_state.rules: must be a bit mask or an object of named flags, not 'standard'",
    ),
    "rules true": (
        {"game_state": HAND | {"rules": True}},
        "game_state.rules: must be a bit mask or an object of named flags, not true",
    ),
    "direction list": (
        {"game_state": HAND | {"pass_direction": []}},
        "game_state.pass_direction: must be 1, -1, 2 or 0, not a list",
    ),
    "config list": (
        {"game_state": HAND, "ai_config": []},
        "ai_config: must be an object",
    ),
    "simulations text": (
        {"game_state": HAND, "ai_config": {"simulations": "many"}},
        "ai_config.simulations: must be a whole number, not 'many'",
    ),
    "simulations half": (
        {"game_state": HAND, "ai_config": {"simulations": 10.5}},
        "ai_config.simulations: must be a whole number, not 10.5",
    ),
    "epsilon text": (
        {"game_state": HAND, "ai_config": {"epsilon": "a"}},
        "ai_config.epsilon: must be a number, not 'a'",
    ),
    "epsilon of 400 digits": (
        {"game_state": HAND, "ai_config": {"epsilon": 10**400}},
        f"ai_config.epsilon: must be a number, not 1{'0' * 39}…",
    ),
    "c of 400 digits": (
        {"game_state": HAND, "ai_config": {"c": -(10**400)}},
        f"ai_config.c: must be a number, not -1{'0' * 38}…",
    ),
    "time of 400 digits": (
        {"game_state": HAND, "ai_config": {"time_ms": 10**400}},
        f"ai_config.time_ms: must be a number, not 1{'0' * 39}…",
    ),
    "lambda of 400 digits": (
        {"game_state": HAND, "ai_config": {"belief": "mixture", "lambda": 10**400}},
        f"ai_config.lambda: must be a number, not 1{'0' * 39}…",
    ),
    "threads flag number": (
        {"game_state": HAND, "ai_config": {"use_threads": 1}},
        "ai_config.use_threads: must be true or false, not 1",
    ),
    "player type number": (
        {"game_state": HAND, "ai_config": {"player_type": 3}},
        "ai_config.player_type: must be a text, not 3",
    ),
}


@pytest.mark.parametrize("case", SHAPES)
def test_a_body_of_the_wrong_shape(api, case):
    body, message = SHAPES[case]
    status, answer = api.post("/api/move", body)
    assert (status, answer["error_code"], answer["message"]) == (400, "PARSE_ERROR", message)


GOOD = json.dumps({"game_state": HAND, "ai_config": FAST}).encode()
TEXTS = {
    "empty": (b"", "the body is not JSON: Expecting value: line 1 column 1 (char 0)"),
    "half": (
        b'{"game_state":',
        "the body is not JSON: Expecting value: line 1 column 15 (char 14)",
    ),
    "prose": (b"play something", "the body is not JSON: Expecting value: line 1 column 1 (char 0)"),
    "two values": (GOOD + b"{}", "the body is not JSON: Extra data"),
    "NaN": (b'{"game_state": {"scores": [NaN]}}', "the body is not JSON: NaN is not a number"),
    "Infinity": (
        b'{"game_state": {}, "ai_config": {"c": Infinity}}',
        "the body is not JSON: Infinity is not a number",
    ),
    "-Infinity": (b"[-Infinity]", "the body is not JSON: -Infinity is not a number"),
    "infinity by exponent": (
        b'{"game_state": {"player_hand": ["2C"]}, "ai_config": {"c": 1e999}}',
        "the body has a number that is too large: 1e999",
    ),
    "5001 digits": (
        b'{"game_state": {"scores": [' + b"9" * 5001 + b"]}}",
        "the body has a number with too many digits",
    ),
    "deep nesting": (b"[" * 100_000, "the body is nested too deeply"),
    "deep nesting of objects": (b'{"a":' * 50_000, "the body is nested too deeply"),
    "not UTF-8": (b'{"game_state": "\xff\xfe"}', "the body is not UTF-8"),
    "Latin-1": ('{"game_state": "é"}'.encode("latin-1"), "the body is not UTF-8"),
    "UTF-16": (GOOD.decode().encode("utf-16"), "the body is not UTF-8"),
    "UTF-8 with a mark": (
        b"\xef\xbb\xbf" + GOOD,
        "the body is not JSON: Unexpected UTF-8 BOM (decode using utf-8-sig)",
    ),
    "zero bytes": (b"\0" * 20, "the body is not JSON: Expecting value: line 1 column 1 (char 0)"),
}


@pytest.mark.parametrize("case", TEXTS)
def test_a_body_that_is_no_json(api, case):
    body, message = TEXTS[case]
    status, answer = api.post("/api/move", body)
    assert (status, answer["error_code"]) == (400, "PARSE_ERROR")
    assert answer["message"].startswith(message)
    assert len(answer["message"]) < 600


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "multipart/form-data"])
def test_a_wrong_content_type(api, kind):
    status, answer = api.post("/api/move", GOOD, **{"Content-Type": kind})
    assert (status, answer["error_code"]) == (400, "PARSE_ERROR")
    assert answer["message"] == f"Content-Type: {kind}: send application/json"


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/vnd.x+json", ""])
def test_content_types_that_mean_json(api, kind):
    assert api.post("/api/move", GOOD, **{"Content-Type": kind})[0] == 200


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


@pytest.mark.parametrize("path", ["/api/move", "/api/play-one"])
def test_an_empty_hand_has_no_legal_moves(api, path):
    code, message = api.refused({"player_hand": [], "trick_history": []}, path)
    assert code == "NO_LEGAL_MOVES"
    assert message == "game_state.player_hand: no cards, so nothing to play"


def test_a_large_body_is_refused_by_its_size(api):
    status, answer = api.post("/api/move", b" " * (256 * 1024 + 1))
    assert (status, answer["error_code"]) == (413, "HTTP_ERROR")
    assert api.post("/api/move", GOOD + b" " * (256 * 1024 - len(GOOD)))[0] == 200


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


def test_there_are_more_than_sixty_cases():
    assert len(STATES) + len(SHAPES) + len(TEXTS) + len(CONFIGS) > 100

"""Hands of the match that are over, which say how the players play."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from flask import Flask

from hearts.game.deal import past_hands
from hearts.game.records import parse_record, read_records
from hearts.views.codec import encode_state
from hearts.views.view import View
from models.evaluation.labelled import replay
from server.cli import main
from server.http.schemas.states import MAX_EARLIER
from server.http.services import services
from server.storage.decisions import decisions
from tests.server.api import Api
from tests.server.application import application
from tests.server.service import wait_until
from tests.server.tables.people import Lobby

DATA = Path(__file__).parents[3] / "data"
HANDS = [r.deal for r in islice(read_records(DATA / "heuristics-dev.jsonl.gz"), 4)]
PAST = tuple(hand.tricks for hand in HANDS[:3])
NOW = replay(HANDS[3], 26)
STATE = encode_state(View.of(NOW, NOW.trick.turn, earlier=PAST), 0)
ALONE = {key: value for key, value in STATE.items() if key != "earlier_hands"}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    with application(tmp_path_factory.mktemp("earlier")) as made:
        yield made


@pytest.fixture(scope="module")
def api(app: Flask) -> Api:
    return Api(app)


def believed(api: Api, state: dict, model: str) -> dict:
    status, answer = api.post("/api/beliefs", {"game_state": state, "model": model})
    assert (status, answer["warnings"]) == (200, []), answer
    return answer


def test_what_players_did_before_moves_what_is_believed_of_them(api):
    known, alone = (believed(api, state, "OM-2") for state in (STATE, ALONE))
    assert known["view_hash"] != alone["view_hash"]
    shares = [np.array([*answer["probabilities"].values()]) for answer in (known, alone)]
    assert np.abs(shares[0] - shares[1]).max() > 0.03
    counted = [believed(api, state, "OM-1")["probabilities"] for state in (STATE, ALONE)]
    assert counted[0] == counted[1]


def test_null_is_none_and_none_is_nothing_new(api):
    hashes = {
        api.move(ALONE | more, belief="OM-2")["view_hash"]
        for more in ({}, {"earlier_hands": None}, {"earlier_hands": []})
    }
    assert len(hashes) == 1


def changed(*path: str | int, to: object) -> dict:
    """The state with another value at some place of its earlier hands."""
    state = deepcopy(STATE)
    inside = state["earlier_hands"]
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = to
    return state


REFUSED = {
    "no list": (ALONE | {"earlier_hands": {}}, "PARSE_ERROR", "earlier_hands: must be a list"),
    "no object": (
        changed(1, to=7),
        "PARSE_ERROR",
        "earlier_hands[1]: must be an object",
    ),
    "without tricks": (
        changed(1, to={"tricks": []}),
        "PARSE_ERROR",
        "earlier_hands[1].trick_history: is missing",
    ),
    "too many": (
        ALONE | {"earlier_hands": STATE["earlier_hands"] * 14},
        "PARSE_ERROR",
        f"earlier_hands: must be at most {MAX_EARLIER} hands: send the latest",
    ),
    "not over": (
        changed(2, "trick_history", to=STATE["earlier_hands"][2]["trick_history"][:12]),
        "INVALID_GAME_STATE",
        "earlier_hands[2].trick_history: 12 tricks: a hand that is over has 13",
    ),
    "no card": (
        changed(0, "trick_history", 3, "cards", 2, "card", to="1Z"),
        "INVALID_GAME_STATE",
        "earlier_hands[0].trick_history[3].cards[2].card: '1Z' is not a card",
    ),
    "out of turn": (
        changed(0, "trick_history", 3, "cards", 2, "player", to=9),
        "INVALID_GAME_STATE",
        "earlier_hands[0].trick_history[3].cards[2].player: 9: seats are 0 to 3",
    ),
    "twice": (
        changed(0, "trick_history", 1, "cards", 0, "card", to="2C"),
        "INVALID_GAME_STATE",
        "earlier_hands[0].trick_history[1].cards[0]: 2C was played before, at trick_history[0]",
    ),
    "another winner": (
        changed(0, "trick_history", 5, "winner", to=(PAST[0][5].winner - NOW.trick.turn + 1) % 4),
        "INVALID_GAME_STATE",
        "earlier_hands[0].trick_history[5].winner: seat",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("path", ["/api/move", "/api/beliefs"])
def test_what_cannot_have_been_is_refused(api, case, path):
    state, code, message = REFUSED[case]
    found = api.refused(state, path)
    assert found[0] == code
    assert found[1].startswith(f"game_state.{message}")


def test_the_opening_of_an_earlier_hand_is_held_against_the_rules_too(api):
    """While the first trick is played, the rule about its opening is let go, but not there."""
    first = replay(HANDS[3], 2)
    state = encode_state(View.of(first, first.trick.turn, earlier=PAST), 0)
    opening = state["earlier_hands"][0]["trick_history"][0]["cards"][0]["card"]
    other = state["earlier_hands"][0]["trick_history"][12]["cards"][0]["card"]
    assert opening == "2C"
    text = json.dumps(state["earlier_hands"]).replace(f'"{opening}"', '"?"')
    swapped = json.loads(text.replace(f'"{other}"', f'"{opening}"').replace('"?"', f'"{other}"'))
    code, message = api.refused(state | {"earlier_hands": swapped})
    assert code == "INVALID_GAME_STATE"
    assert message.startswith("game_state.earlier_hands[0].trick_history[")


def test_fields_that_nobody_reads_are_named(api):
    state = changed(0, "trick_history", 2, "mood", to=1)
    state["earlier_hands"][1]["points"] = [0, 0, 26, 0]
    assert sorted(api.move(state)["warnings"]) == [
        "game_state.earlier_hands[0].trick_history[2].mood: unknown, ignored",
        "game_state.earlier_hands[1].points: unknown, ignored",
    ]


def test_an_analysis_looks_back_too(api):
    body = {"ai_config": {"simulations": 30, "worlds": 3, "belief": "OM-2", "seed": 1}}
    found = [
        api.post("/api/analysis", body | {"states": [state]})[1]["decisions"][0]["view_hash"]
        for state in (STATE, ALONE)
    ]
    assert found[0] != found[1]


def test_bots_remember_the_hands_of_their_table_and_decide_the_same_again(app, monkeypatch):
    lobby = Lobby(app)
    bot = {"ai_config": {"simulations": 20, "worlds": 3, "belief": "OM-2", "passing": "rule"}}
    rule = {"ai_config": {"simulations": 20, "worlds": 2, "passing": "rule"}}
    table_id, _ = lobby.make(bot, rule, rule, rule, target_score=30, seed=3, pace_ms=0)
    anybody = lobby.anybody(table_id)
    view = anybody.get()
    while view["phase"] != "finished":
        view = anybody.get(f"?after={view['version']}&wait=5")
    hands = view["hands"]
    assert len(hands) > 1
    wait_until(lambda: not services(app).decisions.spool.size)
    with services(app).engine.connect() as connection:
        logged = decisions(connection, game_id=table_id, limit=10_000)
    for row in logged:
        over = [parse_record(hand["record"]).deal for hand in hands[: row.hand]]
        assert row.view.earlier == past_hands(over)
    monkeypatch.setenv("HEARTS_DATABASE_URL", str(services(app).engine.url))
    last = next(row for row in logged if row.seat == 0 and row.simulations and row.hand)
    again = CliRunner().invoke(main, ["decisions", "replay", str(last.id)])
    assert "moves: the same" in again.output, again.output

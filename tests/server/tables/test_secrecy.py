"""Nobody learns a hidden card or a token: not by another seat, a wrong token, errors, or logs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from unittest.mock import patch

import pytest
from sqlalchemy import text

from hearts.game.cards import name, names
from hearts.views.view import View
from server.runtime import logs
from server.runtime.tokens import token_hash
from server.tables import engine_moves
from server.tables.setup import SEEDED
from tests.server.application import OPERATOR
from tests.server.tables.conftest import opened
from tests.server.tables.people import DECK, QUICK, Lobby, Seat

CARD = re.compile(r"(?<![A-Za-z0-9_-])(?:10|[2-9TJQKA])[CDSH](?![A-Za-z0-9_-])")


def cards_in(answer: str) -> set[str]:
    """Every card that a text names."""
    return set(CARD.findall(answer))


class Scene:
    """A table with two people and two bots at some moment, and what is hidden from whom."""

    def __init__(self, lobby: Lobby, tricks: int) -> None:
        self.lobby = lobby
        with patch("server.tables.setup._secret", return_value=f"{SEEDED}8"):  # the same deals
            self.id, seats = lobby.make("human", QUICK, {"kind": "human"}, QUICK)
        self.people = {0: seats[0], 2: seats[2]}
        while tricks and self.played_tricks < tricks:
            self.step()

    @property
    def deal(self):
        return self.lobby.services.tables.find(self.id).table.current.deal

    @property
    def played_tricks(self) -> int:
        return len(self.deal.tricks)

    def step(self) -> None:
        """Let whoever of the people is to move do so."""
        waiting = self.lobby.anybody(self.id).get()["hand"]["waiting_for"]
        mine = [seat for seat in waiting if seat in self.people]
        if mine:
            self.people[mine[0]].play_on(self.people[mine[0]].get())
        else:
            version = self.lobby.anybody(self.id).get()["version"]
            self.lobby.anybody(self.id).get(f"?after={version}&wait=2")

    def settle(self) -> None:
        """Wait until a person is to move, so that nothing changes while one looks."""
        anybody = self.lobby.anybody(self.id)
        while not set((view := anybody.get())["hand"]["waiting_for"]) <= {0, 2}:
            anybody.get(f"?after={view['version']}&wait=2")

    def public(self) -> set[str]:
        return {name(card) for _, card in self.deal.plays}

    def known_to(self, seat: int) -> set[str]:
        """What a seat may know: what everybody does, its own cards, what it gave and got."""
        view = View.of(self.deal, seat)
        own = {*names(view.hand), *names(view.passed), *names(view.received)}
        return self.public() | own


@pytest.fixture(scope="module", params=[0, 2, 9], ids=["passing", "early", "late"])
def scene(request, lobby) -> Scene:
    found = Scene(lobby, request.param)
    found.settle()
    return found


def attempts(lobby: Lobby, table_id: str) -> Iterator[tuple[str, str]]:
    """Every method and path of the service that takes an id, with the table's."""
    for rule in lobby.app.url_map.iter_rules():
        if not rule.arguments or rule.rule.startswith(("/docs", "/static")):
            continue
        path = re.sub(r"<[^>]+>", table_id, rule.rule)
        for method in sorted((rule.methods or set()) & {"GET", "POST", "PUT", "PATCH", "DELETE"}):
            yield method, path


BODIES = (
    {},
    {"card": "QS"},
    {"cards": ["2C", "3C", "4C"]},
    {"kind": "play", "player": 1, "card": "QS", "number": 1},
    {"number": 0, "kind": "pass", "player": 1, "cards": ["2C", "3C", "4C"]},
)


def answers(scene: Scene, headers: dict[str, str]) -> Iterator[tuple[str, str, int, str]]:
    """All that one can get out of a table, with the cards that the question named."""
    client = scene.lobby.client
    for method, path in attempts(scene.lobby, scene.id):
        if path.endswith("/events") and method == "GET":
            stream = client.get(path, headers=headers)
            found = next(iter(stream.response)) if stream.status_code == 200 else stream.data
            stream.close()
            yield path, "", stream.status_code, found.decode()
            continue
        for body in BODIES if method == "POST" else (None,):
            answer = client.open(path, method=method, json=body, headers=headers)
            yield path, json.dumps(body), answer.status_code, answer.text
    for path in ("/api/tables", "/api/games", "/metrics", "/api/stats"):
        answer = client.get(path, headers=headers)
        yield path, "", answer.status_code, answer.text


def wrong_tokens(scene: Scene) -> dict[str, dict[str, str]]:
    other = scene.lobby.people()[1][0].token
    token = scene.people[0].token
    assert other is not None
    assert token is not None
    return {
        "none": {},
        "empty": {"X-Seat-Token": ""},
        "of another table": {"X-Seat-Token": other},
        "the hash": {"X-Seat-Token": token_hash(token)},
        "a letter less": {"X-Seat-Token": token[:-1]},
        "the id": {"X-Seat-Token": scene.id},
        "elsewhere": {"Authorization": f"Bearer {token}", "X-API-Key": token},
    }


def test_without_a_seat_nobody_sees_a_hidden_card_anywhere(scene):
    before = scene.lobby.anybody(scene.id).get()["version"]
    tried = 0
    for how, headers in wrong_tokens(scene).items():
        for path, asked, status, found in answers(scene, headers):
            leaked = cards_in(found) - scene.public() - cards_in(asked)
            assert not leaked, (how, path, status, leaked)
            assert status < 500, (how, path, found)
            if how not in ("none", "elsewhere") and path.startswith(f"/api/tables/{scene.id}"):
                assert status in (400, 403), (how, path, status)
            tried += 1
    assert tried > 100
    assert scene.lobby.anybody(scene.id).get()["version"] == before


def test_a_seat_sees_its_own_cards_and_no_others(scene):
    for seat, person in scene.people.items():
        known = scene.known_to(seat)
        view = person.get()
        assert set(view["hand"]["cards"]) <= known
        assert view["hand"]["hands"] is None
        assert view["hand"]["thoughts"] is None
        assert cards_in(json.dumps(view)) <= known
        answer = person.client.get(f"/api/tables/{scene.id}/events", headers=person.headers)
        assert cards_in(next(iter(answer.response)).decode()) <= known
        answer.close()
        strange = next(iter(DECK - known))
        for what, body in (
            ("pass", {"cards": [strange, *view["hand"]["cards"][:2]]}),
            ("play", {"card": strange}),
            ("claim", {}),
            ("next", {}),
        ):
            refused = person.ask(what, **body)
            assert refused.status_code >= 400
            assert cards_in(refused.text) - cards_in(json.dumps(body)) <= known


def test_a_seat_cannot_move_for_another(scene):
    deal = scene.deal
    if deal.turn is None:  # both are to pass: neither can pass the other's cards
        for seat, other in ((0, 2), (2, 0)):
            status, code, _ = scene.people[seat].refused("pass", cards=names(deal.hands[other])[:3])
            assert (status, code) == (400, "ILLEGAL_MOVE")
        return
    (idle,) = [seat for seat in scene.people if seat != deal.turn]
    for card in names(deal.legal):
        status, code, _ = scene.people[idle].refused("play", card=card)
        assert (status, code) == (409, "CONFLICT")


def test_the_record_of_a_live_hand_and_its_nonce_stay_hidden(scene):
    table = scene.lobby.services.tables.find(scene.id).table
    nonce = table.current.nonce
    for _, headers in (("none", {}), ("own", scene.people[0].headers)):
        for path, _, _, found in answers(scene, headers):
            assert nonce not in found, path
            assert '"nonce":"' not in found.replace(" ", ""), path


def test_logs_errors_and_metrics_name_no_card_and_no_token(tmp_path, capfd, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a search over QS 2C AH breaks")

    monkeypatch.setattr(logs, "_handlers", [])  # that of an earlier test writes elsewhere
    with opened(tmp_path) as lobby:
        monkeypatch.setattr(engine_moves, "choose_pass", broken)  # the log tells of it
        scene = Scene(lobby, 1)
        tokens = [person.token for person in scene.people.values()]
        for headers in ({}, *({"X-Seat-Token": token} for token in tokens)):
            list(answers(scene, headers))
        lobby.client.get(f"/api/tables/{scene.id}", headers={"X-Seat-Token": "x" * 50})
        metrics = lobby.client.get("/metrics", headers=OPERATOR).text
        with lobby.services.engine.connect() as connection:
            kept = [
                str(row)
                for table in ("games", "seats", "events", "players")
                for row in connection.execute(text(f"SELECT * FROM {table}"))  # noqa: S608  # our own tables
            ]
    said = "".join(capfd.readouterr())
    assert "/api/tables/" in said
    assert "search failed" in said
    assert cards_in(said) == set()
    assert cards_in(metrics) == set()
    for token in tokens:
        assert token not in said
        assert token not in metrics
        assert token not in "".join(kept)
        assert token_hash(token) in "".join(kept)


def test_only_the_creator_is_told_a_token(lobby):
    table_id, seats = lobby.make("human", QUICK, QUICK, QUICK)
    me = seats[0]
    assert me.token not in json.dumps(me.get())
    assert me.token not in lobby.client.get("/api/tables").text
    other = Seat(lobby.app, table_id, None)
    assert other.refused("play", card="2C") == (
        403,
        "FORBIDDEN",
        "X-Seat-Token: missing: it proves whose move this is",
    )
    other.token = "guess"
    assert (
        other.refused("play", card="2C")[2] == "X-Seat-Token: it belongs to no seat of this table"
    )


def test_once_the_hand_is_over_everything_is_open(lobby):
    table_id, seats = lobby.people(target_score=1)
    lone = lobby.anybody(table_id)
    while (view := lone.get())["phase"] in ("passing", "playing"):
        seat = seats[view["hand"]["waiting_for"][0]]
        seat.play_on(seat.get())
    (hand,) = view["hands"]
    assert sorted(sum(hand["opening"]["dealt"], [])) == sorted(sum(view["hand"]["hands"], []))  # noqa: RUF017  # four short lists
    assert re.fullmatch("[0-9a-f]{64}", hand["opening"]["nonce"])

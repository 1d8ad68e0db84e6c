"""Invitations: everybody but the creator gets a token of their own; people sit in private."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from secrets import token_hex

import pytest
from sqlalchemy import text

from server.runtime.tokens import token_hash
from server.tables import registry
from tests.server.http.routes.people import keyed
from tests.server.service import AT_ONCE, wait_until
from tests.server.tables.conftest import opened
from tests.server.tables.people import QUICK, Lobby, Seat

FOUR = {"seats": ["human", QUICK, "human", {"kind": "human", "name": "dora"}]}


def made(lobby: Lobby, **more: object) -> dict:
    answer = lobby.client.post("/api/tables", json=FOUR | more)
    assert answer.status_code == 201, answer.text
    return answer.json


def test_the_creator_gets_one_token_and_invitations_for_the_others(lobby):
    table = made(lobby)
    assert [each is not None for each in table["tokens"]] == [True, False, False, False]
    assert [each is not None for each in table["invitations"]] == [False, False, True, True]
    assert table["watch_token"] is None
    assert table["table"]["seat"] == 0
    joined = [player["joined"] for player in table["table"]["players"]]
    assert joined == [True, True, False, False]


def test_who_joins_gets_a_token_that_nobody_else_has_seen(lobby):
    table = made(lobby)
    answer = lobby.join(table["table_id"], table["invitations"][3], name="dörte").json
    assert (answer["seat"], answer["table"]["seat"]) == (3, 3)
    assert answer["token"] not in json.dumps(table)
    me = Seat(lobby.app, table["table_id"], answer["token"])
    assert me.get()["players"][3] == {
        "seat": 3, "kind": "human", "name": "dörte", "level": None, "joined": True,
    }  # fmt: skip
    invited = Seat(lobby.app, table["table_id"], table["invitations"][2])
    refused = invited.client.get(f"/api/tables/{me.table_id}", headers=invited.headers)
    assert refused.status_code == 404  # an invitation is not a token
    other = lobby.join(table["table_id"], table["invitations"][2]).json
    assert other["table"]["players"][2]["name"] == "human"  # the creator's name for the seat
    with lobby.services.engine.connect() as connection:
        kept = str(connection.execute(text("SELECT * FROM seats")).all())
    for secret in (*table["tokens"], *table["invitations"], answer["token"], other["token"]):
        assert secret is None or secret not in kept
    assert token_hash(answer["token"]) in kept


def test_an_invitation_is_used_once(lobby):
    table = made(lobby)
    with ThreadPoolExecutor(4) as pool:
        asked = [
            pool.submit(Lobby(lobby.app).join, table["table_id"], table["invitations"][2])
            for _ in range(6)
        ]
        answers = [each.result() for each in asked]
    assert sorted(each.status_code for each in answers) == [200] + [403] * 5
    lost = next(each for each in answers if each.status_code == 403)
    assert lost.json["message"] == "invitation: it is unknown, or somebody has used it"
    for wrong in ("", "x", table["tokens"][0], token_hash(table["invitations"][3])):
        assert lobby.join(table["table_id"], wrong).status_code == 403
    assert lobby.join(table["table_id"], table["invitations"][3], name="\n").status_code == 400
    assert lobby.join(table["table_id"], table["invitations"][3]).status_code == 200
    assert lobby.client.post(f"/api/tables/{table['table_id']}/join", json={}).status_code == 400


def test_who_has_no_invitation_does_not_learn_which_tables_there_are(lobby):
    table_id = made(lobby)["table_id"]
    for body in ({"invitation": "guess"}, {"invitation": "guess", "name": "\n"}):
        there, nowhere = (
            lobby.client.post(f"/api/tables/{each}/join", json=body) for each in (table_id, "abc")
        )
        assert there.status_code == nowhere.status_code
        assert there.json == nowhere.json


def test_a_join_may_be_repeated_with_the_same_token(lobby):
    """Whoever got no answer asks again, perhaps at another instance."""
    table, token = made(lobby), token_hex(16)
    table_id, invitation = table["table_id"], table["invitations"][2]
    first = lobby.join(table_id, invitation, name="cid", token=token)
    assert (first.status_code, first.json["seat"], first.json["token"]) == (200, 2, token)
    assert lobby.join(table_id, invitation, name="cid", token=token).json == first.json
    assert Seat(lobby.app, table_id, token).get()["seat"] == 2
    assert lobby.join(table_id, invitation, token=token_hex(16)).status_code == 403
    assert lobby.join(table_id, invitation).status_code == 403
    assert lobby.join(table_id, table["invitations"][3], token=token).status_code == 403
    assert lobby.join(table_id, table["invitations"][3], token=token_hex(16)).json["seat"] == 3


@pytest.mark.parametrize(
    "token", ["", "x", "a" * 40, "0123456789abcde" * 2, "é" * 32, "0123456789" * 13, 7]
)
def test_a_token_that_others_could_guess_is_refused(lobby, token):
    table = made(lobby)
    refused = lobby.join(table["table_id"], table["invitations"][2], token=token)
    assert (refused.status_code, refused.json["error_code"]) == (400, "PARSE_ERROR")
    assert refused.json["message"].startswith("token: ")
    assert lobby.join(table["table_id"], table["invitations"][2]).status_code == 200


def test_joining_wakes_those_who_wait(tmp_path, migrated_url, monkeypatch):
    monkeypatch.setattr(registry, "SYNC_SECONDS", 50.0)  # only a wake-up comes in time
    shared = {"database_url": migrated_url}
    with opened(tmp_path / "one", **shared) as one, opened(tmp_path / "two", **shared) as two:
        table = made(one, rules=2465)
        token, table_id = table["tokens"][0], table["table_id"]
        for each in (one, two):
            each.services.runner.start()
        places = [Seat(each.app, table_id, token) for each in (one, two)]
        version = places[1].get()["version"]
        stream = places[1].client.get(f"/api/tables/{table_id}/events", headers=places[1].headers)
        views = iter(stream.response)
        assert b'"name":"cid"' not in next(views)
        with ThreadPoolExecutor(2) as pool:
            waiting = [pool.submit(each.get, f"?after={version}&wait=25") for each in places]
            wait_until(lambda: one.services.watchers.taken + two.services.watchers.taken == 3)
            begun = time.monotonic()
            assert one.join(table_id, table["invitations"][2], name="cid").status_code == 200
            for each in waiting:
                assert each.result(60)["players"][2]["name"] == "cid"
        assert b'"name":"cid"' in next(views)
        assert time.monotonic() - begun < AT_ONCE
        stream.close()


def test_the_creator_chooses_a_seat_or_none(lobby):
    table = made(lobby, seat=2)
    assert [each is not None for each in table["tokens"]] == [False, False, True, False]
    assert [each is not None for each in table["invitations"]] == [True, False, False, True]
    table = made(lobby, seat=None)
    assert table["tokens"] == [None] * 4
    assert [each is not None for each in table["invitations"]] == [True, False, True, True]
    watch = {"X-Share-Token": table["watch_token"]}
    view = lobby.client.get(f"/api/tables/{table['table_id']}", headers=watch).json
    assert (view["seat"], view["hand"]["cards"], view["private"]) == (None, [], True)
    stream = lobby.client.get(f"/api/tables/{table['table_id']}/events", headers=watch)
    assert stream.status_code == 200
    stream.close()
    refused = lobby.client.post("/api/tables", json=FOUR | {"seat": 1})
    assert (refused.status_code, refused.json["message"]) == (
        400,
        "seat: 1 is not the seat of a person",
    )


def test_a_table_of_people_is_private_unless_it_is_made_public(lobby):
    table = made(lobby)
    path = f"/api/tables/{table['table_id']}"
    for headers in ({}, {"X-Seat-Token": "guess"}, {"X-Share-Token": "guess"}):
        for answer in (
            lobby.client.get(path, headers=headers),
            lobby.client.get(f"{path}/events", headers=headers),
            lobby.client.post(f"{path}/play", json={"card": "2C"}, headers=headers),
        ):
            assert (answer.status_code, answer.json["message"]) == (404, "there is no such table")
    mine = {"X-Seat-Token": table["tokens"][0]}
    assert lobby.client.get(path, headers=mine).json["private"] is True
    assert table["table_id"] not in lobby.client.get("/api/tables").text
    assert table["table_id"] not in lobby.client.get("/api/games").text
    assert lobby.client.get(f"/api/games/{table['table_id']}").status_code == 404
    public = made(lobby, public=True)
    assert lobby.client.get(f"/api/tables/{public['table_id']}").json["private"] is False
    assert public["table_id"] in lobby.client.get("/api/tables").text
    bots = lobby.client.post("/api/tables", json={"seats": [QUICK] * 4, "pace_ms": 60_000}).json
    assert (bots["table"]["private"], bots["watch_token"]) == (False, None)
    hidden = {"seats": [QUICK] * 4, "pace_ms": 60_000, "public": False}
    assert lobby.client.post("/api/tables", json=hidden).json["watch_token"] is not None


def test_whoever_joined_at_another_instance_is_known(tmp_path, migrated_url):
    shared = {"database_url": migrated_url}
    with opened(tmp_path / "one", **shared) as one, opened(tmp_path / "two", **shared) as two:
        table = made(one)
        me = Seat(one.app, table["table_id"], table["tokens"][0])
        token = two.join(table["table_id"], table["invitations"][2], name="cid").json["token"]
        there = Seat(one.app, table["table_id"], token)
        assert there.get()["seat"] == 2
        assert me.get()["players"][2]["name"] == "cid"


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    with keyed(tmp_path_factory.mktemp("keyed")) as found:
        yield found


def test_a_private_table_belongs_to_the_key_that_created_it(here):
    table = here.ann.post("/api/tables", FOUR).json
    path = f"/api/tables/{table['table_id']}"
    assert here.ann.get(path).json["seat"] is None  # the public view
    assert here.bob.get(path).status_code == 404
    assert table["table_id"] in here.ann.get("/api/tables").text
    assert table["table_id"] not in here.bob.get("/api/tables").text


def test_who_has_a_token_or_an_invitation_needs_no_key(here):
    table = here.ann.post("/api/tables", FOUR).json
    path = f"/api/tables/{table['table_id']}"
    assert here.visitor.get(path).status_code == 401
    joined = here.visitor.post(f"{path}/join", {"invitation": table["invitations"][2]})
    assert joined.status_code == 200
    token = {"X-Seat-Token": joined.json["token"]}
    view = here.visitor.get(path, **token).json
    assert (view["seat"], len(view["hand"]["cards"])) == (2, 13)
    passed = here.visitor.post(f"{path}/pass", {"cards": view["hand"]["cards"][:3]}, **token)
    assert passed.status_code == 200
    watch = here.ann.post("/api/tables", FOUR | {"seat": None}).json
    share = {"X-Share-Token": watch["watch_token"]}
    assert here.visitor.get(f"/api/tables/{watch['table_id']}", **share).status_code == 200
    public = here.ann.post("/api/tables", FOUR | {"public": True}).json
    for guess in ({"X-Seat-Token": "x"}, share):
        answer = here.visitor.get(f"/api/tables/{public['table_id']}", **guess)
        assert answer.status_code == 404
    assert here.visitor.get("/api/tables", **token).status_code == 401

"""Tables through the API: rejected, repeated and simultaneous moves, and waiting for changes."""

from __future__ import annotations

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.server.tables.conftest import opened
from tests.server.tables.people import QUICK, Seat, passed

# Who was second: the next seat is to play, or the same one again after it has won the trick.
WHY_NOT = r"seat \d is to play, not seat \d|the table is at version \d+, not \d+"
SOON = 20  # seconds: a busy machine needs less, and who waits for a table would wait for 25


def test_a_move_that_may_not_be_made_says_why_and_what_may_be(lobby):
    _, seats = lobby.people()
    me = seats[0]
    cards = me.get()["hand"]["cards"]
    other = seats[1].get()["hand"]["cards"][0]
    assert me.refused("play", card=cards[0])[:2] == (409, "CONFLICT")
    assert me.refused("claim") == (
        409,
        "CONFLICT",
        "the hand goes on: somebody's points may still change",
    )
    assert me.refused("next") == (409, "CONFLICT", "the hand is not over")
    for bad in ([*cards[:2], other], cards[:2], cards[:4]):
        assert me.refused("pass", cards=bad)[:2] == (400, "ILLEGAL_MOVE")
    assert me.refused("pass", cards=["1Z"] * 3)[1] == "ILLEGAL_MOVE"
    assert me.refused("pass", cards=[cards[0]] * 3)[2].endswith("is named twice")
    assert me.refused("pass")[:2] == (400, "PARSE_ERROR")
    passed(seats)
    turn = seats[0].get()["hand"]["turn"]
    hand = seats[turn].get()["hand"]
    illegal = next(iter(hand["illegal"]))
    answer = seats[turn].ask("play", card=illegal)
    assert (answer.status_code, answer.json["error_code"]) == (400, "ILLEGAL_MOVE")
    assert (
        answer.json["message"] == f"seat {turn} cannot play {illegal}: {hand['illegal'][illegal]}"
    )
    assert answer.json["legal_cards"] == hand["legal"]
    late = seats[(turn + 1) % 4]
    status, code, message = late.refused("play", card=late.get()["hand"]["cards"][0])
    assert (status, code) == (409, "CONFLICT")
    assert message == f"seat {turn} is to play, not seat {(turn + 1) % 4}"


@pytest.mark.parametrize("table_id", ["nobody-knows", "x" * 80, "a.b", "%00", "é"])
def test_a_table_that_does_not_exist(lobby, table_id):
    for answer in (
        lobby.client.get(f"/api/tables/{table_id}"),
        lobby.client.get(f"/api/tables/{table_id}/events"),
        lobby.client.post(f"/api/tables/{table_id}/play", json={"card": "2C"}),
    ):
        assert (answer.status_code, answer.json["error_code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("query", ["after=x", "after=-1", "wait=26", "wait=nan", "wait=-1"])
def test_a_wait_that_cannot_be(lobby, query):
    table_id, _ = lobby.people()
    answer = lobby.client.get(f"/api/tables/{table_id}?{query}")
    assert (answer.status_code, answer.json["error_code"]) == (400, "PARSE_ERROR")


def test_the_very_same_move_may_be_sent_again(lobby):
    _, seats = lobby.people()
    cards = seats[1].get()["hand"]["cards"][:3]
    first = seats[1].do("pass", cards=cards, version=1)
    assert seats[1].do("pass", cards=cards, version=1) == first
    assert seats[1].refused("pass", cards=seats[1].get()["hand"]["cards"][3:6])[1] == "CONFLICT"
    for seat in (seats[0], *seats[2:]):
        seat.do("pass", cards=seat.get()["hand"]["cards"][:3])
    turn = seats[0].get()["hand"]["turn"]
    view = seats[turn].get()
    card = view["hand"]["legal"][0]
    first = seats[turn].do("play", card=card, version=view["version"])
    assert seats[turn].do("play", card=card, version=view["version"]) == first
    assert seats[turn].do("play", card=card) == first
    following = seats[(turn + 1) % 4]
    old = following.refused("play", card=following.get()["hand"]["legal"][0], version=1)
    assert old == (409, "CONFLICT", f"the table is at version {first['version']}, not 1")


def test_of_two_who_play_for_one_seat_at_once_one_wins(lobby):
    _, seats = lobby.people()
    passed(seats)
    races = 0
    while races < 15 and (view := seats[0].get())["phase"] == "playing":
        turn = view["hand"]["turn"]
        legal = seats[turn].get()["hand"]["legal"]
        if len(legal) == 1:
            seats[turn].do("play", card=legal[0])
            continue
        races += 1
        twins = [Seat(lobby.app, seats[turn].table_id, seats[turn].token) for _ in legal]
        with ThreadPoolExecutor(len(twins)) as pool:
            asked = [
                pool.submit(twin.ask, "play", card=card, version=view["version"])
                for twin, card in zip(twins, legal, strict=True)
            ]
            made = [each.result() for each in asked]
        assert sorted(answer.status_code for answer in made) == [200] + [409] * (len(legal) - 1)
        for answer in made:
            if answer.status_code == 409:
                assert re.match(WHY_NOT, answer.json["message"])
        assert seats[0].get()["version"] == view["version"] + 1


def test_two_services_on_one_database_agree_on_who_was_first(tmp_path, migrated_url):
    shared = {"database_url": migrated_url}
    with opened(tmp_path, **shared) as one, opened(tmp_path, **shared) as two:
        _, seats = one.people()
        passed(seats)
        there = [Seat(two.app, seat.table_id, seat.token) for seat in seats]
        for _ in range(12):
            version, turn = (view := seats[0].get())["version"], view["hand"]["turn"]
            cards = seats[turn].get()["hand"]["legal"]
            with ThreadPoolExecutor(2) as pool:
                asked = [
                    pool.submit(place[turn].ask, "play", card=card, version=version)
                    for place, card in ((seats, cards[0]), (there, cards[-1]))
                ]
                made = [each.result() for each in asked]
            same = cards[0] == cards[-1]
            assert sorted(m.status_code for m in made) == ([200, 200] if same else [200, 409])
            for place in (one, two):  # each has seen it, or sees it at its next look
                session = place.services.tables.find(seats[0].table_id)
                session.synced_at = 0.0
                assert place.services.tables.find(seats[0].table_id).table.version == version + 1
            assert seats[turn].get()["hand"]["tricks"] == there[turn].get()["hand"]["tricks"]


def test_people_find_their_table_again(tmp_path, migrated_url):
    with opened(tmp_path, database_url=migrated_url) as lobby:
        table_id, (me, *_) = lobby.make("human", QUICK, QUICK, QUICK)
        view = me.until()
        while len(view["hand"]["tricks"]) < 3:
            me.play_on(view)
            view = me.until()
    with opened(tmp_path, database_url=migrated_url) as lobby:
        again = Seat(lobby.app, table_id, me.token)
        assert again.get() == view
        assert again.play_on(view)["version"] > view["version"]


def test_a_long_poll_answers_when_the_table_changes(lobby):
    _, seats = lobby.people()
    view = seats[0].get()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(seats[0].get, f"?after={view['version']}&wait=25")
        while not lobby.services.watchers.taken:
            time.sleep(0.005)
        begun = time.monotonic()
        seats[1].do("pass", cards=seats[1].get()["hand"]["cards"][:3])
        assert waiting.result(60)["version"] == view["version"] + 1
        assert time.monotonic() - begun < SOON
    begun = time.monotonic()
    assert seats[0].get(f"?after={view['version']}&wait=25")["version"] == view["version"] + 1
    assert seats[0].get("?after=999&wait=25")["version"] == view["version"] + 1
    assert time.monotonic() - begun < SOON
    assert lobby.services.watchers.taken == 0


def test_a_long_poll_ends_without_news_and_at_once_where_too_many_wait(tmp_path):
    with opened(tmp_path, watchers=1) as lobby:
        _, seats = lobby.people()
        version = seats[0].get()["version"]
        begun = time.monotonic()
        seats[0].get(f"?after={version}&wait=0.2")
        assert 0.2 <= time.monotonic() - begun < SOON
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(seats[0].get, f"?after={version}&wait=25")
            while not lobby.services.watchers.taken:
                time.sleep(0.005)
            begun = time.monotonic()
            assert seats[1].get(f"?after={version}&wait=25")["version"] == version
            refused = seats[1].client.get(f"/api/tables/{seats[1].table_id}/events")
            assert (refused.status_code, refused.json["error_code"]) == (503, "BUSY")
            assert time.monotonic() - begun < SOON
            lobby.services.tables.close()  # as when the service stops
            waiting.result(60)


def finished_hand(seats: list[Seat]) -> None:
    """Play until the hand is over."""
    while (view := seats[0].get())["phase"] in ("passing", "playing"):
        seat = seats[view["hand"]["waiting_for"][0]]
        seat.play_on(seat.get())


def test_a_client_gets_the_hands_that_finished_after_its_version(lobby):
    _, seats = lobby.people(rules=2465, target_score=1000)
    me = seats[2]
    stream = me.client.get(f"/api/tables/{me.table_id}/events?since=0", headers=me.headers)
    events = (json.loads(each.split(b"data: ")[1]) for each in stream.response)
    first = next(events)
    assert first["hands_before"] == 0
    finished_hand(seats)
    known = me.do("next")
    assert [hand["number"] for hand in known["hands"]] == [0]
    finished_hand(seats)
    whole = me.get()
    assert (whole["hands_before"], [hand["number"] for hand in whole["hands"]]) == (0, [0, 1])
    since = me.get(f"?since={known['version']}")
    assert (since["hands_before"], since["hands"]) == (1, whole["hands"][1:])
    assert {**since, "hands": 0, "hands_before": 0} == {**whole, "hands": 0, "hands_before": 0}
    assert me.get(f"?since={known['version']}&after=1")["hands_before"] == 1
    assert me.get(f"?since={whole['version']}")["hands_before"] == 2
    dealt = me.do(f"next?since={whole['version']}")
    assert (dealt["hands_before"], dealt["hands"]) == (2, [])
    hands = first["hands"]
    while len(hands) < 2:  # the last state counts: a stream may leave versions out
        view = next(events)
        hands = [*hands[: view["hands_before"]], *view["hands"]]
        assert len(view["hands"]) + view["hands_before"] == len(hands)
    assert hands == whole["hands"]
    stream.close()


def test_a_stream_goes_on_after_the_last_event_of_an_earlier_one(lobby):
    _, seats = lobby.people(rules=2465, target_score=1000)
    me = seats[1]
    finished_hand(seats)
    known = me.get()["version"]

    def first(query: str, **headers: str) -> dict:
        path = f"/api/tables/{me.table_id}/events{query}"
        stream = me.client.get(path, headers=me.headers | headers)
        view = json.loads(next(iter(stream.response)).split(b"data: ")[1])
        stream.close()
        return view

    assert first("?since=0")["hands_before"] == 0
    assert first("?since=0", **{"Last-Event-ID": str(known)})["hands_before"] == 1
    assert first("", **{"Last-Event-ID": str(known)})["hands_before"] == 0  # as in version 0.1
    answer = me.client.get(f"/api/tables/{me.table_id}?since=x")
    assert (answer.status_code, answer.json["error_code"]) == (400, "PARSE_ERROR")


def test_a_stream_shows_every_view_to_whom_it_belongs(lobby):
    _, seats = lobby.people()
    me = seats[2]
    answer = me.client.get(f"/api/tables/{me.table_id}/events", headers=me.headers)
    assert answer.content_type == "text/event-stream; charset=utf-8"
    events = iter(answer.response)
    first = next(events)
    assert first.startswith(b"event: view\nid: 1\ndata: {")
    assert json.loads(first.split(b"data: ")[1]) == me.get()
    seats[0].do("pass", cards=seats[0].get()["hand"]["cards"][:3])
    second = json.loads(next(events).split(b"data: ")[1])
    assert (second["version"], second["seat"], second["hand"]["waiting_for"]) == (2, 2, [1, 2, 3])
    assert lobby.services.watchers.taken == 1
    answer.close()
    assert lobby.services.watchers.taken == 0

"""Live tables through the API: whole hands, refusals, repeats, races, restarts, waiting."""

from __future__ import annotations

import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select, update

from hearts.engine.config import SearchConfig, published
from hearts.game.cards import name, names, parse_card, set_of
from hearts.game.errors import IllegalMove
from hearts.game.records import parse_record
from hearts.game.scoring import points_of
from hearts.views.view import View
from server.games.events.state_machine import FINISHED
from server.storage.decisions import decisions
from server.storage.schema import GAMES
from server.tables import engine_moves, runner
from server.tables.registry import TableRegistry
from server.tables.setup import OWN_PACE_MS, SeatSetup
from server.tables.table import Occupant
from tests.server.service import wait_until
from tests.server.tables.conftest import opened
from tests.server.tables.people import QUICK, Lobby, Seat, passed
from tests.server.tables.tables import new_table

# Who was second: the next seat is to play, or the same one again after it has won the trick.
WHY_NOT = r"seat \d is to play, not seat \d|the table is at version \d+, not \d+"
SOON = 20  # seconds: a busy machine needs less, and who waits for a table would wait for 25
FAST = {"simulations": 10, "worlds": 2, "passing": "rule", "explain": False}


# Whole hands


def advised(lobby: Lobby, seats: list[Seat], turn: int) -> None:
    """Hold every seat's state against the endpoints that choose moves."""
    for seat in seats:
        view = seat.get()
        state = view["game_state"]
        beliefs = lobby.post("/api/beliefs", {"game_state": state})
        assert beliefs["warnings"] == []
        assert state["current_player"] == view["seat"]
        legal = lobby.post("/api/legal", {"game_state": state})
        assert legal["warnings"] == []
        assert legal["turn"] == view["hand"]["turn"] == turn
        assert legal["legal_cards"] == view["hand"]["legal"]
        assert legal["hearts_broken"] == view["hand"]["hearts_broken"]


def test_what_a_seat_is_shown_can_be_posted_for_advice_at_every_turn(lobby):
    """A hand of four people who all play what the service says, from their views alone."""
    _, seats = lobby.people(target_score=1000)
    for seat in seats:
        view = seat.get()
        assert lobby.post("/api/beliefs", {"game_state": view["game_state"]})["warnings"] == []
        hint = lobby.post("/api/pass", {"game_state": view["game_state"], "ai_config": FAST})
        assert hint["warnings"] == []
        seat.do("pass", cards=hint["pass"], version=view["version"])
    while (view := seats[0].get())["phase"] == "playing":
        (turn,) = view["hand"]["waiting_for"]
        if view["version"] % 5 == 0:  # all four seats, at turns of all four
            advised(lobby, seats, turn)
        own = seats[turn].get()
        hint = lobby.post("/api/move", {"game_state": own["game_state"], "ai_config": FAST})
        assert hint["warnings"] == []
        assert hint["legal_cards"] == own["hand"]["legal"]
        assert hint["move"]["player"] == turn
        seats[turn].do("play", card=hint["move"]["card"], version=own["version"])
    (finished,) = view["hands"]
    record = parse_record(finished["record"])
    assert record.deal.finished
    assert view["totals"] == finished["points"] == list(points_of(record.deal))
    assert (view["scores"], view["game_state"]) == ([0] * 4, None)
    assert view["hand"]["hands"] == [
        names(set_of(card for seat, card in record.deal.plays if seat == own)) for own in range(4)
    ]
    view = seats[3].do("next")
    assert (view["hand"]["number"], view["hand"]["pass_direction"]) == (1, "right")
    assert view["game_state"]["match_scores"] == view["scores"] == finished["points"]
    hint = lobby.post("/api/pass", {"game_state": view["game_state"], "ai_config": FAST})
    assert hint["warnings"] == []


def test_every_card_is_legal_or_says_why_not(lobby):
    _, seats = lobby.people()
    view = seats[0].get()
    assert set(view["hand"]["illegal"]) == set(view["hand"]["cards"])
    assert set(view["hand"]["illegal"].values()) == {"cards are passed first"}
    passed(seats)
    reasons = set()
    while seats[0].get()["phase"] == "playing":
        table = lobby.services.tables.find(seats[0].table_id).table
        deal = table.current.deal
        for number, seat in enumerate(seats):
            hand = seat.get()["hand"]
            assert set(hand["legal"]) | set(hand["illegal"]) == set(hand["cards"])
            assert not set(hand["legal"]) & set(hand["illegal"])
            for card, why in hand["illegal"].items():
                with pytest.raises(IllegalMove) as caught:
                    deal.play(parse_card(card), number)
                assert str(caught.value) == f"seat {number} cannot play {card}: {why}"
                reasons.add(why)
        assert deal.turn is not None
        seats[deal.turn].play_on(seats[deal.turn].get())
    assert {"must follow clubs", "the 2C opens the hand", "seat 0 is to play"} <= reasons


def test_one_person_and_three_bots_play_a_match(lobby):
    table_id, seats = lobby.make("human", QUICK, "easy", QUICK, target_score=20, name="ours")
    assert [seat.token is not None for seat in seats] == [True, False, False, False]
    me = seats[0]
    view = me.until("finished")
    while view["phase"] != "finished":
        if view["hand"]["claimable"]:
            view = me.do("claim")
            assert view["phase"] in ("hand_over", "finished")
            assert view["hand"]["claimed_by"] == 0
        else:
            view = me.play_on(view)
        view = me.until("finished", "hand_over") if view["phase"] != "hand_over" else view
    assert max(view["totals"]) >= 20
    best = min(view["totals"])
    assert view["result"]["winners"] == [s for s in range(4) if view["totals"][s] == best]
    assert view["players"][2] == {"seat": 2, "kind": "engine", "name": "easy", "level": "easy"}
    assert me.refused("next") == (409, "CONFLICT", "the match is over")
    listed = lobby.client.get("/api/tables?status=finished").json["tables"]
    assert table_id in [each["table_id"] for each in listed]
    assert "hand" not in listed[0]


def test_four_bots_play_on_by_themselves_with_their_thoughts_open(lobby):
    table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, target_score=10, open=True, pace_ms=0)
    anybody = lobby.anybody(table_id)
    view, seen = anybody.get(), 0
    while view["phase"] != "finished":
        hand = view["hand"]
        seen += any(thought["explanation"] for thought in hand["thoughts"])
        if view["phase"] == "playing":
            assert [len(cards) for cards in hand["hands"]] == hand["counts"]
        view = anybody.get(f"?after={view['version']}&wait=5")
    assert seen
    assert view["game_state"] is None
    assert lobby.services.tables.find(table_id).table.phase == FINISHED
    decisions = lobby.client.get("/metrics").text
    assert 'hearts_search_seconds_count{endpoint="/api/tables"}' in decisions


def test_the_pace_of_bots_is_kept(lobby):
    table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, rules=2465, pace_ms=60)
    anybody, begun = lobby.anybody(table_id), time.monotonic()
    view = anybody.get()
    while view["version"] < 9:
        view = anybody.get(f"?after={view['version']}&wait=5")
    assert time.monotonic() - begun > 0.06 * 7
    other = lobby.make("easy", "easy", "easy", "easy")[0]
    assert lobby.anybody(other).get()["pace_ms"] == OWN_PACE_MS


# What is refused


BAD_TABLES = {
    "three seats": ({"seats": ["human"] * 3}, "seats: 3 are given: there are 4"),
    "an unknown level": (
        {"seats": ["human", "hard", "hard", "godlike"]},
        "seats[3].ai_config.level: 'godlike' is unknown; choose easy, medium, hard, expert",
    ),
    "a number": ({"seats": ["human", "hard", "hard", 1]}, "seats[3]: must be 'human', a level or"),
    "a strange kind": ({"seats": [{"kind": "cat"}] * 4}, "seats[0].kind: 'cat': choose human or"),
    "a search of a person": (
        {"seats": [{"kind": "human", "level": "hard"}] * 4},
        "seats[0].level: only an engine's seat may have it",
    ),
    "an impossible search": (
        {"seats": [{"ai_config": {"worlds": 0}}] * 4},
        "seats[0].ai_config.worlds: 0 is out of range",
    ),
    "a search of texts": (
        {"seats": [{"ai_config": {"worlds": "9"}}] * 4},
        "seats[0].ai_config.worlds: must be a whole number, not '9'",
    ),
    "above a ceiling": (
        {"seats": [{"ai_config": {"simulations": 2_000_000}}] * 4},
        "seats[0].ai_config.simulations: 2000000 is more than",
    ),
    "open with people": ({"open": True}, "open: only a table without people can be open"),
    "a seed": ({"seed": -1}, "seed: must be 0 to 2⁶⁴ − 1"),
    "a pace": ({"pace_ms": 60_001}, "pace_ms: must be 0 to 60000"),
    "a name": ({"name": "x" * 61}, "name: must have at most 60 characters"),
    "a name of a bot": ({"seats": [{"name": "\n"}] * 4}, "seats[0].name: must have at most 60"),
    "a target": ({"target_score": 0}, "target_score: 0: must be 1 to 100000"),
    "a rule": ({"rules": {"chess": True}}, "rules.chess: there is no such rule"),
    "no points": ({"rules": 64 | 4096}, "rules: no card scores: the match would never end"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_table_that_cannot_be(lobby, case):
    body, message = BAD_TABLES[case]
    answer = lobby.client.post("/api/tables", json=body)
    assert answer.status_code == 400
    assert answer.json["message"].startswith(message)


def test_what_is_not_known_of_a_table_is_warned_of(lobby):
    seats = ["human", {"level": "easy", "mood": 1}, "easy", {"ai_config": {"luck": 1, "seed": 5}}]
    answer = lobby.client.post("/api/tables", json={"seats": seats, "colour": "green"})
    assert answer.json["warnings"] == [
        "colour: unknown, ignored",
        "seats[1].mood: unknown, ignored",
        "seats[3].ai_config.luck: unknown, ignored",
        "seats[3].ai_config.seed: every decision has a seed of its own, ignored",
    ]
    assert answer.headers["Location"] == f"/api/tables/{answer.json['table_id']}"
    assert [player["level"] for player in answer.json["table"]["players"]][1:] == [
        "easy",
        "easy",
        None,
    ]


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


# The same move again, and two at once


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


# The service stops, and starts again


def played_by_bots(lobby: Lobby, table_id: str) -> list[dict]:
    view = lobby.anybody(table_id).get()
    while view["phase"] != "finished":
        view = lobby.anybody(table_id).get(f"?after={view['version']}&wait=5")
    return [{key: hand["record"][key] for key in ("dealt", "passed", "plays")}
            for hand in view["hands"]]  # fmt: skip


def test_a_service_that_was_stopped_goes_on_as_it_would_have(tmp_path):
    setup = {"target_score": 5, "seed": 11, "pace_ms": 0}
    with opened(tmp_path) as lobby:
        straight, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, **setup)
        expected = played_by_bots(lobby, straight)
    stopped = None
    for _ in range(60):
        with opened(tmp_path) as lobby:
            if stopped is None:
                stopped, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, **setup)
            else:
                lobby.services.runner.resume()
            anybody = lobby.anybody(stopped)
            view, begun = anybody.get(), anybody.get()["version"]
            while view["phase"] != "finished" and view["version"] < begun + 9:
                view = anybody.get(f"?after={view['version']}&wait=5")
            if view["phase"] == "finished":
                break
    with opened(tmp_path) as lobby:
        lobby.services.runner.resume()
        assert played_by_bots(lobby, stopped) == expected
        assert lobby.anybody(stopped).get()["seeded"] is True


def test_a_table_of_another_version_goes_on_as_it_would_have(tmp_path):
    """Its seats search by the options that are known; those of version 0.1 have other names."""
    setup = {"target_score": 1, "seed": 12, "pace_ms": 0}
    bots = [QUICK | {"ai_config": QUICK["ai_config"] | {"algorithm": "rollouts", "counsel": 20}}]
    with opened(tmp_path) as lobby:
        straight, _ = lobby.make(*bots * 4, **setup)
        expected = played_by_bots(lobby, straight)
        other, _ = lobby.make(*bots * 4, **setup | {"pace_ms": 60_000})
        with lobby.services.engine.begin() as connection:
            here = GAMES.c.id == other
            stored = connection.scalar(select(GAMES.c.setup).where(here))
            seats = [
                seat | {"config": published(seat["config"]) | {"luck": 1.0}}
                for seat in stored["seats"]
            ]
            later = stored | {"seats": seats, "pace_ms": 0}
            connection.execute(update(GAMES).where(here).values(setup=later))
    with opened(tmp_path) as lobby:
        lobby.services.runner.resume()
        assert played_by_bots(lobby, other) == expected


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


def test_whoever_looks_at_a_table_makes_it_go_on(tmp_path):
    """Also where the service could not do so when it started."""
    with opened(tmp_path) as lobby:
        table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, pace_ms=1, target_score=1000)
    with opened(tmp_path) as lobby:
        known = lobby.anybody(table_id).get()["version"]
        assert lobby.anybody(table_id).changed(known)["version"] > known


def test_a_table_that_cannot_be_read_keeps_no_other_from_going_on(tmp_path, capfd):
    with opened(tmp_path) as lobby:
        made = [lobby.make(QUICK, QUICK, QUICK, QUICK, pace_ms=1)[0] for _ in range(2)]
        with lobby.services.engine.begin() as connection:
            spoilt = update(GAMES).where(GAMES.c.id == made[0])
            connection.execute(spoilt.values(setup={"seats": 5}))
    with opened(tmp_path) as lobby:
        lobby.services.runner.resume()
        table = lobby.services.tables.find(made[1])
        assert lobby.services.tables.wait(table, table.table.version, 10).version > 1
    assert "a table is not resumed" in "".join(capfd.readouterr())


# Faults


def test_a_config_that_is_not_valid_any_more_is_played_by_rule(lobby, capfd):
    kept = SeatSetup(Occupant("engine", "old"), SearchConfig()).as_object()
    assert SeatSetup.of(kept).config == SearchConfig()
    assert SeatSetup.of({"kind": "human", "name": "ann"}).config is None  # an earlier version's
    kept["config"]["luck"] = 1.0  # an option that this version does not know
    assert SeatSetup.of(kept).config == SearchConfig()
    kept["config"]["worlds"] = 0
    assert SeatSetup.of(kept).config is None
    here = lobby.services
    moves = engine_moves.EngineMoves(here.tables, here.slots, here.metrics, None)
    view = View.of(new_table().current.deal, 0)
    assert moves.search(view, SeatSetup.of(kept), 1, {}) is None
    assert "a rule-based move is played" in "".join(capfd.readouterr())


def test_a_search_that_fails_never_costs_the_table(lobby, monkeypatch, capfd):
    def broken(*_: object, **__: object) -> None:
        raise ValueError("the secret is QS 2C AH")

    monkeypatch.setattr(engine_moves, "decide", broken)
    monkeypatch.setattr(engine_moves, "choose_pass", broken)
    _, (me, *_) = lobby.make("human", QUICK, QUICK, QUICK, target_score=1)
    view = me.until()
    while view["phase"] not in ("finished", "hand_over"):
        me.play_on(view)
        view = me.until("finished", "hand_over")
    assert len(view["hand"]["tricks"]) == 13
    says = "".join(capfd.readouterr())
    assert "search failed: a rule-based move is played" in says
    assert "ValueError at broken" in says
    assert "the secret is" not in says


def logged(lobby: Lobby, table_id: str) -> int:
    with lobby.services.engine.connect() as connection:
        return len(decisions(connection, game_id=table_id))


def test_a_database_that_is_away_for_a_while_costs_bots_a_while(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "RETRY", 0.05)
    with opened(tmp_path) as lobby:
        away, tried, write = threading.Event(), [], TableRegistry._store
        away.set()

        def failing(self, *given):
            if away.is_set():
                tried.append(given)
                raise OSError("no database")
            return write(self, *given)

        monkeypatch.setattr(TableRegistry, "_store", failing)
        table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, pace_ms=0)
        wait_until(lambda: len(tried) > 3)
        wait_until(lambda: logged(lobby, table_id) == 1)  # tried again and again, logged once
        assert lobby.anybody(table_id).get()["version"] == 1
        away.clear()
        assert lobby.anybody(table_id).changed(1)["version"] > 1


def test_bots_wait_for_a_slot_and_are_never_refused(tmp_path):
    with opened(tmp_path, slots=1, queue=0) as lobby:
        with lobby.services.slots.taken():
            table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, pace_ms=0)
            assert lobby.anybody(table_id).get("?after=1&wait=0.3")["version"] == 1
            assert lobby.services.slots.waiting == 0  # bots are not in the requests' way
        assert lobby.anybody(table_id).changed(1)["version"] > 1


def test_too_many_tables_that_play_by_themselves_are_refused_and_never_people(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(runner, "MAX_TABLES", 2)
    bots = {"seats": [QUICK] * 4, "pace_ms": 60_000}
    with opened(tmp_path) as lobby:
        for _ in range(2):
            assert lobby.client.post("/api/tables", json=bots).status_code == 201
        answer = lobby.client.post("/api/tables", json=bots)
        assert (answer.status_code, answer.json["error_code"]) == (503, "BUSY")
        assert answer.headers["Retry-After"] == "5"
        assert lobby.client.post("/api/tables", json={}).status_code == 201


def test_bots_that_nobody_looks_at_stop_until_somebody_does(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "MAX_TABLES", 1)
    monkeypatch.setattr(runner, "UNWATCHED", 0.2)
    bots = {"pace_ms": 20, "target_score": 1000}
    with opened(tmp_path) as lobby:
        table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, **bots)
        left = lobby.services.runner
        wait_until(lambda: table_id not in left._seen)  # it is left alone
        known = lobby.services.tables.find(table_id).table.version
        assert known > 1
        watched, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, **bots)  # there is room again
        assert lobby.services.tables.find(table_id).table.version == known
        assert lobby.anybody(table_id).changed(known)["version"] > known
        with lobby.client.get(f"/api/tables/{watched}/events") as stream:
            begun = time.monotonic()
            for line in stream.iter_encoded():
                assert b"nothing new" not in line
                if b"id: " in line and time.monotonic() - begun > 5 * runner.UNWATCHED:
                    break  # a stream is a look that lasts


# Waiting


def test_a_long_poll_answers_when_the_table_changes(lobby):
    _, seats = lobby.people()
    view = seats[0].get()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(seats[0].get, f"?after={view['version']}&wait=25")
        while not lobby.services.tables.watching:
            time.sleep(0.005)
        begun = time.monotonic()
        seats[1].do("pass", cards=seats[1].get()["hand"]["cards"][:3])
        assert waiting.result(60)["version"] == view["version"] + 1
        assert time.monotonic() - begun < SOON
    begun = time.monotonic()
    assert seats[0].get(f"?after={view['version']}&wait=25")["version"] == view["version"] + 1
    assert seats[0].get("?after=999&wait=25")["version"] == view["version"] + 1
    assert time.monotonic() - begun < SOON
    assert lobby.services.tables.watching == 0


def test_a_long_poll_ends_without_news_and_at_once_where_too_many_wait(tmp_path):
    with opened(tmp_path, watchers=1) as lobby:
        _, seats = lobby.people()
        version = seats[0].get()["version"]
        begun = time.monotonic()
        seats[0].get(f"?after={version}&wait=0.2")
        assert 0.2 <= time.monotonic() - begun < SOON
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(seats[0].get, f"?after={version}&wait=25")
            while not lobby.services.tables.watching:
                time.sleep(0.005)
            begun = time.monotonic()
            assert seats[1].get(f"?after={version}&wait=25")["version"] == version
            refused = seats[1].client.get(f"/api/tables/{seats[1].table_id}/events")
            assert (refused.status_code, refused.json["error_code"]) == (503, "BUSY")
            assert time.monotonic() - begun < SOON
            lobby.services.tables.close()  # as when the service stops
            waiting.result(60)


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
    assert lobby.services.tables.watching == 1
    answer.close()
    assert lobby.services.tables.watching == 0


def test_deals_of_a_seed_are_the_same_at_two_tables_and_said_to_be(lobby):
    hands = []
    for _ in range(2):
        _, seats = lobby.people(seed=2**64 - 1)
        hands.append([seat.get()["hand"]["cards"] for seat in seats])
        assert seats[0].get()["seeded"] is True
    assert hands[0] == hands[1]
    session = lobby.services.tables.find(seats[0].table_id)
    assert [names(cards) for cards in session.table.current.deal.dealt] == hands[0]
    assert name(parse_card(hands[0][0][0])) == hands[0][0][0]
    assert lobby.people()[1][0].get()["seeded"] is False

"""Live tables in a real service: many who wait, a kill, a restart, and the client library."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from signal import SIGTERM

import pytest

from hearts.client import HeartsClient, ServiceError, Table
from tests.server.service import Service, hearts, serving, wait_until

BOT = {"ai_config": {"simulations": 50, "worlds": 3, "passing": "rule"}}
QUICK = {"public": True, "pace_ms": 0}
WATCHERS = 24  # more than the threads that are left for other requests


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("service")


@pytest.fixture(scope="module")
def service(folder: Path) -> Iterator[Service]:
    with serving(folder, HEARTS_WATCHERS="40", HEARTS_SLOTS="2", HEARTS_QUEUE="0") as found:
        yield found


def after_move(client: HeartsClient, table: Table, token: str) -> Table:
    """Make the first move that comes to mind, or wait for others."""
    if table.answer["hand"]["claimable"]:
        return client.claim(table.table_id, token)
    if not table.is_my_turn:
        return client.table(table.table_id, token, after=table.version, wait=5)
    if table.phase == "passing":
        return client.pass_cards(table.table_id, token, table.cards[:3], table.version)
    return client.play_card(table.table_id, token, table.legal[0], table.version)


def test_a_hand_through_the_client(service, folder):
    with HeartsClient(service.base) as client:
        made = client.new_table(
            seats=[BOT, "human", BOT, BOT], target_score=1000, public=True, pace_ms=0
        )
        token, table = made.tokens[1], made.table
        assert token is not None
        assert [each is not None for each in made.tokens] == [False, True, False, False]
        while table.phase in ("passing", "playing"):
            table = after_move(client, table, token)
        assert made.table_id in [each["table_id"] for each in client.tables()]
        table = client.next_hand(made.table_id, token)
        assert (table.phase, table.answer["hand"]["number"]) == ("passing", 1)
        with pytest.raises(ServiceError, match="403 FORBIDDEN"):
            client.play_card(made.table_id, "guess", "2C")
        watch = client.watch_table(made.table_id, token)
        assert next(watch).version >= table.version
        watch.close()
    verified = hearts("verify", f"{service.base}/api/tables/{made.table_id}", cwd=folder)
    assert (verified.returncode, verified.stdout[:22]) == (0, "hand 0: as promised by")


def test_who_waits_keeps_nobody_from_moving(service):
    """More wait than the service has threads for requests; a move is answered all the same."""
    with HeartsClient(service.base) as client, ThreadPoolExecutor(WATCHERS) as pool:
        made = client.new_table(seats=["human"] * 4, public=True)
        joined = client.join_table(made.table_id, made.invitations[1], "bob")
        assert (joined.seat, joined.table.answer["players"][1]["name"]) == (1, "bob")
        tokens = [made.tokens[0], joined.token]

        def wait(number: int) -> int:
            if number % 4 == 0:  # the same path, written differently
                path = f"/api/%74ables/{made.table_id}?after=1&wait=25"
                return service.get(path)[1]["version"]
            with HeartsClient(service.base) as waiter:
                return waiter.table(made.table_id, after=1, wait=25).version

        waiting = [pool.submit(wait, i) for i in range(WATCHERS)]
        time.sleep(0.5)
        assert [each.result() for each in waiting if each.done()] == []
        begun = time.monotonic()
        cards = client.table(made.table_id, tokens[0]).cards
        assert client.legal({"player_hand": list(cards[:3])})
        client.pass_cards(made.table_id, tokens[0], cards[:3])
        assert time.monotonic() - begun < 20  # and not 25
        assert {each.result(60) for each in waiting} == {2}


def test_the_log_names_no_card_and_no_token(service):
    with HeartsClient(service.base) as client:
        made = client.new_table(seats=["human", BOT, BOT, BOT], pace_ms=0)
        token, table = made.tokens[0], made.table
        assert token is not None
        while not table.answer["hand"]["tricks"]:
            table = after_move(client, table, token)
    said = service.log.read_text()
    assert f"/api/tables/{made.table_id}/play" in said
    assert token not in said
    for card in ("2C", "QS", "AH", "10D"):
        assert f'"{card}"' not in said
    assert "Seat-Token" not in said
    assert "WARNING" not in said.upper().replace('"LEVEL": "INFO"', "")


def test_a_table_outlives_its_service(tmp_path):
    """Killed in the middle of a hand, and while bots play another: nothing is lost."""
    with serving(tmp_path) as service, HeartsClient(service.base) as client:
        made = client.new_table(
            seats=["human", BOT, BOT, BOT], target_score=1000, public=True, pace_ms=0
        )
        token, table = made.tokens[0], made.table
        assert token is not None
        while len(table.answer["hand"]["tricks"]) < 2 or not table.is_my_turn:
            table = after_move(client, table, token)
        seen = client.table(made.table_id, token)
        watched = client.new_table(seats=[BOT] * 4, open=True, pace_ms=20, target_score=1000)
        assert client.table(watched.table_id, after=1, wait=25).version > 1
        service.kill()
    with serving(tmp_path) as at, HeartsClient(at.base) as client:
        assert client.table(made.table_id, token).answer == seen.answer
        known = client.table(watched.table_id).version
        wait_until(lambda: client.table(watched.table_id).version > known)
        while table.phase == "playing":
            table = after_move(client, table, token)
        assert table.phase == "hand_over"
        _stops_at_once(at, client, made.table_id)


def test_a_service_that_stops_gives_its_tables_away_before_its_requests_end(
    service, folder, tmp_path
):
    url = f"sqlite:///{folder}/var/hearts.db"
    with (
        serving(tmp_path, HEARTS_DATABASE_URL=url, HEARTS_SLOTS="2") as stopping,
        HeartsClient(stopping.base) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        made = client.new_table(seats=[BOT] * 4, pace_ms=20, target_score=1000)
        client.table(made.table_id, after=2, wait=20)
        cards = ["3C", "9C", "8D", "KD", "4S", "QS", "2H", "7H", "9H"]
        asked = {"game_state": {"player_hand": cards}, "ai_config": {"time_ms": 10_000}}
        long = pool.submit(stopping.post, "/api/move", asked)
        time.sleep(1.0)
        assert not long.done()
        before = service.table_searches()
        stopping.process.send_signal(SIGTERM)
        wait_until(lambda: service.table_searches() > before)
        assert not long.done()
        assert stopping.process.poll() is None
        stopping.kill()
        with suppress(OSError):
            long.result(60)


def _stops_at_once(at: Service, client: HeartsClient, table_id: str) -> None:
    """Those who wait for a table do not hold a stopping service up."""
    version = client.table(table_id).version

    def wait() -> int:
        with HeartsClient(at.base) as waiter:
            return waiter.table(table_id, after=version, wait=25).version

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait)
        time.sleep(0.5)
        begun = time.monotonic()
        assert at.stop() == 0
        assert time.monotonic() - begun < 20  # of 25
        assert waiting.result(60) == version

"""Nothing acknowledged is lost: the process is killed in the middle of concurrent writing.

50 kills on each database: 49 of a process that uses the store as the service does, and one of the
service itself with all its threads, asked over HTTP.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import subprocess
import threading
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from server.database import make_engine, status
from server.store.games import events, game, open_tables
from server.store.hands import hands
from server.store.tables import DECISIONS
from tests.server.api import OPENING
from tests.server.service import HEARTS, clean_environment, free_port, wait_until
from tests.server.store.killed import same_event, write_until_killed
from tests.server.store.played import recorded
from tests.server.test_games_api import posted

KILLS = 49  # and one more, of the service itself
MODULES = ["tests.server.store.killed"]


def account(url: str, acknowledged: list[tuple[Any, ...]]) -> None:
    """Every acknowledged event is there, and whatever is there fits together."""
    engine = make_engine(url)
    with engine.connect() as connection:
        for game_id in {each[0] for each in acknowledged}:
            found = {event.number: event for event in events(connection, game_id)}
            for each in acknowledged:
                if each[0] == game_id:
                    assert same_event(found[each[1]], each)
            row = game(connection, game_id)
            assert sorted(found) == list(range(row.events))
            kept = hands(connection, [game_id])  # which replays them
            plays = sum(event.kind == "play" for event in found.values())
            assert sum(len(list(hand.record.deal.plays)) for hand in kept) == plays
            assert sum(hand.finished_at is not None for hand in kept) == plays // 52
    engine.dispose()


@pytest.mark.slow
def test_a_killed_writer_loses_nothing_that_it_acknowledged(migrated_url):
    engine = make_engine(migrated_url)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(MODULES)
    chance = random.Random(7)
    sizes = []
    for _ in range(KILLS):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=write_until_killed, args=(migrated_url, theirs))
        process.start()
        theirs.close()
        acknowledged = [ours.recv()]
        until = time.monotonic() + chance.uniform(0.01, 0.12)
        while (left := until - time.monotonic()) > 0:
            if ours.poll(left):
                acknowledged.append(ours.recv())
        os.kill(process.pid, signal.SIGKILL)
        with suppress(EOFError):
            while True:
                acknowledged.append(ours.recv())
        process.join()
        ours.close()
        assert process.exitcode == -signal.SIGKILL
        account(migrated_url, acknowledged)
        sizes.append(len(acknowledged))
    assert sum(sizes) > 5 * KILLS  # it was in the middle of writing
    assert status(engine).problem is None
    with engine.connect() as connection:
        assert open_tables(connection) == []
    engine.dispose()


class Killable:
    """A `hearts serve` in a session of its own, so that all of it can be killed at once."""

    def __init__(self, folder: Path, url: str) -> None:
        self.port = free_port()
        settings = {"HEARTS_DATABASE_URL": url, "HEARTS_LOG_LEVEL": "warning"}
        with (folder / "serve.log").open("ab") as output:
            self.process = subprocess.Popen(
                [HEARTS, "serve", "--port", str(self.port)],
                cwd=folder,
                env=clean_environment(**settings),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def post(self, path: str, body: object) -> dict[str, Any]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def wait(self) -> None:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with (
                suppress(OSError),
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5),
            ):
                return
            time.sleep(0.1)
        raise AssertionError("it never listened")

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=30)


@pytest.mark.slow
def test_a_killed_service_loses_nothing_that_it_acknowledged(migrated_url, tmp_path):
    acknowledged: list[tuple[Any, ...]] = []
    logged: dict[str, int] = {}
    service = Killable(tmp_path, migrated_url)
    try:
        service.wait()
        threads = [
            threading.Thread(target=log_events, args=(service, record, acknowledged))
            for record in recorded(3)
        ]
        threads.append(threading.Thread(target=log_moves, args=(service, logged)))
        for thread in threads:
            thread.start()
        # in the middle of writing, however slow the machine is
        wait_until(lambda: len(acknowledged) > 20 and sum(logged.values()) > 5, seconds=60)
    finally:
        service.kill()
    for thread in threads:
        thread.join()
    account(migrated_url, acknowledged)
    service = Killable(tmp_path, migrated_url)  # which writes what the killed ones left
    try:
        service.wait()
        engine = make_engine(migrated_url)
        for game_id, moves in logged.items():
            wait_until(lambda i=game_id, n=moves: decisions(engine, i) >= n, seconds=60)
        engine.dispose()
    finally:
        service.kill()


def log_events(service: Killable, record, acknowledged: list[tuple[Any, ...]]) -> None:
    """Post the events of hands, one by one, until nobody answers."""
    with suppress(OSError):
        game_id = service.post("/api/games", {"rules": 4001, "target_score": 100_000})["game_id"]
        number = 0
        for hand in range(1000):
            for event in posted(record):
                service.post(f"/api/games/{game_id}/events", {"number": number, **event})
                seat = event.get("player")
                acknowledged.append((game_id, number, event["kind"], hand, seat))
                number += 1


def log_moves(service: Killable, logged: dict[str, int]) -> None:
    """Ask for moves with a game, until nobody answers."""
    with suppress(OSError):
        game_id = service.post("/api/games", {})["game_id"]
        state = {"player_hand": OPENING, "rules": 2465}
        config = {"simulations": 20, "worlds": 2}
        while True:
            body = {"game_state": state, "ai_config": config, "game_id": game_id}
            assert service.post("/api/move", body)["warnings"] == []
            logged[game_id] = logged.get(game_id, 0) + 1


def decisions(engine, game_id: str) -> int:
    wanted = select(func.count()).select_from(DECISIONS).where(DECISIONS.c.game_id == game_id)
    with engine.connect() as connection:
        return connection.scalar(wanted)

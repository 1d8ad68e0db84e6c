"""Nothing acknowledged is lost: the process is killed in the middle of concurrent writing.

50 kills on each database: 49 of a process that uses the store as the service does, and one of the
service itself with all its threads, asked over HTTP.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import threading
from contextlib import suppress
from http.client import HTTPException
from typing import Any

from sqlalchemy import func, select

from server.http.services import Services
from server.runtime.settings import Settings
from server.storage.database import make_engine, status
from server.storage.games import events, game, table_ids
from server.storage.hands import hands
from server.storage.schema import DECISIONS
from tests.server.api import OPENING
from tests.server.http.routes.posting import posted
from tests.server.service import Service, serving, wait_until
from tests.server.storage.killed import same_event, write_until_killed
from tests.server.storage.played import sample_records

KILLS = 49  # and one more, of the service itself
GONE = (OSError, HTTPException)  # what a service that is killed answers with, at any byte
MODULES = ["tests.server.storage.killed"]


def account(url: str, acknowledged: list[tuple[Any, ...]]) -> None:
    """Every acknowledged event is there, and whatever is there fits together."""
    engine = make_engine(url)
    with engine.connect() as connection:
        for game_id in {each[0] for each in acknowledged}:
            found = {stored.number: stored for stored in events(connection, game_id)}
            for each in acknowledged:
                if each[0] == game_id:
                    assert same_event(found[each[1]], each)
            row = game(connection, game_id)
            assert sorted(found) == list(range(row.events))
            kept = hands(connection, [game_id])  # which replays them
            plays = sum(stored.event.kind == "play" for stored in found.values())
            assert sum(len(list(hand.record.deal.plays)) for hand in kept) == plays
            assert sum(hand.finished_at is not None for hand in kept) == plays // 52
    engine.dispose()


def test_a_killed_writer_loses_nothing_that_it_acknowledged(migrated_url):
    engine = make_engine(migrated_url)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(MODULES)
    chance = random.Random(7)
    for _ in range(KILLS):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=write_until_killed, args=(migrated_url, theirs))
        process.start()
        theirs.close()
        # in the middle of writing, however slow the machine is
        acknowledged = [ours.recv() for _ in range(chance.randint(1, 40))]
        os.kill(process.pid, signal.SIGKILL)
        with suppress(EOFError):
            while True:
                acknowledged.append(ours.recv())
        process.join()
        ours.close()
        assert process.exitcode == -signal.SIGKILL
        account(migrated_url, acknowledged)
    assert status(engine).problem is None
    with engine.connect() as connection:
        assert table_ids(connection, "open", 1) == []
    engine.dispose()


def test_a_killed_service_loses_nothing_that_it_acknowledged(migrated_url, tmp_path):
    acknowledged: list[tuple[Any, ...]] = []
    logged: dict[str, int] = {}
    with serving(tmp_path, HEARTS_DATABASE_URL=migrated_url) as service:
        threads = [
            threading.Thread(target=log_events, args=(service, record, acknowledged))
            for record in sample_records(3)
        ]
        threads.append(threading.Thread(target=log_moves, args=(service, logged)))
        for thread in threads:
            thread.start()
        # in the middle of writing, however slow the machine is
        wait_until(lambda: len(acknowledged) > 20 and sum(logged.values()) > 5)
        service.kill()
    for thread in threads:
        thread.join()
    account(migrated_url, acknowledged)
    # What the killed one left, the next one writes.
    spool = str(tmp_path / "var" / "spool")
    following = Services.of(Settings(database_url=migrated_url, spool=spool))
    following.decisions.start()
    for game_id, moves in logged.items():
        wait_until(lambda i=game_id, n=moves: decisions(following.engine, i) >= n)
    following.close()


def log_events(service: Service, record, acknowledged: list[tuple[Any, ...]]) -> None:
    """Post the events of hands, one by one, until nobody answers."""
    with suppress(*GONE):
        game_id = service.post("/api/games", {"rules": 4001, "target_score": 100_000})["game_id"]
        number = 0
        for hand in range(1000):
            for event in posted(record):
                service.post(f"/api/games/{game_id}/events", {"number": number, **event})
                seat = event.get("player")
                acknowledged.append((game_id, number, event["kind"], hand, seat))
                number += 1


def log_moves(service: Service, logged: dict[str, int]) -> None:
    """Ask for moves with a game, until nobody answers."""
    with suppress(*GONE):
        game_id = service.post("/api/games", {})["game_id"]
        state = {"player_hand": OPENING, "rules": 2465}
        config = {"simulations": 20, "worlds": 2}
        while True:
            body = {"game_state": state, "ai_config": config, "game_id": game_id}
            for warning in service.post("/api/move", body)["warnings"]:
                assert "is kept on disk for later" in warning  # a busy machine has slow disks
            logged[game_id] = logged.get(game_id, 0) + 1


def decisions(engine, game_id: str) -> int:
    wanted = select(func.count()).select_from(DECISIONS).where(DECISIONS.c.game_id == game_id)
    with engine.connect() as connection:
        return connection.scalar(wanted)

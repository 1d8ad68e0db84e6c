"""Reloads and killed workers lose nothing that was acknowledged, with two workers."""

from __future__ import annotations

import os
import signal
import threading
import urllib.error
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from hearts.game.records import Record
from tests.cluster.players import Crowd, lost_moves, seat_people
from tests.server.http.routes.posting import posted
from tests.server.service import Service, serving, wait_until
from tests.server.serving.test_workers import workers_of
from tests.server.storage.played import sample_records
from tests.server.storage.test_durability import GONE, account

SECONDS = 120  # after which a table that has not come to an end is stuck
CONFLICT, UNAVAILABLE = 409, 503


class Reporter:
    """Posts the events of hands to a game, and remembers what was acknowledged."""

    def __init__(self, service: Service, record: Record) -> None:
        self.service, self.record = service, record
        self.acknowledged: list[tuple[Any, ...]] = []
        self.over = threading.Event()

    def run(self) -> None:
        """Post hand after hand until the test is over."""
        body = {"rules": 4001, "target_score": 100_000}
        game_id = self.service.post("/api/games", body)["game_id"]
        number = hand = 0
        while not self.over.is_set():
            for event in posted(self.record):
                self._post(f"/api/games/{game_id}/events", {"number": number, **event})
                seat = event.get("player")
                self.acknowledged.append((game_id, number, event["kind"], hand, seat))
                number += 1
            hand += 1

    def _post(self, path: str, event: dict[str, Any]) -> None:
        """Post an event until it is stored."""
        again = False
        while True:
            try:
                self.service.post(path, event)
                return
            except urllib.error.HTTPError as error:
                if again and error.code == CONFLICT:  # stored, but its answer was lost
                    return
                if error.code != UNAVAILABLE:
                    raise
            except GONE:
                again = True


def disturb(service: Service, times: int) -> None:
    """Reload the service, and kill its workers one after the other."""
    for _ in range(times):
        before = set(workers_of(service))
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda old=before: not old & set(workers_of(service)))
        for victim in workers_of(service):
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
            wait_until(lambda pid=victim: _is_replaced(service, pid))


def _is_replaced(service: Service, victim: int) -> bool:
    workers = workers_of(service)
    return victim not in workers and len(workers) == 2


@pytest.mark.parametrize(("backend", "times"), [
    ("sqlite", 1), pytest.param("postgresql", 4, marks=pytest.mark.thorough),
])  # fmt: skip
def test_reloads_and_kills_lose_no_acknowledged_event(backend, times, request, tmp_path):
    url = f"sqlite:///{tmp_path}/hearts.db"
    if backend == "postgresql":
        url = request.getfixturevalue("postgres_url")
    settings = {"HEARTS_WORKERS": "2", "HEARTS_DATABASE_URL": url, "HEARTS_TABLE_PACE_MS": "0"}
    with serving(tmp_path, **settings) as service, ThreadPoolExecutor(1) as pool:
        reporter = Reporter(service, *sample_records(1))
        reporting = pool.submit(reporter.run)
        try:
            crowd = Crowd(service.base, seat_people(service.base, tables=2))
            crowd.play_while(lambda: disturb(service, times), SECONDS)
        finally:
            reporter.over.set()
        reporting.result()
    assert crowd.stuck == []
    assert crowd.errors == []
    assert [lost for person in crowd.people for lost in lost_moves(person)] == []
    assert all(len(person.moves) >= 13 for person in crowd.people)
    assert len(reporter.acknowledged) > 52
    account(url, reporter.acknowledged)

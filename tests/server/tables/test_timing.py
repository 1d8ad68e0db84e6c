"""The times of bots' moves: an observer cannot tell forced cards from others."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest

from hearts.game.cards import count
from hearts.game.deal import Deal
from server.storage.games import events
from server.tables import pacing
from tests.hearts.warmup import compile_kernels
from tests.server.tables.attackers import Play, accuracy, base_rate, noise, separation
from tests.server.tables.conftest import opened
from tests.server.tables.people import QUICK, Lobby, Seat

BOT = {"ai_config": {"simulations": 200, "worlds": 8, "passing": "rule"}}
# A search of tens of milliseconds, so that it can be seen on a busy machine, too.
SLOW_BOT = {"ai_config": {"simulations": 30_000, "worlds": 8, "passing": "rule"}}


class Observer:
    """Notes when the versions of a table arrive, by an event stream without a seat."""

    def __init__(self, lobby: Lobby, table_id: str) -> None:
        self.seen: dict[int, float] = {}
        self.last = 2**31
        self.stream = lobby.app.test_client().get(f"/api/tables/{table_id}/events?since=0")
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        for each in self.stream.response:
            if b"data: " in each:
                version = json.loads(each.split(b"data: ")[1])["version"]
                self.seen[version] = time.perf_counter()
            if self.last <= max(self.seen):
                return

    def close(self, last: int) -> None:
        """Stop after a version."""
        self.last = last
        self.thread.join(60)
        self.stream.close()

    def at(self, version: int) -> float:
        """When a version was first seen: a stream may leave versions out."""
        return min(at for known, at in self.seen.items() if known >= version)


def played(
    lobby: Lobby, hands: int, bot: Mapping[str, object] | str = BOT, **setup: object
) -> tuple[list[Play], list[Play]]:
    """The plays of bots in some hands, as a stream shows them, and by the times in the database.

    There are no passes, and the person never hesitates.
    """
    asked = {"rules": 2465, "target_score": 1000, "seed": 5, **setup}
    table_id, (me, *_) = lobby.make("human", bot, bot, bot, **asked)
    observer = Observer(lobby, table_id)
    view = me.until("hand_over")
    while len(view["hands"]) < hands:
        me.play_on(view)
        view = me.until("hand_over")
        _nothing_is_timed(lobby, table_id)
    observer.close(view["version"])
    stored = stored_times(lobby, table_id)
    return _labelled(lobby, table_id, observer.at), _labelled(lobby, table_id, stored)


def _nothing_is_timed(lobby: Lobby, table_id: str) -> None:
    """While a hand is played, the service does not say when."""
    game = lobby.client.get(f"/api/games/{table_id}").json["game"]
    for hand in game["hands"]:
        assert hand["finished"] or all(play["at"] is None for play in hand["plays"])
    assert game["updated_at"].endswith(":00+00:00") or game["updated_at"] == game["created_at"]


def _labelled(lobby: Lobby, table_id: str, at: Callable[[int], float]) -> list[Play]:
    found = []
    for hand in lobby.services.tables.find(table_id).table.done:
        deal, before = Deal.of(hand.deal.rules, hand.deal.dealt, hand.deal.direction), 0
        for version, (seat, card) in enumerate(hand.deal.plays, hand.begins + 1):
            if seat and before:  # after another bot: a person's time to move is noise
                found.append(Play(at(version) - at(version - 1), count(deal.legal) == 1))
            deal, before = deal.play(card), seat
    return found


def stored_times(lobby: Lobby, table_id: str) -> Callable[[int], float]:
    """The times of versions in the database, which were public in version 0.1."""
    with lobby.services.engine.connect() as connection:
        times = [each.at.timestamp() for each in events(connection, table_id)]
    return lambda version: times[version - 1]


def test_an_attacker_learns_nothing_from_the_times_of_moves(tmp_path, monkeypatch):
    """With shorter times, so that it does not take long, and searches that are shorter as well."""
    monkeypatch.setattr(pacing, "SPREAD", 0.05)
    monkeypatch.setattr(pacing, "UNKNOWN", 0.06)
    monkeypatch.setattr(pacing, "REACTION", 0.02)
    compile_kernels()
    with opened(tmp_path) as lobby:
        found = played(lobby, 2, QUICK, pace_ms=60)
    for plays in found:
        assert len(plays) >= 40
        assert accuracy(plays) <= base_rate(plays) + noise(plays)
        longer, margin = separation(plays)
        assert abs(longer - 0.5) < margin


def test_a_table_that_asks_for_it_is_quick_and_shows_forced_cards(lobby):
    """As all tables with people were: this shows that the attackers above can attack."""
    compile_kernels()
    for plays in played(lobby, 2, SLOW_BOT, pace_ms=0):
        longer, margin = separation(plays)
        assert longer > 0.5 + margin
    asked = {"seats": ["human", BOT, BOT, BOT], "pace_ms": 0}
    (warning,) = lobby.client.post("/api/tables", json=asked).json["warnings"]
    assert warning == "pace_ms: 0: the time of a bot's move shows whether its card was forced"


def test_the_times_of_moves_are_hidden_by_default(tmp_path):
    with opened(tmp_path) as lobby:
        table = lobby.client.post("/api/tables", json={}).json
        assert table["table"]["pace_ms"] == 150
        me = Seat(lobby.app, table["table_id"], table["tokens"][0])
        assert lobby.services.tables.find(me.table_id).setup.hides_timing


@pytest.mark.thorough
@pytest.mark.parametrize("bot", ["hard", {"ai_config": {"time_ms": 300}}], ids=["hard", "time_ms"])
def test_an_attacker_learns_nothing_at_the_default_pace(tmp_path, bot):
    """Measured searches in real time; `test_pacing.py` has sharper bounds in virtual time."""
    compile_kernels()
    with opened(tmp_path) as lobby, ThreadPoolExecutor(4) as pool:
        asked = [
            pool.submit(played, Lobby(lobby.app), 4, bot, pace_ms=150, seed=n) for n in range(8)
        ]
        plays = [play for each in asked for play in each.result()[0]]
    assert len(plays) > 600
    assert accuracy(plays) <= base_rate(plays) + noise(plays)
    longer, margin = separation(plays)
    assert abs(longer - 0.5) < margin

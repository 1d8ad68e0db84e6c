"""The times of bots' moves: an observer cannot tell forced cards from others."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import pytest

from hearts.game.cards import count
from hearts.game.deal import Deal
from server.storage.games import events
from server.tables import pacing
from tests.hearts.warmup import compile_kernels
from tests.server.tables.conftest import opened
from tests.server.tables.people import QUICK, Lobby, Seat

BOT = {"ai_config": {"simulations": 200, "worlds": 8, "passing": "rule"}}
BINS = 6  # of an attacker who learns from a histogram


class Play(NamedTuple):
    """What an observer sees of a bot's play, and what the observer wants to know."""

    gap: float  # seconds since the event before
    forced: bool


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
    lobby: Lobby, hands: int, bot: Mapping[str, object] = BOT, **setup: object
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


def base_rate(plays: Sequence[Play]) -> float:
    """The accuracy of somebody who always says the same."""
    forced = sum(play.forced for play in plays) / len(plays)
    return max(forced, 1 - forced)


def accuracy(plays: Sequence[Play]) -> float:
    """The best accuracy on one half of the plays of attackers who have learned from the other."""
    train, test = plays[::2], plays[1::2]
    return max(
        sum(guess(play.gap) == play.forced for play in test) / len(test)
        for guess in (threshold(train), histogram(train))
    )


def threshold(train: Sequence[Play]):
    """Say forced below a gap: the one that fits best."""
    cuts = [(a.gap + b.gap) / 2 for a, b in pairwise(sorted(train))]
    best = max(cuts, key=lambda cut: sum((each.gap < cut) == each.forced for each in train))
    return lambda gap: gap < best


def histogram(train: Sequence[Play]):
    """Say what was more frequent in the same quantile."""
    ordered = sorted(train)
    size = math.ceil(len(ordered) / BINS)
    bins = [ordered[begin : begin + size] for begin in range(0, len(ordered), size)]

    def guess(gap: float) -> bool:
        near = next((each for each in bins if gap <= each[-1].gap), bins[-1])
        return sum(play.forced for play in near) * 2 > len(near)

    return guess


def noise(plays: Sequence[Play]) -> float:
    """Three standard deviations of an accuracy on half of the plays."""
    return 3 * math.sqrt(0.25 / (len(plays) / 2))


def separation(plays: Sequence[Play]) -> tuple[float, float]:
    """How often a free play takes longer than a forced one, and three standard deviations of it.

    The area under the ROC curve: 0.5 if times tell nothing, 1 if a threshold tells all.
    """
    forced = [play.gap for play in plays if play.forced]
    free = [play.gap for play in plays if not play.forced]
    longer = sum(a > b for a in free for b in forced) / (len(free) * len(forced))
    return longer, 3 * math.sqrt((len(plays) + 1) / (12 * len(free) * len(forced)))


def test_an_attacker_learns_nothing_from_the_times_of_moves(tmp_path, monkeypatch):
    """With shorter times, so that it does not take long, and searches that are shorter as well."""
    monkeypatch.setattr(pacing, "SPREAD", 0.05)
    monkeypatch.setattr(pacing, "UNKNOWN", 0.08)
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
    for plays in played(lobby, 2, pace_ms=0):
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
def test_an_attacker_learns_nothing_at_the_default_pace(tmp_path):
    compile_kernels()
    with opened(tmp_path) as lobby, ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(played, Lobby(lobby.app), 4, pace_ms=150, seed=n) for n in range(4)]
        plays = [play for each in asked for play in each.result()[0]]
    assert len(plays) > 300
    assert accuracy(plays) <= base_rate(plays) + noise(plays)
    longer, margin = separation(plays)
    assert abs(longer - 0.5) < margin

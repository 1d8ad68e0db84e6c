"""When bots move: at times that are independent of their cards.

A bot with one legal card needs no search, so the time of an immediate answer would tell everybody
that the card was forced, which reveals voids. At tables with people the time of a move is therefore
drawn before the move is decided: the table's pace, or longer if this kind of search takes longer,
plus a random part. A search that is not over by then is stopped. A forced card waits for a search
slot too, so that a busy service delays all moves alike, and costs its creator's budget as much.

What a kind of search takes is measured, and fixed for a table when a hand begins: within a hand, a
change would tell that a bot has searched.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from dataclasses import dataclass
from random import SystemRandom
from typing import NamedTuple, TypeVar

from hearts.engine.config import SearchConfig
from server.tables.setup import SeatSetup, Setup

SPREAD = 0.25  # seconds: the width of the random part
KEPT = 64  # searches of one kind that are remembered
KINDS = 1000  # that are remembered: clients choose configs
TABLES = 10_000  # whose hands are remembered
QUANTILE = 0.9  # of their times: a single slow one must not slow all bots down
MARGIN = 1.5  # times that quantile covers nearly all of them
UNKNOWN = 0.4  # seconds for a kind of search that has not been measured
REACTION = 0.15  # seconds in which a search ends after its time is up: it is watched every 0.1 s

K = TypeVar("K")
V = TypeVar("V")


class Kind(NamedTuple):
    """Searches that take about as long."""

    config: SearchConfig | None  # of a seat
    threads: int | None  # that the seat asks for
    passing: bool

    @classmethod
    def of(cls, seat: SeatSetup, *, passing: bool) -> Kind:
        """The kind of the searches of a seat."""
        return cls(seat.config, seat.threads, passing)


@dataclass(frozen=True)
class Usual:
    """What a kind of search takes."""

    seconds: float  # that nearly all of them stay below
    cost: float  # seconds of all threads together, on average


class Pacing:
    """Draws the times of moves, from the searches that this process has measured."""

    def __init__(self, most: float, threads: int) -> None:
        self.most = most  # seconds after which every search of a bot is stopped
        self.threads = threads  # of a search that may use all cores
        self._known: OrderedDict[Kind, deque[Usual]] = OrderedDict()
        self._hands: OrderedDict[str, tuple[int, dict[Kind, Usual]]] = OrderedDict()  # by table
        self._lock = threading.Lock()
        self._random = SystemRandom()  # nobody can predict it, not even of a seeded table

    def note(self, kind: Kind, seconds: float, cost: float) -> None:
        """Remember what a search took."""
        with self._lock:
            known = self._known.get(kind) or deque(maxlen=KEPT)
            known.append(Usual(seconds, cost))
            _remember(self._known, kind, known, KINDS)

    def usual(self, table_id: str, hand: int, setup: Setup, kind: Kind) -> Usual:
        """What searches of a kind take, by what was known when this process joined the hand."""
        with self._lock:
            number, known = self._hands.get(table_id, (-1, {}))
            if number != hand:
                known = {each: self._measured(each) for each in _kinds(setup)}
                _remember(self._hands, table_id, (hand, known), TABLES)
            return known[kind]

    def draw(self, setup: Setup, usual: Usual, turn_at: float, search_at: float) -> float:
        """The time of a move, on the clock of time.monotonic.

        `turn_at` is when it became the bot's turn, `search_at` when it got a slot to search in.
        """
        pace = setup.pace_ms / 1000
        if not setup.hides_timing:
            return turn_at + pace
        earliest = max(turn_at + pace, search_at + usual.seconds + REACTION)
        return earliest + self._random.uniform(0, SPREAD)

    def deadline(self, setup: Setup, due: float, search_at: float) -> float:
        """When the search for a move that is due is stopped."""
        latest = search_at + self.most
        return min(latest, due - REACTION) if setup.hides_timing else latest

    def _measured(self, kind: Kind) -> Usual:
        known = self._known.get(kind)
        limit = 0.0 if kind.config is None else (kind.config.time_ms or 0.0) / 1000
        if not known:
            threads = kind.threads or self.threads
            return Usual(min(self.most, limit or UNKNOWN), (limit or UNKNOWN) * threads)
        slow = sorted(each.seconds for each in known)[int(QUANTILE * len(known))]
        cost = sum(each.cost for each in known) / len(known)
        return Usual(min(self.most, max(MARGIN * slow, limit)), cost)


def _kinds(setup: Setup) -> set[Kind]:
    """The kinds of searches at a table."""
    return {Kind.of(seat, passing=passing) for seat in setup.seats for passing in (True, False)}


def _remember(entries: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    """Set an entry, and drop the one that was set longest ago if there are too many."""
    entries[key] = value
    entries.move_to_end(key)
    if len(entries) > most:
        entries.popitem(last=False)

"""The times of bots' moves in virtual time: thousands of plays, with searches of given lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from hearts.engine import decide as engine
from hearts.engine.config import SearchConfig
from hearts.game.cards import count, members
from hearts.game.rules import Rules
from server.runtime.metrics import Metrics
from server.search import budgets
from server.search.admission import Slot
from server.search.budgets import SearchBudget
from server.storage.cluster.leases import Taken
from server.tables import engine_moves, pacing, runner
from server.tables import session as sessions
from server.tables.creators import Creators
from server.tables.engine_moves import EngineMoves
from server.tables.leases import Lease
from server.tables.pacing import Kind, Pacing
from server.tables.registry import next_hand
from server.tables.runner import TableRunner
from server.tables.session import TableSession
from server.tables.setup import SeatSetup, Setup
from server.tables.table import Occupant
from tests.hearts.warmup import compile_kernels
from tests.server.tables.attackers import Play, accuracy, base_rate, separation

THREADS = 2
MOST = 1.0  # seconds of search that a bot may have
SEARCH = SearchConfig(simulations=1, worlds=1)
TICK = 0.1  # seconds within which a search notices that its time is up
HANDS = 40


@dataclass
class World:
    """A clock that only the test moves on, and a machine on which searches take what is given."""

    seconds: Callable[[Random], float]  # of the next search
    now: float = 1000.0
    rng: Random = field(default_factory=lambda: Random(7))
    slot: Slot | None = None

    def monotonic(self) -> float:
        """The time, as time.monotonic tells it."""
        return self.now

    @contextmanager
    def taken(self, *, background: bool) -> Iterator[Slot]:
        """A slot, which is always free."""
        self.slot = Slot(self.now + 30.0, THREADS, 0, background)
        yield self.slot

    def decide(self, view, config, stop=None):
        """Search until the end or the deadline; a forced card takes no time."""
        decision = engine.decide(view, SEARCH)
        if count(view.legal) == 1:
            return replace(decision, config=config, seconds=0.0)
        wanted, left = self.seconds(self.rng), self.slot.deadline - self.now
        took = wanted if wanted <= left else max(left, 0.0) + self.rng.uniform(0, TICK)
        self.now += took
        return replace(decision, config=config, seconds=took)


class Tables:
    """A registry of one table in memory, and its lease, which never ends."""

    def __init__(self, session: TableSession, world: World) -> None:
        self.session, self.world, self.leases, self.changes = session, world, self, self
        self.lease = Lease(Taken(session.table.id, 1))
        self.times: list[float] = []  # of the events
        self.late: list[float] = []  # by how much bots' moves came after the time drawn for them
        self.runner: TableRunner | None = None

    def of(self, _: str) -> Lease:
        return self.lease

    def publish_freed(self) -> None:
        pass

    def is_current(self, _: Lease) -> bool:
        return True

    def pause(self, *_: object) -> bool:
        return True

    def find(self, _: str) -> TableSession:
        return self.session

    def act(self, session: TableSession, move: Any, lease: Lease | None = None) -> None:
        with session.changing():
            session.update(session.table.after(move(session.table)))
        self.times.append(self.world.now)
        if lease is not None:
            self.late.append(self.world.now - self.runner._planned[session.table.id].due)


def table_of(config: SearchConfig) -> TableSession:
    """A table of a person and three bots, without passes."""
    bots = [SeatSetup(Occupant("engine", "bot"), config)] * 3
    rules = replace(Rules.from_mask(2465), target_score=100_000)
    setup = Setup(rules, (SeatSetup(Occupant("human", "ann")), *bots), "seed:3", pace_ms=150)
    table = setup.table("table")
    return TableSession(table.after(next_hand(table)), setup, ())


def watched(
    world: World, config: SearchConfig, monkeypatch, budget: float = 1e9
) -> tuple[list[Play], Tables]:
    """The plays of bots in many hands; the person never hesitates."""
    for module in (engine_moves, runner, sessions, budgets):
        monkeypatch.setattr(module, "time", world)
    monkeypatch.setattr(sessions.TableSession, "sit", lambda *_: None)
    session = table_of(config)
    tables, paces = Tables(session, world), Pacing(MOST, THREADS)
    paces._random = Random(5)
    monkeypatch.setattr(engine_moves, "decide", world.decide)
    log = SimpleNamespace(log_of_table=lambda *_: None)
    moves = EngineMoves(tables, world, Metrics(), log, paces)
    bots = tables.runner = TableRunner(moves, Creators(1, SearchBudget(budget)), 0)
    plays = []
    while len(session.table.done) < HANDS:
        deal, known = session.table.current.deal, len(tables.times)
        left = bots._serve("table")
        if len(tables.times) > known and known > 1:
            gap = tables.times[-1] - tables.times[-2]
            plays.append(Play(gap, count(deal.legal) == 1))
        if left is not None:
            world.now += max(0.0005, left)  # a thread needs a moment as well
        elif session.table.current.finished:
            tables.act(session, next_hand)
        else:
            cards = list(members(session.table.current.deal.legal))
            card = world.rng.choice(cards)
            tables.act(session, lambda now, card=card: now.play(0, card))
    return plays, tables


def short(rng: Random) -> float:
    """A search that is over before its move is due."""
    return rng.uniform(0.001, 0.02)


def slow(rng: Random) -> float:
    """Mostly longer than what is assumed of an unknown search, sometimes longer than allowed."""
    return rng.lognormvariate(-0.5, 0.4)


def endless(_: Random) -> float:
    """A search of a million simulations."""
    return 60.0


def timed(_: Random) -> float:
    """A search that takes the time it is given, and a little more."""
    return 1.02


def changing() -> Callable[[Random], float]:
    """Searches that become three times slower, as on a machine that becomes busy."""
    taken = [0]

    def seconds(rng: Random) -> float:
        taken[0] += 1
        return rng.uniform(0.1, 0.2) * (3 if taken[0] > 400 else 1)

    return seconds


MILLION = SearchConfig(simulations=1_000_000)
CASES = {
    "short": (short, SearchConfig(), 1e9),
    "slow": (slow, SearchConfig(), 1e9),
    "endless": (endless, MILLION, 1e9),
    "timed": (timed, SearchConfig(time_ms=1000), 1e9),
    "changing": (changing(), SearchConfig(), 1e9),
    "budget": (slow, SearchConfig(), 30.0),
    "budget, endless": (endless, MILLION, 20.0),
    "budget, short": (short, SearchConfig(), 0.5),
}


@pytest.mark.parametrize("case", CASES)
def test_times_tell_nothing_about_forced_cards(case, monkeypatch):
    """Neither the time of a play itself nor that of the next one."""
    compile_kernels()
    seconds, config, budget = CASES[case]
    plays, tables = watched(World(seconds), config, monkeypatch, budget)
    assert len(plays) > 1200
    assert max(tables.late) < 0.01  # no search was longer than the time that was drawn
    following = [Play(after.gap, play.forced) for play, after in pairwise(plays)]
    for seen in (plays, following):
        assert accuracy(seen) <= base_rate(seen) + 0.02
        longer, _ = separation(seen)
        assert abs(longer - 0.5) < 0.04


def test_the_same_attackers_tell_forced_cards_at_a_quick_table(monkeypatch):
    monkeypatch.setattr(Setup, "hides_timing", False)
    plays, _ = watched(World(slow), SearchConfig(), monkeypatch)
    assert accuracy(plays) > 0.95
    longer, _ = separation(plays)
    assert longer > 0.95


def test_what_a_search_takes_is_fixed_while_a_hand_is_played():
    session, paces = table_of(SEARCH), Pacing(MOST, THREADS)
    kind = Kind.of(session.setup.seats[1], passing=False)
    first = paces.usual("table", 0, session.setup, kind)
    assert (first.seconds, first.cost) == (pacing.UNKNOWN, pacing.UNKNOWN * THREADS)
    for _ in range(10):
        paces.note(kind, 0.2, 0.3)
    assert paces.usual("table", 0, session.setup, kind) == first
    then = paces.usual("table", 1, session.setup, kind)
    assert (then.seconds, then.cost) == (pytest.approx(0.3), pytest.approx(0.3))


def test_pacing_remembers_a_bounded_number_of_kinds_and_tables(monkeypatch):
    monkeypatch.setattr(pacing, "KINDS", 5)
    monkeypatch.setattr(pacing, "TABLES", 5)
    session, paces = table_of(SEARCH), Pacing(MOST, THREADS)
    asked = Kind.of(session.setup.seats[1], passing=False)
    for number in range(20):
        paces.usual(f"table-{number}", 0, session.setup, asked)
        paces.note(Kind(SearchConfig(simulations=number + 1), None, False), 0.1, 0.1)
    assert (len(paces._known), len(paces._hands)) == (5, 5)

"""Sessions that several threads use."""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import replace

from server.storage.values import Player, Seat
from server.tables.session import Sessions, TableSession
from server.tables.setup import SeatSetup, Setup
from tests.server.service import AT_ONCE
from tests.server.tables.tables import PEOPLE, new_table


def a_session() -> TableSession:
    table = new_table()
    seats = [Seat(Player("human", "human"), token_hash="x")] * 4
    setup = Setup(table.rules, tuple(map(SeatSetup, PEOPLE)), "seed:1")
    return TableSession(table, setup, seats)


def test_whoever_waits_hears_of_a_version_that_came_while_the_table_changed():
    session, heard = a_session(), 99
    with ThreadPoolExecutor(2) as pool:

        def wait() -> bool:
            with session.changed:
                entered.set()
                return session.changed.wait_for(lambda: session.is_stale, 20)

        entered = threading.Event()
        waiting = pool.submit(wait)
        entered.wait(10)
        begun = time.monotonic()
        with session.changing():
            pool.submit(session.hear, heard).result()  # gives up waiting for the lock
        assert waiting.result(60)
        assert time.monotonic() - begun < AT_ONCE


def named(session: TableSession, name: str) -> TableSession:
    other = copy(session)
    other.table = replace(session.table, id=name)
    return other


def test_all_sessions_are_listed_while_others_are_added():
    first, sessions = a_session(), Sessions()
    sessions.add(first)
    many = [named(first, f"table-{number}") for number in range(5000)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(1) as pool:
            adding = pool.submit(lambda: [sessions.add(each) for each in many])
            while not adding.done():
                assert first in sessions.all()
            adding.result()
    finally:
        sys.setswitchinterval(interval)

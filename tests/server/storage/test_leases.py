"""Leases in the database: one driver per table, taken over from the dead, fenced."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from server.storage.cluster import instances, leases
from server.storage.cluster.leases import Driving, Taken
from server.storage.games import append, create_game, events, game, writing
from server.storage.schema import GAMES, INSTANCES
from server.storage.values import LeaseLost
from tests.server.storage.played import a_game, events_of, sample_records

EVER = 1e9  # seconds


def a_table(engine) -> str:
    """A table that wants a driver, with its first event."""
    (record,) = sample_records(1)
    new = a_game(record.deal.rules, kind="table")
    with writing(engine) as connection:
        create_game(connection, new)
        append(connection, new.id, 0, next(events_of(record)), Driving(engine_to_move=True))
    return new.id


def do(engine, function, *given):
    with writing(engine) as connection:
        return function(connection, *given)


def die(engine, instance: str, ago: float = instances.DEAD_SECONDS) -> None:
    """Its last heartbeat was long enough ago."""
    with writing(engine) as connection:
        seen = INSTANCES.c.seen_at - ago
        connection.execute(update(INSTANCES).where(INSTANCES.c.id == instance).values(seen_at=seen))


def test_one_instance_at_a_time_has_the_lease_of_a_table(engine):
    table_id = a_table(engine)
    for instance in ("one", "two"):
        do(engine, instances.beat, instance)
    assert do(engine, leases.take, table_id, "one") == Taken(table_id, 1)
    assert do(engine, leases.take, table_id, "two") is None
    assert do(engine, leases.orphans, EVER) == []
    die(engine, "one")
    assert do(engine, leases.orphans, EVER) == [table_id]
    assert do(engine, leases.take_orphans, "two", EVER) == [Taken(table_id, 2)]
    do(engine, instances.beat, "one")  # it was only slow
    assert do(engine, leases.take, table_id, "one") is None
    assert do(engine, leases.held, "one") == set()
    assert do(engine, leases.held, "two") == {Taken(table_id, 2)}


def test_the_event_of_an_instance_that_lost_its_lease_is_rejected(engine):
    table_id = a_table(engine)
    do(engine, instances.beat, "one")
    do(engine, leases.take, table_id, "one")
    (record,) = sample_records(1)
    event = list(events_of(record))[1]
    die(engine, "one")
    do(engine, leases.take, table_id, "two")
    with pytest.raises(LeaseLost):
        do(engine, append, table_id, 1, event, Driving(engine_to_move=True, fence=1))
    with engine.connect() as connection:
        assert len(events(connection, table_id)) == 1
    do(engine, append, table_id, 1, event, Driving(engine_to_move=False, fence=2))
    with engine.connect() as connection:
        kept = game(connection, table_id)
    assert (kept.events, kept.driver, kept.fence, kept.engine_to_move) == (2, None, 2, False)


def test_a_lease_ends_only_at_the_version_that_its_driver_knows(engine):
    table_id = a_table(engine)
    do(engine, instances.beat, "one")
    taken = do(engine, leases.take, table_id, "one")
    assert not do(engine, leases.release, taken, 0)
    assert do(engine, leases.release, taken, 1)
    assert do(engine, leases.orphans, EVER) == []
    assert do(engine, leases.take, table_id, "one") is None  # it wants no driver


def watched(engine, table_id: str, ago: float) -> None:
    """Somebody looked some seconds ago."""
    do(engine, leases.mark_watched, table_id)
    with writing(engine) as connection:
        at = instances.now(connection) - timedelta(seconds=ago)
        here = update(GAMES).where(GAMES.c.id == table_id)
        connection.execute(here.values(watched_at=at))


def test_a_table_of_bots_is_driven_only_while_it_is_watched(engine):
    table_id = a_table(engine)
    assert do(engine, leases.unwatched_for, table_id) == float("inf")
    watched(engine, table_id, 360)
    assert do(engine, leases.orphans, 300) == []
    assert not do(engine, leases.has_orphans, 300)
    assert 360 <= do(engine, leases.unwatched_for, table_id) < 420
    do(engine, leases.mark_watched, table_id)
    assert do(engine, leases.orphans, 300) == [table_id]
    assert do(engine, leases.has_orphans, 300)
    assert -1 < do(engine, leases.unwatched_for, table_id) < 60


def test_a_table_that_somebody_looks_at_meanwhile_does_not_pause(engine):
    table_id = a_table(engine)
    do(engine, instances.beat, "one")
    taken = do(engine, leases.take, table_id, "one")
    watched(engine, table_id, 360)
    do(engine, leases.mark_watched, table_id)  # at another instance, after "one" has asked
    assert not do(engine, leases.release, taken, 1, 300)
    assert do(engine, leases.held, "one") == {taken}
    watched(engine, table_id, 360)
    assert do(engine, leases.release, taken, 1, 300)
    assert do(engine, leases.orphans, EVER) == []


def test_an_instance_whose_beats_are_in_the_future_is_dead(engine):
    """Its beats stopped, and then the clock of the database was set back."""
    table_id = a_table(engine)
    do(engine, instances.beat, "one")
    do(engine, leases.take, table_id, "one")
    die(engine, "one", -1800)
    assert do(engine, leases.take_orphans, "two", EVER) == [Taken(table_id, 2)]


def test_an_instance_that_stops_leaves_its_tables_to_others(engine):
    table_id = a_table(engine)
    do(engine, instances.beat, "one")
    do(engine, leases.take, table_id, "one")
    assert do(engine, leases.release_all, "one") == 1
    do(engine, instances.leave, "one")
    assert do(engine, leases.take, table_id, "two") == Taken(table_id, 2)


def test_survivors_share_the_tables_of_the_dead(engine):
    made = {a_table(engine) for _ in range(5)}
    found = [do(engine, leases.take_orphans, name, EVER, 3) for name in ("one", "two")]
    for name in ("one", "two"):
        do(engine, instances.beat, name)
    assert [len(each) for each in found] == [3, 3]  # neither was alive yet
    assert {taken.table_id for each in found for taken in each} <= made
    with writing(engine) as connection:
        connection.execute(update(GAMES).values(driver="gone"))
    found = [do(engine, leases.take_orphans, name, EVER, 3) for name in ("one", "two")]
    assert [len(each) for each in found] == [3, 2]

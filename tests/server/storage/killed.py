"""A process that writes to the store until it is killed, and says what was acknowledged."""

from __future__ import annotations

import threading
from multiprocessing.connection import Connection

from server.storage.database import make_engine
from server.storage.events import StoredEvent
from server.storage.games import append, create_game, writing
from tests.server.storage.played import a_game, events_of, sample_records

WRITERS = 3  # threads at once, each with a game of its own


def write_until_killed(url: str, told: Connection) -> None:
    """Append hand after hand to games; every acknowledged event is sent through `told`."""
    engine = make_engine(url)
    records = sample_records(WRITERS)
    telling = threading.Lock()

    def write(number: int) -> None:
        game = a_game(records[number].deal.rules, target_score=100_000)
        with writing(engine) as connection:
            create_game(connection, game)
        version = 0
        for hand in range(1_000_000):
            for event in events_of(records[number], hand):
                with writing(engine) as connection:
                    version = append(connection, game.id, version, event)
                with telling:
                    told.send((game.id, version - 1, event.kind, event.hand, event.seat))

    for number in range(WRITERS):
        threading.Thread(target=write, args=(number,)).start()


def same_event(stored: StoredEvent, acknowledged: tuple[str, int, str, int, int | None]) -> bool:
    """Whether a stored event is the one that was acknowledged."""
    _, number, kind, hand, seat = acknowledged
    event = stored.event
    return (stored.number, event.kind, event.hand, event.seat) == (number, kind, hand, seat)

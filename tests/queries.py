"""`make queries`: a million plays in SQLite and PostgreSQL; imports, listings, statistics timed."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import click
from sqlalchemy import Connection, Engine, select, text, update
from tqdm import tqdm

from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.engine.levels import LEVELS
from hearts.game.cards import parse_cards
from hearts.game.records import Record, read_records
from hearts.game.trick import Trick
from hearts.views.view import View
from server.games.records.importing import import_files
from server.games.statistics import statistics
from server.storage import decisions
from server.storage.bulk import RecordedGame, add_games, bulk_insert
from server.storage.cluster.leases import orphans
from server.storage.database import make_engine, upgrade
from server.storage.games import events, game, table_ids, writing
from server.storage.hands import hands
from server.storage.listing import Filters, oldest, page
from server.storage.schema import DECISIONS, PLAYERS, RESULTS
from server.storage.statistics import GROUPS, Choice
from server.storage.values import TABLE, NewGame, Player, Seat, new_id
from tests.postgres import running_server

DATA = Path(__file__).parent / "data" / "xinxin-1k-dev.jsonl.gz"
PLAYS = 1_000_000
LIMIT = 2.0  # seconds that no query may take
IMPORT_LIMIT = 10.0  # seconds of CPU that the import of 2,000 hands may take
HANDS_OF_A_MATCH = 8
SOURCES = ("arena", "tables", "clients", "imports")
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
REPEATS = 3


def a_million(plays: int) -> Iterator[RecordedGame]:
    """Matches over a year between people, bots of clients and our levels, from recorded hands."""
    chance = random.Random(1)
    records = list(islice(read_records(DATA), 200))
    rules = records[0].deal.rules
    players = [Player("human", f"player {i}") for i in range(200)]
    players += [Player("client", f"bot {i}") for i in range(20)]
    players += [
        Player("engine", f"hearts {level}", level, vars(config), "0.1.0")
        for level, config in LEVELS.items()
    ] * 25
    played = 0
    while played < plays:
        at = BEGIN + timedelta(seconds=chance.random() * 365 * 86_400)
        seats = tuple(Seat(player) for player in chance.sample(players, 4))
        source = chance.choice(SOURCES)
        new = NewGame(new_id(), TABLE, rules, seats, 100, source, created_at=at)
        chosen = [_copy(chance.choice(records), source) for _ in range(HANDS_OF_A_MATCH)]
        played += 52 * HANDS_OF_A_MATCH
        yield RecordedGame(new, chosen)


def _copy(record: Record, source: str) -> Record:
    return replace(record, source=source, extra={})


def fill(engine: Engine, plays: int) -> None:
    """Fill a database."""
    upgrade(engine)
    games = a_million(plays)
    total = plays // (52 * HANDS_OF_A_MATCH)
    with tqdm(total=total, desc=f"fill {engine.dialect.name}", unit="game", disable=None) as bar:
        while batch := list(islice(games, 100)):
            with writing(engine) as connection:
                add_games(connection, batch)
            bar.update(len(batch))
    with writing(engine) as connection:
        connection.execute(update(RESULTS).values(moves=13, ms=RESULTS.c.seat * 40.0 + 20.0))
        _log_decisions(connection)
        if engine.dialect.name == "postgresql":
            connection.execute(text("ANALYZE"))  # as the server does by itself after a while


def _log_decisions(connection: Connection) -> None:
    """One decision for every hand of every seat that is ours."""
    view = View(seat=0, hand=parse_cards("AS 2C"), trick=Trick(0))
    entry = dict(decisions.entry_of(decide(view, SearchConfig(simulations=50)), "", 0))
    del entry["of_table"]  # for the writer alone: no column
    engines = select(RESULTS.c.game_id, RESULTS.c.hand, RESULTS.c.seat).join(PLAYERS)
    kept = connection.execute(engines.where(PLAYERS.c.kind == "engine")).all()
    at = datetime.now(UTC)
    stored_decisions = [
        {**entry, "uid": f"{n:032x}", "created_at": at, "game_id": g, "hand": h, "seat": s}
        for n, (g, h, s) in enumerate(kept)
    ]
    bulk_insert(connection, DECISIONS, stored_decisions)


def questions(connection: Connection) -> dict[str, Callable[[], Any]]:
    """Everything that users ask for, by name."""
    ids, _ = oldest(connection, 100)
    middle = BEGIN + timedelta(days=180)
    _, cursor = page(connection, Filters(), 200)
    asked: dict[str, Callable[[], Any]] = {
        "list: the newest": lambda: page(connection, Filters(), 50),
        "list: the next page": lambda: page(connection, Filters(), 50, cursor),
        "list: a player": lambda: page(connection, Filters(player="player 7"), 50),
        "list: a level of ours": lambda: page(connection, Filters(player="hearts hard"), 50),
        "list: a source": lambda: page(connection, Filters(source="tables"), 50),
        "list: a source, in a day": lambda: page(
            connection,
            Filters(source="tables", since=middle, until=middle + timedelta(days=1)),
            50,
        ),
        "list: finished games": lambda: page(connection, Filters(status="finished"), 50),
        "list: open games": lambda: page(connection, Filters(status="open"), 50),
        "list: a player of a source": lambda: page(
            connection, Filters(player="player 7", source="arena", until=middle), 50
        ),
        "open tables": lambda: table_ids(connection, "open", 20),
        "tables without a driver": lambda: orphans(connection, 3600.0),
        "a game": lambda: (game(connection, ids[5]), hands(connection, ids[5:6])),
        "the events of a game": lambda: events(connection, ids[5]),
        "decisions: the newest": lambda: decisions.decisions(connection),
        "decisions: of a game": lambda: decisions.decisions(connection, game_id=ids[5]),
        "export: 10 games": lambda: hands(connection, ids[:10]),
    }
    for group in GROUPS:
        choices = {
            "": Choice(group),
            ", half a year": Choice(group, since=middle),
            ", a day": Choice(group, since=middle, until=middle + timedelta(days=1)),
            ", a source": Choice(group, source="arena"),
            ", against hard": Choice(group, against="hard"),
            ", a player": Choice(group, player="player 7"),
        }
        for name, choice in choices.items():
            asked[f"stats by {group}{name}"] = lambda c=choice: statistics(connection, c)
    return asked


def imported(engine: Engine) -> float:
    """The seconds of CPU that the import of 2,000 recorded hands takes; none may be at fault."""
    upgrade(engine)
    begun = time.process_time()
    done = import_files(engine, sorted(DATA.parent.glob("*.jsonl.gz")))
    took = time.process_time() - begun
    assert not done.faults, done.faults[:3]
    return took / done.hands * 2_000


def timed(engine: Engine) -> dict[str, float]:
    """The shortest time of each question in some rounds, in seconds: the machine has other work."""
    found: dict[str, float] = {}
    with engine.connect() as connection:
        for name, ask in questions(connection).items():
            for _ in range(REPEATS):
                begun = time.perf_counter()
                ask()
                took = time.perf_counter() - begun
                found[name] = min(found.get(name, took), took)
    return found


@click.command()
@click.option("--plays", default=PLAYS, show_default=True, help="That the database holds.")
def main(plays: int) -> None:
    """Fill both databases and time everything; exit 1 where a query takes 2 s, or an import 10."""
    with tempfile.TemporaryDirectory() as folder, running_server() as server:
        urls = {
            "SQLite": f"sqlite:///{folder}/hearts.db",
            "PostgreSQL": server.new_database(),
        }
        times, imports = {}, {}
        for name, url in urls.items():
            engine = make_engine(url)
            imports[name] = imported(engine)
            begun = time.perf_counter()
            fill(engine, plays)
            click.echo(f"{name}: filled in {time.perf_counter() - begun:.0f} s", err=True)
            times[name] = timed(engine)
            engine.dispose()
    click.echo(f"{'ms, the best of ' + str(REPEATS):<36}" + "".join(f"{n:>12}" for n in times))
    for question in times["SQLite"]:
        row = "".join(f"{found[question] * 1000:>12.1f}" for found in times.values())
        click.echo(f"{question:<36}{row}")
    worst = max(each for found in times.values() for each in found.values())
    click.echo(f"the longest: {worst:.2f} s of {LIMIT:g}")
    slowest = max(imports.values())
    told = ", ".join(f"{name} {took:.1f}" for name, took in imports.items())
    click.echo(f"2,000 hands imported, s of CPU: {told}, of {IMPORT_LIMIT:g}")
    sys.exit(worst >= LIMIT or slowest >= IMPORT_LIMIT)


if __name__ == "__main__":
    main()

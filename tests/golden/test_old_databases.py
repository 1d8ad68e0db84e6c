"""Databases that version 0.1.0 has written: upgraded, served, continued and searched again.

The tests know nothing but the HTTP interface, the command line and SQL, so that they hold for every
later version. Search options may be renamed: of configs only the values are compared.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click
import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from hearts.engine.levels import LEVELS
from hearts.game.rules import Rules
from server.games.review.reviewer import config_digest
from server.storage.reviews import stored_reviews
from tests.golden.databases.client import Body, Client, continued, stable
from tests.golden.databases.contents import ADVISED, BOT, PEOPLE, READER, write_imported
from tests.golden.databases.make_databases import ARENA, HIDDEN, export
from tests.golden.databases.restore import (
    POSTGRESQL,
    SQLITE,
    column_values,
    expected,
    restore_postgres,
    restore_sqlite,
    row_counts,
)
from tests.server.service import hearts, serving

VERSION = "0.1.0"
# Labels of statistics are made of the names of options.
RENAMED = frozenset({"config", "label"})
# Both databases hold the same searches, so that of one of them every third is enough.
STEP = {SQLITE: 1, POSTGRESQL: 3}
Command = Callable[..., Result]


@pytest.fixture(params=[SQLITE, POSTGRESQL])
def known(request: pytest.FixtureRequest) -> Body:
    """What must hold for one database."""
    found: Body = expected()[request.param] | {"kind": request.param}
    return found


@pytest.fixture
def url(known: Body, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The old database, restored and not upgraded yet."""
    if known["kind"] == SQLITE:
        return restore_sqlite(VERSION, tmp_path)
    return restore_postgres(VERSION, request.getfixturevalue("postgres_server"))


@pytest.fixture
def command(known: Body, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs `hearts` in this process on the database, which is upgraded first."""
    monkeypatch.chdir(tmp_path)
    (program,) = entry_points(group="console_scripts", name="hearts")
    main: click.Command = program.load()

    def run(*words: object) -> Result:
        settings = {"HEARTS_DATABASE_URL": url}
        return CliRunner().invoke(main, list(map(str, words)), env=settings)

    done = run("database", "upgrade")
    assert done.exit_code == 0, done.output
    rows_are_kept(url, known)
    assert run("keys", "adopt", "ann").exit_code == 0  # who else could see the games?
    return run


@pytest.fixture
def client(command: Command, known: Body, url: str, tmp_path: Path) -> Iterator[Client]:
    """A client with the old API key of a service that asks for one."""
    settings = {"HEARTS_DATABASE_URL": url, "HEARTS_REQUIRE_KEYS": "true"}
    # Tables go on while kernels may still be compiled: no deadline must end their searches.
    settings["HEARTS_REQUEST_SECONDS"] = "600"
    with serving(tmp_path, **settings) as service:
        yield Client(service.base, known["key"])


def rows_are_kept(url: str, known: Body) -> None:
    """Every old table has as many rows as it had; later versions may have more tables."""
    counts = row_counts(url)
    assert {table: counts.get(table) for table in known["rows"]} == known["rows"]


def config_values(value: Any) -> Counter[str]:
    """The values of all search options in a JSON value, whatever the options are called."""
    if isinstance(value, list):
        return sum(map(config_values, value), Counter())
    if not isinstance(value, dict):
        return Counter()
    own = value.get("config") or {}
    return Counter(map(json.dumps, own.values())) + config_values(list(value.values()))


def without_names(value: Any) -> str:
    """A JSON value as text, without what depends on the names of options."""
    return json.dumps(stable(value, RENAMED), sort_keys=True)


def same(found: Any, before: Any) -> None:
    """Assert that two answers say the same, apart from names of options."""
    assert stable(found, RENAMED) == stable(before, RENAMED)
    assert config_values(before) <= config_values(found)


def test_an_old_database_is_upgraded_and_served(client, command, known, url, tmp_path):
    keys_are_known(client, known)
    games_are_the_same(client, known)
    statistics_are_the_same(client, known)
    reviews_are_found(known, url)
    repeated_requests_change_nothing(client, known, url)
    tables_are_the_same(client, known)
    tables_go_on(client, command, known, tmp_path)
    players_are_recognised(client, url)


def keys_are_known(client: Client, known: Body) -> None:
    """The old key is accepted, the revoked one and none are not."""
    assert client.ask("/api/games")[0] == 200
    assert Client(client.base, known["revoked"]).ask("/api/games")[0] == 401
    assert Client(client.base).ask("/api/games")[0] == 401


def games_are_the_same(client: Client, known: Body) -> None:
    """Every game, its list and its export are as they were."""
    listed = [game["game_id"] for game in client.get("/api/games?limit=200")["games"]]
    watched = known["tables"]["watched"]["table_id"]
    assert listed == [watched, *(game["game_id"] for game in known["games"])]
    for game in known["games"]:
        same(client.get(f"/api/games/{game['game_id']}")["game"], without_times(game))
        assert export(client, game["game_id"]) == known["exports"][game["game_id"]]


def without_times(game: Body) -> Body:
    """A game without the times of a table's hand in play, which are not told any more."""
    if game["kind"] != "table" or game["status"] != "open":
        return game
    hands = [
        hand
        if hand["finished"]
        else hand | {"plays": [play | {"at": None} for play in hand["plays"]]}
        for hand in game["hands"]
    ]
    minute = datetime.fromisoformat(game["updated_at"]).replace(second=0, microsecond=0)
    shown = max(datetime.fromisoformat(game["created_at"]), minute)
    return game | {"hands": hands, "updated_at": shown.isoformat()}


def statistics_are_the_same(client: Client, known: Body) -> None:
    """Engines are as they were, people only at tables; posted games are counted by name alone."""
    tables = [game for game in known["games"] if game["kind"] == "table"]
    people_then = sum(
        sum(player["kind"] == "human" for player in game["players"])
        * sum(hand["finished"] for hand in game["hands"])
        for game in tables
    )
    for each in known["statistics"]:
        is_posted = "source=" in each["path"]
        groups = client.get(each["path"] + ("&posted=1" if is_posted else ""))["rows"]
        if is_posted:
            assert sorted(map(counted, groups)) == sorted(map(counted, each["rows"]))
            assert {group["kind"] for group in groups} == {"client"}
            continue
        engines = [row for row in groups if row["kind"] == "engine"]
        before = [row for row in each["rows"] if row["kind"] == "engine"]
        same(sorted(engines, key=without_names), sorted(before, key=without_names))
        assert {row["kind"] for row in groups} == {"human", "engine"}
        people = sum(row["hands"] for row in groups if row["kind"] == "human")
        assert people == people_then


def counted(row: Body) -> tuple[Any, ...]:
    """The statistics of a player, without its kind."""
    return row["name"], row["hands"], row["points"], row["games"], row["moons_tried"]


def reviews_are_found(known: Body, url: str) -> None:
    """A stored review is found by the search that made it: `expert` with its belief of then.

    The others were made with the default of reviews, which has changed more.
    """
    config = replace(LEVELS["expert"], belief="OM-2", seed=3)
    (made,) = (each for each in known["reviews"] if "level=expert&hand=0&seed=3" in each["path"])
    game_id = made["path"].split("/")[3]
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        found = stored_reviews(connection, game_id, config_digest(config))
    engine.dispose()
    assert [*found.values()] == made["hands"]
    assert [*found] == [0]
    assert row_counts(url)["reviews"] == known["rows"]["reviews"]


def repeated_requests_change_nothing(client: Client, known: Body, url: str) -> None:
    """A request with an old Idempotency-Key is recognised, and its answer is the first one."""
    for each in known["repeated"]:
        header = {"Idempotency-Key": each["key"]}
        status, text = client.ask(each["path"], each["body"], **header)
        assert status == 200, text
        assert json.loads(text)["game_id"] == each["answer"]["game_id"]
        assert client.ask(each["path"], each["body"] | {"x": 1}, **header)[0] == 409
    assert row_counts(url)["games"] == known["rows"]["games"]


def tables_are_the_same(client: Client, known: Body) -> None:
    """Everybody sees at every table what they saw before; the open one has gone on by itself."""
    for status in ("open", "finished"):
        tables = [each for each in known["tables"].values() if each["status"] == status]
        ids = {each["table_id"] for each in tables}
        listed = client.get(f"/api/tables?status={status}")["tables"]
        assert {table["table_id"] for table in listed} == ids
    for table in known["tables"].values():
        tokens = [None, *filter(None, table["tokens"])]
        for token, view in zip(tokens, table.get("views", ()), strict=False):
            assert known_of(stable(client.view(table["table_id"], token), HIDDEN), view) == view
    begun = known["tables"]["watched"]["begun"]
    view = client.view(known["tables"]["watched"]["table_id"])
    tricks = view["hand"]["tricks"] if view["hand"]["number"] == 0 else begun
    assert tricks[: len(begun)] == begun


def known_of(now: Any, before: Any) -> Any:
    """An answer without the fields that it did not have before."""
    if isinstance(now, dict) and isinstance(before, dict):
        return {key: known_of(now[key], before[key]) for key in now if key in before}
    if isinstance(now, list) and isinstance(before, list) and len(now) == len(before):
        return [known_of(*pair) for pair in zip(now, before, strict=True)]
    return now


def tables_go_on(client: Client, command: Command, known: Body, folder: Path) -> None:
    """Every hand goes on as in the version that began it, and its deal was as promised."""
    tables = [table for table in known["tables"].values() if table["status"] == "open"]
    with ThreadPoolExecutor(len(tables)) as pool:  # because bots take their time
        played = [
            pool.submit(continued, client, table["table_id"], table["tokens"]) for table in tables
        ]
        assert [each.result() for each in played] == [table["continued"] for table in tables]
    for table in known["tables"].values():
        noted = [view["hand"]["commitment"] for view in table.get("views", ())[:1]]
        words = [word for each in noted for word in ("--commitment", each)]
        (folder / "table.json").write_text(json.dumps(client.view(table["table_id"])), "utf-8")
        verified = command("verify", "table.json", *words)
        assert verified.exit_code == 0, verified.output


def players_are_recognised(client: Client, url: str) -> None:
    """Who sat at an old table is the same player at a new one.

    The bots name all their options: what they left out then had other defaults.
    """
    players = row_counts(url)["players"]
    stored = dict(column_values(url, "players", "name", "config", by=("id",)))
    seats = [bot | {"ai_config": options(stored[bot["name"]])} for bot in (BOT, ADVISED, READER)]
    client.post("/api/tables", {"seats": [seats[0], PEOPLE[0], *seats[1:]]})
    assert row_counts(url)["players"] == players


def options(stored: Any) -> Body:
    """The search options of a stored config; `null` means absent."""
    config: Body = json.loads(stored) if isinstance(stored, str) else stored
    return {name: value for name, value in config.items() if value is not None}


def test_old_decisions_are_searched_again_with_the_same_result(command, known, url):
    """`replay` fails unless it finds the same card or pass, with the same figures."""
    kept = column_values(url, "decisions", "id", "uid", "kind", "chosen")
    assert list(map(list, kept)) == known["decisions"]
    configs = column_values(url, "decisions", "id", "config", "view", by=["id"])
    meant = {number for number, *stored in configs if is_meant_to_change(*stored)}
    compared = [number for number, *_ in kept if number not in meant][:: STEP[known["kind"]]]
    different = {}
    for number in compared:
        again = command("decisions", "replay", number)
        if again.exit_code:
            different[number] = again.output
    assert different == {}
    assert len(meant) < len(kept) / 3
    audited = command("decisions", "audit")
    assert audited.exit_code == 0, audited.output


def is_meant_to_change(config: str | dict[str, Any], view: str | dict[str, Any]) -> bool:
    """Whether later versions decide otherwise.

    The reward `match` became the probability of winning, and rollouts came to all rules.
    """
    config, view = (json.loads(each) if isinstance(each, str) else each for each in (config, view))
    rules = Rules.parse(view["rules"])
    rollouts = config["algorithm"] == "rollouts"
    return config["reward"] == "match" or (rollouts and not rules.usual_scoring)


def test_old_tournaments_and_imports_are_recognised(command, known, url, tmp_path):
    """The same command goes on with the same tournament, the same file imports nothing."""
    hands = tournament_hands(url)
    # In a process of its own, because the command leaves its connections open.
    done = hearts(*ARENA, "--database", url, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert tournament_hands(url) == hands
    write_imported(tmp_path / "imported.jsonl")
    imported = command("import", "imported.jsonl", "--json")
    assert imported.exit_code == 0, imported.output
    rows_are_kept(url, known)


def tournament_hands(url: str) -> list[Any]:
    """The cards of all hands of tournaments."""
    keys = ("tournament_id", "deal", "seating", "hand")
    places = column_values(url, "tournament_hands", *keys)
    records = column_values(url, "tournament_hands", "record", by=keys)
    found = [json.loads(text) if isinstance(text, str) else text for (text,) in records]
    return [
        (place, record["dealt"], record["passed"], record["plays"], record["points"])
        for place, record in zip(places, found, strict=True)
    ]

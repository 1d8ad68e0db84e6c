"""Make the golden databases: run the service, use it over HTTP, and pack what it has written.

    python -m tests.golden.databases.make_databases

The tests show that later versions read what an earlier one has written. So make the databases with
the version that they are named after, and never again to make a test pass.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import subprocess
import tempfile
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.golden.databases.client import Body, Client, continued, stable
from tests.golden.databases.contents import (
    Contents,
    begin_watched,
    play_advice,
    play_tables,
    post_games,
    write_imported,
)
from tests.golden.databases.restore import (
    EXPECTED,
    POSTGRESQL,
    SQLITE,
    column_values,
    packed,
    place,
    row_counts,
)
from tests.postgres import binary, running_server
from tests.server.service import Service, hearts, serving

REVIEWS = (
    ("finished", "?simulations=120&worlds=4"),
    ("finished", "?level=expert&hand=0&seed=3"),
    ("match", "?simulations=60&worlds=3&hand=1"),
)
STATISTICS = ("", "?group=level", "?group=config", "?source=posted", "?source=golden")
ARENA = (
    "arena", "engine:algorithm=rollouts,worlds=8,simulations=40,prior=0.01,counsel=30", "random",
    "--deals", "1", "--seed", "3", "--passing", "left", "--jobs", "1",
)  # fmt: skip
HIDDEN = frozenset({"record", "opening", "thoughts"})  # of views: told by games, or not kept


def main() -> None:
    """Write both databases and what is expected of them."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = f"sqlite:///{folder / 'hearts.db'}"
        found[SQLITE] = write(folder, url, SQLITE)
    with tempfile.TemporaryDirectory() as name, running_server() as server:
        found[POSTGRESQL] = write(Path(name), server.new_database(), POSTGRESQL)
    lines = [f"{json.dumps(kind)}: {json.dumps(each)}" for kind, each in found.items()]
    EXPECTED.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")


def write(folder: Path, url: str, kind: str) -> Body:
    """Fill one database, pack it, and then see how its tables go on."""
    run(folder, url, "database", "upgrade")
    keys = [run(folder, url, "keys", "create", name).strip() for name in ("ann", "ben")]
    run(folder, url, "keys", "revoke", "ben")
    write_imported(folder / "imported.jsonl")
    run(folder, url, "import", "imported.jsonl")
    run(folder, url, *ARENA, "--database", url)
    with serving(folder, HEARTS_DATABASE_URL=url) as service:
        found = fill(folder, url, service)
    found |= {"key": keys[0], "revoked": keys[1], "rows": row_counts(url)}
    found["decisions"] = column_values(url, "decisions", "id", "uid", "kind", "chosen")
    empty = [table for table, counts in found["rows"].items() if not counts]
    assert not empty, f"no rows: {empty}"
    found["version"] = pack(kind, url, folder)
    with serving(folder, HEARTS_DATABASE_URL=url) as service:
        client = Client(service.base)
        for table in found["tables"].values():
            if table["status"] == "open":
                table["continued"] = continued(client, table["table_id"], table["tokens"])
    return found


def run(folder: Path, url: str, *words: str) -> str:
    """Run a command on the database; returns what it says."""
    done = hearts(*words, cwd=folder, HEARTS_DATABASE_URL=url)
    assert done.returncode == 0, done.stderr
    return done.stdout


def fill(folder: Path, url: str, service: Service) -> Body:
    """Use the service, and record what it says about all that it keeps."""
    client = Client(service.base)
    made = Contents(client)
    post_games(made)
    play_tables(made)
    play_advice(made)
    run(folder, url, "stats", "--json")  # judges the beliefs of engines
    until = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    games = [game["game_id"] for game in client.get("/api/games?limit=200")["games"]]
    found = {
        "reviews": [review(client, made.games[game], query) for game, query in REVIEWS],
        "statistics": [statistics(client, query, until) for query in STATISTICS],
        "games": [client.get(f"/api/games/{game}")["game"] for game in games],
        "exports": {game: export(client, game) for game in games},
        "repeated": made.repeated,
        "tables": {name: views(client, made, name) for name in made.tables},
    }
    watched = begin_watched(made)
    found["tables"]["watched"] = {
        "table_id": watched["table_id"],
        "tokens": [None] * 4,
        "status": "open",
        "begun": watched["hand"]["tricks"],
    }
    return found


def review(client: Client, game: str, query: str) -> Body:
    """A review; it is kept from now on."""
    path = f"/api/games/{game}/review{query}"
    answer = client.get(path)
    assert answer["complete"]
    return {"path": path, "hands": answer["hands"]}


def statistics(client: Client, query: str, until: str) -> Body:
    """Statistics of the hands that are over by now."""
    path = f"/api/stats{query}{'&' if query else '?'}until={until}"
    counts = client.get(path)["rows"]
    assert counts, path
    return {"path": path, "rows": counts}


def export(client: Client, game: str) -> str:
    """The digest of a game's records, without the names of search options."""
    status, text = client.ask(f"/api/games/{game}/export")
    assert status == 200, text
    records = [stable(json.loads(line), frozenset({"config"})) for line in text.splitlines()]
    return sha256(json.dumps(records, sort_keys=True).encode()).hexdigest()


def views(client: Client, made: Contents, name: str) -> Body:
    """What a table shows to everybody and to each person."""
    table = made.tables[name]
    tokens = [None, *filter(None, table.tokens)]
    shown = [stable(client.view(table.table_id, token), HIDDEN) for token in tokens]
    status = "finished" if shown[0]["phase"] == "finished" else "open"
    return {"table_id": table.table_id, "tokens": table.tokens, "status": status, "views": shown}


def pack(kind: str, url: str, folder: Path) -> str:
    """Write the packed database; returns the version that has written it."""
    version = run(folder, url, "--version").split()[-1]
    data = dumped_sqlite(folder) if kind == SQLITE else dumped_postgres(url)
    packed(kind, version).write_bytes(gzip.compress(data, mtime=0))
    return version


def dumped_sqlite(folder: Path) -> bytes:
    """The whole database as one file, without its write-ahead log."""
    copy = folder / "copy.db"
    connection = sqlite3.connect(folder / "hearts.db")
    connection.execute("VACUUM INTO ?", (str(copy),))
    connection.close()
    return copy.read_bytes()


def dumped_postgres(url: str) -> bytes:
    """The whole database as SQL that every psql reads: only newer ones know `\\restrict`."""
    command = [binary("pg_dump"), "--no-owner", "--no-privileges", *place(url)]
    lines = subprocess.run(command, check=True, capture_output=True).stdout.splitlines(True)
    return b"".join(line for line in lines if not line.startswith((b"\\restrict", b"\\unrestrict")))


if __name__ == "__main__":
    main()

"""Records into the database and out of it again, on SQLite and on PostgreSQL."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from threading import Barrier

import polars as pl
import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Engine, func, select
from sqlalchemy.exc import DataError

from hearts.game.records import Record, parse_record, read_records, write_records
from server.cli import main
from server.games.posted import GameRequest, read_game
from server.games.records.exporting import COLUMNS, exported_games, write_parquet, write_text
from server.games.records.importing import games_of, import_files
from server.storage.bulk import add_games
from server.storage.database import make_engine
from server.storage.games import writing
from server.storage.listing import Filters, page
from server.storage.schema import GAMES, PLAYS, RESULTS
from server.storage.values import id_of, new_id
from tests.server.storage.played import DATA, keep, sample_records

FILES = sorted(DATA.glob("*.jsonl.gz"))


@pytest.fixture
def second(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Engine]:
    made = make_engine(f"sqlite:///{shutil.copy(migrated_sqlite, tmp_path / 'second.db')}")
    yield made
    made.dispose()


def count(engine: Engine, table) -> int:
    with engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table))


def objects(records) -> list[str]:
    return sorted(json.dumps(record.as_object(), sort_keys=True) for record in records)


def test_recorded_hands_come_back_as_they_were(engine, tmp_path):
    """Those of every source; `make queries` imports all of them, and says how long it takes."""
    files, given = [], []
    for file in FILES:
        some = list(islice(read_records(file), 40))
        write_records(tmp_path / file.name, some)
        files, given = [*files, tmp_path / file.name], given + some
    done = import_files(engine, files)
    assert (done.hands, done.games, done.known, done.faults) == (len(given), len(given), 0, [])
    assert count(engine, PLAYS) == len(given) * 52
    assert count(engine, RESULTS) == len(given) * 4
    out = tmp_path / "out.jsonl.gz"
    assert write_text(out, exported_games(engine), "jsonl") == len(given)
    with gzip.open(out, "rt") as stream:
        exported = sorted(json.dumps(json.loads(line), sort_keys=True) for line in stream)
    assert exported == objects(given)
    again = import_files(engine, files[:1])
    assert (again.games, again.faults) == (0, [])
    assert count(engine, GAMES) == len(given)


def test_games_that_were_played_here_come_back_as_they_were(engine, second, tmp_path):
    several = sample_records(3)
    match = keep(engine, several, target_score=100, source="here")
    single = keep(engine, several[:1])
    keep(engine, several[:1], kind="table")  # over, so it is shown
    first, other = tmp_path / "first.jsonl", tmp_path / "other.jsonl"
    assert write_text(first, exported_games(engine), "jsonl") == 5
    done = import_files(second, [first])
    assert (done.games, done.hands, done.faults) == (3, 5, [])
    write_text(other, exported_games(second), "jsonl")
    assert sorted(first.read_text().splitlines()) == sorted(other.read_text().splitlines())
    with second.connect() as connection:
        found = {game.id: game for game in page(connection, Filters(), 10)[0]}
    assert found[match].hands == 3
    assert found[match].totals == tuple(map(sum, zip(*(r.points for r in several), strict=True)))
    assert [seat.player.name for seat in found[single].seats] == ["ann", "bob", "cid", "dora"]


def test_results_of_imported_hands_are_those_of_played_ones(engine, second):
    several = sample_records(5)
    for record in several:
        keep(second, [record])
    with engine.begin() as connection:
        add_games(connection, games_of(several))
    facts = [
        column for column in RESULTS.c if column.name not in ("game_id", "player_id", "finished_at")
    ]

    def contents(where: Engine) -> list[str]:
        with where.connect() as connection:
            return sorted(str(tuple(row)) for row in connection.execute(select(*facts)))

    assert contents(engine) == contents(second)


def test_hands_that_stop_early_are_kept_as_they_are(engine, tmp_path):
    (record,) = sample_records(1)
    fields = record.as_object()
    cut = [
        fields | {"id": "few", "plays": fields["plays"][:7], "points": [1, 2, 3, 4]},
        {k: v for k, v in (fields | {"id": "none", "plays": []}).items() if k != "points"},
        fields | {"id": "half passed", "passed": [fields["passed"][0], [], [], []], "plays": []},
    ]
    cut[2].pop("points")
    file = tmp_path / "cut.jsonl"
    file.write_text("\n".join(map(json.dumps, cut)))
    done = import_files(engine, [file])
    assert (done.games, done.faults) == (3, [])
    out = tmp_path / "out.jsonl"
    write_text(out, exported_games(engine), "jsonl")
    assert objects(read_records(out)) == objects(read_records(file))
    assert count(engine, RESULTS) == 0


def test_faults_are_told_and_the_rest_goes_on(engine, tmp_path):
    good = [json.dumps(record.as_object()) for record in sample_records(3)]
    lines = [
        good[0],
        "{}",
        good[1],
        "no json",
        json.dumps(json.loads(good[0]) | {"id": "a\x00"}),
        json.dumps(json.loads(good[0]) | {"source": "x" * 300}),
        json.dumps(json.loads(good[0]) | {"players": ["a", "b", "c", 4]}),
        good[2],
    ]
    file = tmp_path / "mixed.jsonl"
    file.write_text("\n".join(lines))
    done = import_files(engine, [file, tmp_path / "none.jsonl"])
    assert (done.files, done.games, len(done.faults)) == (2, 3, 6)
    words = ("line 2: rules", "line 4: record: not JSON", "line 5: id: has", "line 6: source: has",
             "line 7: players[3]: must be a name", "none.jsonl: No such file")  # fmt: skip
    for fault, part in zip(done.faults, words, strict=True):
        assert part in fault
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(gzip.compress("\n".join(good).encode())[:-20])
    assert "unreadable" in import_files(engine, [broken]).faults[0]


def written(file: Path, records: list[Record], games: str) -> Path:
    """A file of hands that belong to games named by a letter each."""
    write_records(
        file,
        (
            replace(record, extra={**record.extra, "game": game})
            for record, game in zip(records, games, strict=True)
        ),
    )
    return file


def test_hands_that_cannot_be_one_match_are_told(engine, tmp_path):
    several = sample_records(4)
    other = parse_record(several[1].as_object() | {"rules": 4001 ^ 1024})
    assert other.deal.rules != several[0].deal.rules
    cut = several[2].as_object()
    early = parse_record({**cut, "plays": cut["plays"][:9]})
    file = written(tmp_path / "odd.jsonl", [several[0], other, early, *several[2:]], "aabbc")
    done = import_files(engine, [file])
    assert (done.games, done.hands) == (1, 1)
    assert [fault.partition(": ")[2] for fault in done.faults] == [
        "game a: records[1].rules: differ from those of records[0]",
        "game b: records[0].plays: only the last hand may stop early",
    ]
    assert len(list(exported_games(engine))) == 1  # and what was kept can be read


def test_hands_of_scattered_games_are_told(engine, tmp_path):
    several = sample_records(5)
    first = written(tmp_path / "first.jsonl", several[:3], "xyx")
    other = written(tmp_path / "other.jsonl", several[3:], "yz")
    done = import_files(engine, [first, other])
    assert (done.hands, done.games, done.known) == (3, 3, 1)
    reason = "is not kept: the game was there without it"
    assert done.faults == [
        f"{first}: game x: hand {several[2].id!r} {reason}",
        f"{other}: game y: hand {several[3].id!r} {reason}",
    ]
    assert {each.record.id for each in exported_games(engine)} == {several[i].id for i in (0, 1, 4)}
    again = import_files(engine, [written(first, several[:2], "xy")])
    assert (again.hands, again.known, again.faults) == (2, 2, [])


def test_matches_keep_their_target_and_their_players(engine, second, tmp_path):
    def facts(where: Engine) -> dict[str, object]:
        with where.connect() as connection:
            won = select(RESULTS.c.game_id, RESULTS.c.hand, RESULTS.c.seat, RESULTS.c.won)
            return {
                game.id: (game.target_score, game.hands, game.totals, game.seats)
                for game in page(connection, Filters(), 10)[0]
            } | {"won": sorted(map(tuple, connection.execute(won)), key=str)}

    several = sample_records(3)
    keep(engine, several[:1], target_score=100)  # a match with one hand so far
    totals = [sum(each) for each in zip(*(record.points for record in several), strict=True)]
    keep(engine, several, target_score=max(totals))
    given = [record.as_object() for record in several]
    with writing(engine) as connection:
        for body in (
            {"records": given[:2], "target_score": 200, "players": ["a", "b", "c", "d"]},
            {"record": given[0], "players": ["a", "b", "c", {"name": "d", "kind": "human"}]},
        ):
            add_games(connection, [read_game(GameRequest(**body)).whole])
    out = tmp_path / "out.jsonl"
    write_text(out, exported_games(engine), "jsonl")
    assert import_files(second, [out]).faults == []
    assert facts(second) == facts(engine)
    wrong = json.loads(out.read_text().splitlines()[0])
    for target in (0, "30", 1.5):
        out.write_text(json.dumps(wrong | {"target_score": target, "game": "new"}))
        (fault,) = import_files(second, [out]).faults
        assert "line 1: target_score: " in fault


def test_a_source_can_be_given(engine, tmp_path):
    file = tmp_path / "few.jsonl"
    write_records(file, sample_records(3))
    import_files(engine, [file], source="mine")
    with engine.connect() as connection:
        assert set(connection.scalars(select(GAMES.c.source))) == {"mine"}


def test_two_may_import_the_same_at_once(engine, tmp_path):
    several = sample_records(8)
    file = tmp_path / "same.jsonl"
    write_records(file, several)
    together = Barrier(2)

    def watched(_: str, records: Iterator[Record]) -> Iterator[Record]:
        yield from records
        together.wait()  # then both begin to write

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(import_files, engine, [file], None, watched) for _ in range(2)]
        done = [each.result() for each in both]
    assert [each.faults for each in done] == [[], []]
    assert sum(each.games for each in done) == count(engine, GAMES) == len(several)
    assert sum(each.known for each in done) == len(several)


def test_ids_are_words_of_a_command(engine, tmp_path):
    assert {len(new_id()) for _ in range(50)} == {15}
    for made in (*(new_id() for _ in range(300)), *(id_of(bytes([n] * 20)) for n in range(256))):
        assert re.fullmatch("[a-z2-7]{15}", made)
    (each,) = games_of(sample_records(1))
    assert re.fullmatch("[a-z2-7]{15}", each.game.id)


@pytest.mark.parametrize("migrated_url", ["postgresql"], indirect=True)  # SQLite has no COPY
def test_an_error_of_a_copy_is_the_databases_and_quotes_no_row(engine):
    (given,) = games_of(sample_records(1))
    long = replace(given, game=replace(given.game, source="x" * 101))
    with pytest.raises(DataError) as caught, writing(engine) as connection:
        add_games(connection, [long])
    assert "value too long" in str(caught.value)
    assert "xxx" not in str(caught.value)


def test_tables_for_analysis_hold_every_play(engine, tmp_path):
    several = sample_records(4)
    file = tmp_path / "four.jsonl"
    write_records(file, several)
    import_files(engine, [file])
    csv_file, columns = tmp_path / "plays.csv", tmp_path / "plays.parquet"
    assert write_text(csv_file, exported_games(engine), "csv") == 4
    assert write_parquet(columns, exported_games(engine)) == 4
    table = pl.read_parquet(columns)
    assert table.columns == list(COLUMNS)
    assert table.equals(pl.read_csv(csv_file, schema=table.schema))
    assert len(table) == 4 * 52
    assert table["played_at"].null_count() == 4 * 52  # nobody wrote it down
    by_id = {each.record.id: each.hand.game_id for each in exported_games(engine)}
    for record in several:
        hand = table.filter(pl.col("game") == by_id[record.id]).sort("number")
        played = list(zip(hand["player"], hand["card"], strict=True))
        assert played == [(play["player"], play["card"]) for play in record.as_object()["plays"]]
        assert hand["winner"].to_list() == [t.winner for t in record.deal.tricks for _ in range(4)]
        assert set(zip(hand["player"], hand["points"], hand["name"], strict=True)) == {
            (seat, record.points[seat], record.extra["players"][seat]) for seat in range(4)
        }


def test_tables_for_analysis_say_when_cards_were_played(engine, tmp_path):
    game_id = keep(engine, sample_records(1))
    with engine.connect() as connection:
        wanted = select(PLAYS.c.played_at).where(PLAYS.c.game_id == game_id)
        played = list(connection.scalars(wanted.order_by(PLAYS.c.number)))
    csv_file, columns = tmp_path / "plays.csv", tmp_path / "plays.parquet"
    write_parquet(columns, exported_games(engine))
    assert pl.read_parquet(columns)["played_at"].to_list() == played == sorted(played)
    write_text(csv_file, exported_games(engine), "csv")
    assert [datetime.fromisoformat(at) for at in pl.read_csv(csv_file)["played_at"]] == played


def test_a_text_for_people(engine, tmp_path):
    record = next(record for record in sample_records(100) if record.deal.shooter is not None)
    keep(engine, [record], source='said "so"')
    out = tmp_path / "out.txt"
    write_text(out, exported_games(engine), "text")
    text = out.read_text()
    assert '[Source "said \\"so\\""]' in text
    assert '[South "ann"]' in text
    assert f'[Result "{" ".join(map(str, record.points))}"]' in text
    assert text.count("takes it") == 13
    assert "shoots the moon" in text
    assert text.count("passes") == 4


def test_memory_does_not_grow_with_the_file(second, tmp_path, monkeypatch):
    monkeypatch.setattr("server.games.records.importing.BATCH", 10)
    monkeypatch.setattr("server.games.records.exporting.PAGE", 10)

    def peak(n: int) -> int:
        file, base = tmp_path / f"{n}.jsonl.gz", sample_records(10)
        write_records(file, (replace(base[i % 10], id=f"copy {n} {i}") for i in range(n)))
        tracemalloc.start()
        import_files(second, [file])
        write_text(tmp_path / "out.jsonl", exported_games(second), "jsonl")
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(10)  # what is loaded and compiled once
    small, large = peak(30), peak(150)
    assert large < 2 * small  # and not five times as much


def broken(*_: object, **__: object) -> str:
    raise OSError("the disk is full")


def test_the_commands(tmp_path, monkeypatch):
    monkeypatch.setenv("HEARTS_DATABASE_URL", f"sqlite:///{tmp_path / 'hearts.db'}")
    monkeypatch.chdir(tmp_path)

    def called(*words: str) -> Result:
        return CliRunner().invoke(main, words)

    write_records("some.jsonl", sample_records(5))
    done = called("import", "some.jsonl", "--json")
    assert (done.exit_code, json.loads(done.stdout)["games"]) == (0, 5)
    for name in ("out.jsonl", "out.csv", "out.txt", "out.parquet", "packed.jsonl.gz"):
        done = called("export", name)
        assert (done.exit_code, done.stderr) == (0, "5 hands\n"), done.output
        assert (tmp_path / name).stat().st_size > 1000
    assert len(called("export", "-").stdout.splitlines()) == 5
    before = Path("out.jsonl").read_text()
    missing = called("export", "--game", "none", "out.jsonl")
    assert missing.exit_code == 1
    assert "game 'none' has no hand" in missing.stderr
    for name in ("-", "out.parquet.gz"):
        refused = called("export", "--format", "parquet", name)
        assert (refused.exit_code, "parquet" in refused.stderr) == (2, True), refused.output
        assert not Path(name).exists()
    assert called("export", "none/out.jsonl").stderr == (
        "Error: none/out.jsonl: No such file or directory\n"
    )
    with monkeypatch.context() as patched:
        patched.setattr("server.games.records.exporting.json.dumps", broken)
        assert called("export", "out.jsonl").exit_code == 1
    assert Path("out.jsonl").read_text() == before
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDWR)  # so that nobody waits for the other end
    assert called("export", "pipe").exit_code == 0
    assert os.read(reader, len(before.encode())) == before.encode()
    os.close(reader)
    for source in ("x" * 101, "two\nlines"):
        refused = called("import", "--source", source, "some.jsonl")
        assert (refused.exit_code, "'--source': has " in refused.stderr) == (2, True)
    wrong = called("import", "none.jsonl")
    assert wrong.exit_code == 1
    assert "none.jsonl: No such file" in wrong.stderr

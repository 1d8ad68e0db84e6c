"""Migrations and the state of the database, on SQLite and on PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from click.testing import CliRunner
from sqlalchemy import inspect, text
from sqlalchemy.exc import IntegrityError

from hearts.arena.outputs import Outputs
from hearts.arena.runner import Workers, run
from hearts.arena.tournament import Tournament
from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.game.cards import parse_cards
from hearts.game.trick import Trick
from hearts.players.spec import Spec
from hearts.views.view import View
from server.cli import main
from server.runtime.errors import DatabaseError
from server.storage import api_keys as keys
from server.storage import decisions
from server.storage.database import Probe, downgrade, make_engine, status, upgrade
from server.storage.games import create_game, writing
from server.storage.schema import METADATA
from server.storage.tournaments import DatabaseHands
from server.storage.values import Player, Seat
from tests.server.service import hearts, serving
from tests.server.storage.played import a_game, keep, sample_records

KINDS = ("human", "engine")


@pytest.fixture
def engine(database_url):
    made = make_engine(database_url)
    yield made
    made.dispose()


def test_up_down_and_up_again(engine):
    assert status(engine).revision is None
    upgrade(engine)
    first = sorted(inspect(engine).get_table_names())
    assert status(engine).problem is None
    downgrade(engine, "base")
    assert inspect(engine).get_table_names() == ["alembic_version"]
    assert "is at revision base" in status(engine).problem
    upgrade(engine)
    assert sorted(inspect(engine).get_table_names()) == first


def row_counts(engine):
    """How many rows every table has."""
    with engine.connect() as connection:
        tables = inspect(connection).get_table_names()
        return {each: connection.scalar(text(f"SELECT count(*) FROM {each}")) for each in tables}  # noqa: S608  # our own tables


def test_up_down_and_up_again_with_data(engine):
    upgrade(engine, "0003")
    tournament = Tournament(Spec("careless"), Spec("random"), seed=3)
    run(
        tournament,
        1,
        workers=Workers(jobs=1),
        outputs=Outputs(hands=DatabaseHands(engine, tournament)),
    )
    keys.create(engine, "somebody")
    old = row_counts(engine)
    upgrade(engine)
    filled = row_counts(engine)
    assert filled == old | dict.fromkeys(filled.keys() - old.keys(), 0)
    game_id = keep(engine, sample_records(2), target_score=100)
    hold = View(seat=0, hand=parse_cards("AS 2C"), trick=Trick(0))
    spooled = decisions.entry_of(decide(hold, SearchConfig(simulations=10)), game_id, 0)
    with writing(engine) as connection:
        decisions.write(connection, [spooled])
    filled = row_counts(engine)
    assert (filled["plays"], filled["results"], filled["decisions"]) == (104, 8, 1)
    downgrade(engine, "0003")
    assert row_counts(engine) == old
    upgrade(engine)
    assert row_counts(engine) == old | dict.fromkeys(filled.keys() - old.keys(), 0)
    keep(engine, sample_records(1))
    downgrade(engine, "base")
    assert inspect(engine).get_table_names() == ["alembic_version"]


def test_people_at_open_tables_of_version_0_1_become_private(engine):
    upgrade(engine)
    human, engines = (tuple(Seat(Player(kind, kind)) for _ in range(4)) for kind in KINDS)
    records = sample_records(1)
    old, new = {"seats": [], "name": '"quick":'}, {"seats": [], "name": "", "quick": False}
    stored = {
        keep(engine, records, kind="table", setup=setup, seats=seats, target_score=target): expected
        for setup, seats, target, expected in (
            (old, human, 999, True),
            (old, engines, 999, False),
            (old, human, 1, False),  # finished
            (new, human, 999, False),  # its creator has made it public
        )
    }
    downgrade(engine, "0006")
    upgrade(engine)
    with engine.connect() as connection:
        found = connection.execute(text("SELECT id, private FROM games")).all()
    assert {game_id: bool(private) for game_id, private in found} == stored


def test_a_downgrade_keeps_names_unique_and_leaves_no_abandoned_table(engine):
    """Version 0.1 knows neither abandoned tables nor two keys with one name."""
    upgrade(engine)
    long = "x" * 100
    for name in ("me", "me", "me", long, long, "gone"):
        keys.create(engine, name)
        keys.revoke(engine, name)
    for name in ("me", "me 2", "valid"):
        keys.create(engine, name)
    left = keep(engine, sample_records(1), kind="table", target_score=100)
    with engine.begin() as connection:
        connection.execute(text("UPDATE games SET status = 'abandoned'"))
    downgrade(engine, "0005")
    with engine.connect() as connection:
        found = dict(connection.execute(text("SELECT id, name FROM api_keys")).all())
        assert connection.execute(text("SELECT id, status FROM games")).all() == [(left, "open")]
    assert found == {
        1: "me 1", 2: "me 2-2", 3: "me 3", 4: "x" * 98 + " 4", 5: long,
        6: "gone", 7: "me", 8: "me 2", 9: "valid",
    }  # fmt: skip
    upgrade(engine)
    assert status(engine).problem is None


@pytest.mark.parametrize(
    "words", [("database", "prune", "--dry-run"), ("keys", "adopt", "me", "--dry-run")]
)
def test_a_dry_run_does_not_upgrade_the_database(engine, database_url, tmp_path, words):
    upgrade(engine, "0003")
    refused = hearts(*words, cwd=tmp_path, HEARTS_DATABASE_URL=database_url)
    assert refused.returncode == 1
    assert "the database is at revision 0003, this version needs " in refused.stderr
    assert status(engine).revision == "0003"


def test_the_tables_are_those_of_the_newest_revision(engine):
    upgrade(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []


def test_an_old_database_is_upgraded_before_it_is_served_and_a_newer_one_is_not_served(tmp_path):
    url = f"sqlite:///{tmp_path / 'var' / 'hearts.db'}"
    engine = make_engine(url)
    upgrade(engine, "0002")
    keys.create(engine, "somebody")
    with serving(tmp_path) as service:
        assert service.get("/readyz")[0] == 200
        assert service.get("/api/games")[1]["games"] == []
    assert row_counts(engine)["api_keys"] == 1
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    refused = hearts("serve", "--port", "1", cwd=tmp_path)
    assert refused.returncode == 1
    assert "the database is at revision 9999, which only a newer version knows" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_an_error_does_not_quote_what_was_to_be_written(engine):
    upgrade(engine)
    record = sample_records(1)[0]
    new = a_game(record.deal.rules, secret="s3cret")
    with writing(engine) as connection:
        create_game(connection, new)
    with pytest.raises(IntegrityError) as caught, writing(engine) as connection:
        create_game(connection, new)
    assert "s3cret" not in str(caught.value)


def test_upgrading_twice_changes_nothing(engine):
    upgrade(engine)
    upgrade(engine)
    assert status(engine).problem is None


def test_a_newer_database_is_refused(engine):
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for change in (upgrade, lambda engine: downgrade(engine, "base")):
        with pytest.raises(DatabaseError, match="revision 9999, which only a newer version knows"):
            change(engine)
    assert "revision 9999" in status(engine).problem


def test_the_command_goes_back_if_one_means_it(engine, database_url):
    def called(*words, answer=None):
        env = {"HEARTS_DATABASE_URL": database_url}
        return CliRunner().invoke(main, ["database", *words], input=answer, env=env)

    called("upgrade")
    keep(engine, sample_records(1))
    before = row_counts(engine)
    for words, answer, why in (
        (("downgrade", "0003"), "n\n", "Aborted"),
        (("downgrade", "0099", "--yes"), None, "there is no revision 0099: choose base, 0001, "),
    ):
        refused = called(*words, answer=answer)
        assert (refused.exit_code, why in refused.output) == (1, True), refused.output
    assert row_counts(engine) == before
    done = called("downgrade", "0003", answer="y\n")
    assert (done.exit_code, "is at revision 0003" in done.output) == (0, True), done.output
    assert "plays" not in row_counts(engine)
    refused = called("downgrade", "0004", "--yes")
    assert (refused.exit_code, "is at revision 0003, before 0004" in refused.output) == (1, True)
    assert called("upgrade").exit_code == 0
    assert row_counts(engine) == dict.fromkeys(before, 0) | {"alembic_version": 1}
    assert "is at revision base" in called("downgrade", "base", "--yes").output


def test_several_processes_may_upgrade_at_once(database_url):
    def problem_after_upgrade(_):
        engine = make_engine(database_url)
        upgrade(engine)
        problem = status(engine).problem
        engine.dispose()
        return problem

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(problem_after_upgrade, range(4))) == [None] * 4


def test_sqlite_lets_readers_read_beside_a_writer(tmp_path):
    engine = make_engine(f"sqlite:///{tmp_path / 'new' / 'hearts.db'}")
    with engine.connect() as connection:
        assert connection.scalar(text("PRAGMA journal_mode")) == "wal"
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1
    engine.dispose()


def test_a_server_that_is_not_there_is_a_problem_and_not_a_crash(tmp_path):
    engine = make_engine(f"postgresql+psycopg://postgres@/none?host={tmp_path}")
    assert status(engine).problem == "the database does not answer (OperationalError)"
    with pytest.raises(DatabaseError, match="cannot migrate the database"):
        upgrade(engine)
    engine.dispose()


def test_many_may_ask_how_the_database_is(engine):
    upgrade(engine)
    probe = Probe(engine)
    with ThreadPoolExecutor(4) as pool:
        assert {found.problem for found in pool.map(lambda _: probe.status(), range(200))} == {None}


def test_a_directory_that_cannot_be_made_is_a_clear_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DatabaseError, match="cannot use the database"):
        make_engine(f"sqlite:///{tmp_path / 'file' / 'hearts.db'}")

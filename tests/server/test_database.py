"""Migrations and the state of the database, on SQLite and on PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import inspect, text

from server.database import downgrade, make_engine, status, upgrade
from server.errors import DatabaseError


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


def test_upgrading_twice_changes_nothing(engine):
    upgrade(engine)
    upgrade(engine)
    assert status(engine).problem is None


def test_a_newer_database_is_refused(engine):
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseError, match="revision 9999, which only a newer version knows"):
        upgrade(engine)
    assert "revision 9999" in status(engine).problem


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


def test_a_directory_that_cannot_be_made_is_a_clear_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DatabaseError, match="cannot use the database"):
        make_engine(f"sqlite:///{tmp_path / 'file' / 'hearts.db'}")

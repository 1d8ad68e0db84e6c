"""The benchmark of queries, on a small database: what it asks for works, and uses indexes."""

from sqlalchemy import event

from server.storage.database import make_engine
from tests import queries

# What may be read from end to end: few rows, none at all, or in order and only as far as needed.
SMALL = ("players", "instances", "CONSTANT", "(subquery-1)", "decisions")


def test_every_question_has_an_answer(migrated_url):
    engine = make_engine(migrated_url)
    queries.fill(engine, 52 * queries.HANDS_OF_A_MATCH * 10)
    with engine.connect() as connection:
        answers = {name: ask() for name, ask in queries.questions(connection).items()}
    games, following = answers["list: the newest"]
    assert (len(games), following) == (10, None)
    assert sum(line.hands for line in answers["stats by player"]) == 10 * 8 * 4
    assert len(answers["export: 10 games"]) == 80
    engine.dispose()


def test_no_listing_reads_every_play_or_result(tmp_path):
    engine = make_engine(f"sqlite:///{tmp_path / 'hearts.db'}")
    queries.fill(engine, 52 * queries.HANDS_OF_A_MATCH * 10)
    asked: list[tuple[str, tuple]] = []
    with engine.connect() as connection:
        questions = queries.questions(connection)
        event.listen(connection, "before_cursor_execute", lambda *a: asked.append((a[2], a[3])))
        for name, ask in questions.items():
            if not name.startswith("stats"):
                ask()
    with engine.connect() as connection:
        for statement, parameters in asked:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            for step in plan:
                whole = step.detail.startswith("SCAN") and "USING" not in step.detail
                assert not whole or step.detail.split()[1] in SMALL, (statement, step.detail)
    engine.dispose()

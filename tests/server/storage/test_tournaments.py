"""Hands of tournaments in the database, on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import Engine, create_engine, func, select

from hearts.arena.outputs import Outputs
from hearts.arena.runner import Workers, run
from hearts.arena.tournament import Tournament, play_deal
from hearts.game.errors import InvalidRecord
from hearts.game.records import parse_record
from hearts.players.spec import Spec
from server.runtime.errors import DatabaseError
from server.storage.database import downgrade, make_engine, opened_database, upgrade
from server.storage.schema import TOURNAMENT_HANDS, TOURNAMENTS
from server.storage.tournaments import DatabaseHands
from tests.server.service import hearts

TOURNAMENT = Tournament(Spec("careless"), Spec("random"), seed=3, passing="cycle")
ONE = Workers(jobs=1)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    with opened_database(database_url) as made:
        yield made


def keys(engine: Engine) -> list[tuple[int, int, int, int]]:
    hands = TOURNAMENT_HANDS.c
    wanted = select(hands.tournament_id, hands.deal, hands.seating, hands.hand)
    with engine.connect() as connection:
        found = connection.execute(wanted.order_by(*wanted.selected_columns))
        return [tuple(row) for row in found]


def seatings(tournament: int, deals: range) -> list[tuple[int, int, int, int]]:
    return [(tournament, deal, seating, 0) for deal in deals for seating in range(4)]


def test_every_hand_is_a_row_that_replays(engine):
    run(TOURNAMENT, 3, workers=ONE, outputs=Outputs(hands=DatabaseHands(engine, TOURNAMENT)))
    (tournament,) = {key[0] for key in keys(engine)}
    assert keys(engine) == seatings(tournament, range(3))
    with engine.connect() as connection:
        found = connection.execute(select(TOURNAMENT_HANDS)).all()
        definition = connection.scalars(select(TOURNAMENTS.c.definition)).one()
    played = {
        (each.deal, record["seating"]): record
        for each in (play_deal(TOURNAMENT, deal, keep_records=True) for deal in range(3))
        for record in each.records
    }
    for row in found:
        assert row.record == played[row.deal, row.seating]
        assert parse_record(row.record).deal.finished
        assert row.created_at is not None
    assert definition["focus"] == {"kind": "careless"}
    assert (definition["seed"], definition["engines"]) == (3, [{}, {}])


def test_matches_have_a_row_for_each_of_their_hands(engine):
    tournament = replace(TOURNAMENT, unit="match")
    (result,) = run(
        tournament, 1, workers=ONE, outputs=Outputs(hands=DatabaseHands(engine, tournament))
    )
    assert len(keys(engine)) == result.hands > 4 * 3


def test_the_same_command_again_adds_nothing(engine):
    for _ in range(2):
        store = DatabaseHands(engine, TOURNAMENT)
        run(TOURNAMENT, 2, workers=ONE, outputs=Outputs(hands=store))
    assert keys(engine) == seatings(store.tournament, range(2))


def test_tournaments_that_differ_in_anything_are_kept_apart(engine):
    others = [
        TOURNAMENT,
        replace(TOURNAMENT, seed=4),
        replace(TOURNAMENT, others=Spec("engine", (("simulations", 2),))),
        replace(TOURNAMENT, others=Spec("engine", (("simulations", 3),))),
    ]
    stores = [DatabaseHands(engine, each) for each in others + others]
    assert [store.tournament for store in stores[:4]] == [store.tournament for store in stores[4:]]
    assert len({store.tournament for store in stores}) == 4
    with engine.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(TOURNAMENTS)) == 4


class Interrupted(Exception):
    """A stop in the middle, as by Ctrl-C."""


def test_an_interrupted_tournament_goes_on_and_has_each_hand_once(engine, tmp_path):
    class Fails(DatabaseHands):
        """Ends the run between the rows of a deal and its line in the journal."""

        def add(self, result):
            super().add(result)
            if result.deal == 2:
                raise Interrupted

    journal = tmp_path / "journal.jsonl"
    outputs = Outputs(journal, hands=Fails(engine, TOURNAMENT))
    with pytest.raises(Interrupted):
        run(TOURNAMENT, 5, workers=ONE, outputs=outputs)
    assert len(journal.read_text().splitlines()) == 1 + 2
    assert len(keys(engine)) == 3 * 4
    store = DatabaseHands(engine, TOURNAMENT)
    run(TOURNAMENT, 5, workers=ONE, outputs=Outputs(journal, hands=store))
    assert keys(engine) == seatings(store.tournament, range(5))


def test_a_journal_with_deals_that_were_not_kept_is_refused(engine, tmp_path):
    journal = tmp_path / "journal.jsonl"
    run(TOURNAMENT, 2, workers=ONE, outputs=Outputs(journal))
    outputs = Outputs(journal, hands=DatabaseHands(engine, TOURNAMENT))
    with pytest.raises(InvalidRecord, match="database: lacks the hands of deal 0"):
        run(TOURNAMENT, 3, workers=ONE, outputs=outputs)


def test_hands_do_not_stand_in_the_way_of_a_migration(engine):
    store = DatabaseHands(engine, TOURNAMENT)
    run(TOURNAMENT, 1, workers=ONE, outputs=Outputs(hands=store))
    downgrade(engine, "0002")
    upgrade(engine)
    assert keys(engine) == []


def test_a_database_without_the_tables_is_a_clear_error():
    with pytest.raises(DatabaseError, match="cannot keep hands in the database"):
        DatabaseHands(create_engine("sqlite://"), TOURNAMENT)


def test_the_arena_keeps_hands_in_the_service_s_database_or_in_another(tmp_path):
    duel = ("arena", "careless", "random", "--deals", "2", "--jobs", "1")
    url = f"sqlite:///{tmp_path / 'own.db'}"
    calls = [
        (("--database",), {"HEARTS_DATABASE_URL": f"sqlite:///{tmp_path / 'service.db'}"}),
        (("--database", url), {}),
        (("--database", url, "--pairs"), {}),
        (("--database", url, "--seatings", "all"), {}),
    ]
    for options, settings in calls:
        result = hearts(*duel, *options, cwd=tmp_path, **settings)
        assert result.returncode == 0, result.stderr
    for name, hands in (("service.db", 8), ("own.db", 8 + 12 + 28)):
        kept = make_engine(f"sqlite:///{tmp_path / name}")
        assert len(keys(kept)) == hands
        kept.dispose()
    wrong = hearts(*duel, "--database", "nowhere", cwd=tmp_path)
    assert wrong.returncode == 1
    assert "cannot use the database" in wrong.stderr
    assert "Traceback" not in wrong.stderr

"""Revision 0005: stored search options get their new names, and their old ones back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, Select, Table, func, insert, inspect, select

from hearts.arena.tournament import Tournament
from hearts.engine.config import SearchConfig, published
from hearts.engine.levels import LEVELS
from hearts.game.cards import parse_cards
from hearts.game.trick import Trick
from hearts.players.registry import Spec
from hearts.views.view import View
from server.storage import games
from server.storage.bulk import bulk_insert
from server.storage.database import downgrade, make_engine, upgrade
from server.storage.decisions import decision
from server.storage.games import create_game, game, game_values, player_ids, writing
from server.storage.schema import DECISIONS, GAMES, PLAYERS, RESULTS, SEATS, TOURNAMENTS, RowValues
from server.storage.tournaments import DatabaseHands
from server.storage.values import Player, Seat
from tests.server.storage.played import a_game, keep, sample_records

OLD, NEW = {"prior", "counsel"}, {"policy_weight", "auxiliary_simulations"}
MANY = 2_500  # decisions: more than two batches
EXPERT = LEVELS["expert"]
BEFORE = published({k: v for k, v in vars(EXPERT).items() if k not in ("seed", "threads")})
AFTER = {k: v for k, v in vars(EXPERT).items() if k not in ("seed", "threads")}
TABLES = (DECISIONS, GAMES, PLAYERS, TOURNAMENTS)
NEWER = ("owner_id", "private", "invitation_hash")  # columns since revision 0006


@pytest.fixture
def engine(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """A database of revision 0004, and games as they were written then."""

    def then(values: RowValues) -> RowValues:
        return {name: values[name] for name in values if name not in NEWER}

    seats = games.seat_values
    monkeypatch.setattr(games, "game_values", lambda game: then(game_values(game)))
    monkeypatch.setattr(games, "seat_values", lambda *given: [then(row) for row in seats(*given)])
    made = make_engine(database_url)
    upgrade(made, "0004")
    yield made
    made.dispose()


def contents(engine: Engine) -> list[list[Any]]:
    """All rows with configs, by table."""
    with engine.connect() as connection:
        return [
            [row._asdict() for row in connection.execute(_all(connection, table))]
            for table in TABLES
        ]


def _all(connection: Connection, table: Table) -> Select[Any]:
    """All rows, with the columns that the table has at the revision of the database."""
    there = {column["name"] for column in inspect(connection).get_columns(table.name)}
    return select(*[column for column in table.c if column.name in there]).order_by(table.c.id)


def add_decisions(connection: Connection, game_id: str, count: int) -> None:
    """Insert decisions as version 0.1 wrote them."""
    view = View(seat=0, hand=parse_cards("AS 2C"), trick=Trick(0)).as_object()
    values = {
        "game_id": game_id, "hand": 0, "number": 0, "seat": 0, "kind": "play", "view": view,
        "view_hash": "", "seed": "1", "config": published(vars(EXPERT)), "chosen": "2C",
        "figures": [{"card": "2C", "advice": 0.5}], "simulations": 1, "worlds": 1, "exact": False,
        "ms": 1.0, "version": "0.1.0",
    }  # fmt: skip
    (now,) = connection.execute(select(GAMES.c.created_at).where(GAMES.c.id == game_id)).one()
    named = [values | {"uid": f"{number:032}", "created_at": now} for number in range(count)]
    bulk_insert(connection, DECISIONS, named)


def add_player(connection: Connection, config: dict[str, Any] | None, name: str = "bot") -> int:
    """Insert a player as it is, whatever names its options have."""
    player = Player("engine", name, "expert", config, "0.1.0")
    return player_ids(connection, [player])[player.digest]


def test_options_are_renamed_wherever_configs_are_stored_and_back(engine):
    setup = {"seats": [{"kind": "human", "config": None}, {"kind": "engine", "config": BEFORE}]}
    with writing(engine) as connection:
        game_id = keep_table(connection, setup | {"name": "prior"})
        add_decisions(connection, game_id, MANY)
        bot = add_player(connection, BEFORE)
        other = add_player(connection, None, "prior")
    before = contents(engine)
    upgrade(engine)
    with engine.connect() as connection:
        stored = game(connection, game_id)
        assert stored.setup == {
            "seats": [{"kind": "human", "config": None}, {"kind": "engine", "config": AFTER}],
            "name": "prior",
        }
        configs = connection.scalars(select(DECISIONS.c.config)).all()
        assert len(configs) == MANY
        assert all(config == vars(EXPERT) for config in configs)
        found = connection.execute(select(PLAYERS).where(PLAYERS.c.id == bot)).one()
        assert list(found.config) == list(AFTER)  # groups of statistics compare the text
        assert found.config == AFTER
        assert found.digest == Player("engine", "bot", "expert", AFTER, "0.1.0").digest
        unchanged = select(PLAYERS.c.name, PLAYERS.c.config).where(PLAYERS.c.id == other)
        assert tuple(connection.execute(unchanged).one()) == ("prior", None)
    downgrade(engine, "0004")
    assert contents(engine) == before
    with writing(engine) as connection:
        assert add_player(connection, BEFORE) == bot  # an earlier version finds it again


def keep_table(connection: Connection, setup: dict[str, Any]) -> str:
    """Insert a table without events."""
    new = a_game(sample_records(1)[0].deal.rules, kind="table", secret="s", setup=setup)
    create_game(connection, new)
    return new.id


def test_players_that_become_equal_are_one_player(engine):
    with writing(engine) as connection:
        one = add_player(connection, {"prior": 1.0})
        other = add_player(connection, {"policy_weight": 1.0})
    bot = Player("engine", "bot", "expert", {"prior": 1.0}, "0.1.0")
    keep(engine, sample_records(1), seats=(Seat(bot),) * 4)
    upgrade(engine)
    with writing(engine) as connection:
        assert add_player(connection, {"policy_weight": 1.0}) == other
        assert connection.scalar(select(func.count()).where(PLAYERS.c.id == one)) == 0
        for table in (SEATS, RESULTS):
            assert set(connection.scalars(select(table.c.player_id))) == {other}


def test_a_tournament_of_an_earlier_version_is_found_by_any_name_of_an_option(engine):
    options = {"algorithm": "rollouts", "prior": 0.01}
    old = Tournament(Spec("engine", tuple(options.items())), Spec("random"), seed=3)
    engines = [published(old.focus.resolved()), {}]
    definition = old.as_object() | {"engines": engines}
    digest = sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()
    with writing(engine) as connection:
        (now,) = connection.execute(select(func.now())).one()
        values = {"id": 7, "digest": digest, "definition": definition, "created_at": now}
        connection.execute(insert(TOURNAMENTS), values)
    upgrade(engine)
    renamed = {"algorithm": "rollouts", "policy_weight": 0.01}
    new = Tournament(Spec("engine", tuple(renamed.items())), Spec("random"), seed=3)
    assert {DatabaseHands(engine, each).tournament for each in (old, new)} == {7}
    downgrade(engine, "0004")
    with engine.connect() as connection:
        assert connection.execute(select(TOURNAMENTS.c.digest)).scalar_one() == digest


def test_setups_that_cannot_be_read_stay_as_they_are(engine):
    strange = [{"seats": 5}, {"seats": [None, {"config": [1]}]}, {"seats": []}]
    with writing(engine) as connection:
        ids = [keep_table(connection, setup) for setup in strange]
    upgrade(engine)
    with engine.connect() as connection:
        assert [game(connection, game_id).setup for game_id in ids] == strange


def test_a_decision_with_an_option_of_another_version_is_read(engine):
    with writing(engine) as connection:
        game_id = keep_table(connection, {"seats": []})
        add_decisions(connection, game_id, 1)
        connection.execute(
            DECISIONS.update().values(config={"simulations": 7, "luck": 1.0, "prior": 0.5})
        )
    upgrade(engine)
    with engine.connect() as connection:
        number = connection.scalar(select(DECISIONS.c.id))
        assert decision(connection, number).config == SearchConfig(simulations=7, policy_weight=0.5)

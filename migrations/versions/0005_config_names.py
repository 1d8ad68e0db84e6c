"""Stored search configs: `prior` becomes `policy_weight`, `counsel` `auxiliary_simulations`.

Configs are in decisions, in the setups of tables, in players and in tournaments. Players and
tournaments are found by a digest of their configs, which is computed anew: the same player stays
the same row. Reviews keep their digests, which are still made of the old names.
"""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

NAMES = {"prior": "policy_weight", "counsel": "auxiliary_simulations"}
BATCH = 1_000  # rows that are read or updated together
JSON = sa.JSON(none_as_null=True)
Names = Mapping[str, str]

DECISIONS = sa.table("decisions", sa.column("id", sa.Integer), sa.column("config", JSON))
GAMES = sa.table("games", sa.column("id", sa.String), sa.column("setup", JSON))
PLAYERS = sa.table(
    "players",
    sa.column("id", sa.Integer),
    sa.column("digest", sa.String),
    sa.column("kind", sa.String),
    sa.column("name", sa.String),
    sa.column("level", sa.String),
    sa.column("config", JSON),
    sa.column("version", sa.String),
)
SEATS = sa.table("seats", sa.column("player_id", sa.Integer))
RESULTS = sa.table("results", sa.column("player_id", sa.Integer))
TOURNAMENTS = sa.table(
    "tournaments",
    sa.column("id", sa.Integer),
    sa.column("digest", sa.String),
    sa.column("definition", JSON),
)


def upgrade() -> None:
    """Rename the options to their new names."""
    rename_options(NAMES)


def downgrade() -> None:
    """Rename the options back."""
    rename_options({new: old for old, new in NAMES.items()})


def rename_options(names: Names) -> None:
    """Rename options in all stored configs."""
    connection = op.get_bind()
    rename_in_decisions(connection, names)
    rename_in_setups(connection, names)
    rename_in_players(connection, names)
    rename_in_tournaments(connection, names)


def renamed(config: Any, names: Names) -> Any:
    """A config under new names, in the same order; an option that has both names is left alone."""
    if not isinstance(config, dict):
        return config
    return {key if names.get(key, key) in config else names[key]: config[key] for key in config}


def rename_in_decisions(connection: sa.Connection, names: Names) -> None:
    """Rename in decisions, whose configs are flat: in SQL, since there may be millions."""
    text: sa.ColumnElement[str] = sa.cast(DECISIONS.c.config, sa.Text)
    has_old_name = sa.or_(*(text.contains(f'"{old}":', autoescape=True) for old in names))
    for old, new in names.items():
        text = sa.func.replace(text, f'"{old}":', f'"{new}":')
    # SQLite stores JSON as text, and would cast it to a number.
    config = sa.cast(text, JSON) if connection.dialect.name == "postgresql" else text
    last = connection.scalar(sa.select(sa.func.max(DECISIONS.c.id))) or 0
    for first in range(0, last + 1, BATCH):
        here = (first <= DECISIONS.c.id) & (DECISIONS.c.id < first + BATCH)
        connection.execute(sa.update(DECISIONS).where(here, has_old_name).values(config=config))


def rename_in_setups(connection: sa.Connection, names: Names) -> None:
    """Rename in the setups of tables, which have a config for each seat of the engine."""
    for game in batches(connection, GAMES, GAMES.c.setup):
        setup = renamed_setup(game.setup, names)
        if setup != game.setup:
            here = GAMES.c.id == game.id
            connection.execute(sa.update(GAMES).where(here).values(setup=setup))


def renamed_setup(setup: Any, names: Names) -> Any:
    """A setup whose seats have their configs under new names."""
    seats = setup.get("seats") if isinstance(setup, dict) else None
    if not isinstance(seats, list):
        return setup
    return {**setup, "seats": [renamed_in(seat, ("config",), names) for seat in seats]}


def renamed_in(value: Any, keys: tuple[str, ...], names: Names) -> Any:
    """An object some of whose values are configs."""
    if not isinstance(value, dict):
        return value
    return {key: renamed(value[key], names) if key in keys else value[key] for key in value}


def rename_in_players(connection: sa.Connection, names: Names) -> None:
    """Rename in players; one that so becomes equal to another is merged into it."""
    for player in batches(connection, PLAYERS, PLAYERS.c.config):
        config = renamed(player.config, names)
        if config == player.config:
            continue
        digest = player_digest(player, config)
        twin = connection.scalar(sa.select(PLAYERS.c.id).where(PLAYERS.c.digest == digest))
        here = sa.update(PLAYERS).where(PLAYERS.c.id == player.id)
        if twin is None:
            connection.execute(here.values(config=config, digest=digest))
        else:
            merge_player(connection, player.id, twin)


def player_digest(player: Any, config: Any) -> str:
    """The digest by which a player is found."""
    fields = {key: getattr(player, key) for key in ("kind", "name", "level", "version")}
    return digest_of(fields | {"config": config})


def digest_of(value: Any) -> str:
    """The SHA-256 of a value as JSON with sorted keys."""
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def merge_player(connection: sa.Connection, player: int, twin: int) -> None:
    """Give the games of a player to its twin, and delete it."""
    for table in (SEATS, RESULTS):
        here = sa.update(table).where(table.c.player_id == player)
        connection.execute(here.values(player_id=twin))
    connection.execute(sa.delete(PLAYERS).where(PLAYERS.c.id == player))


def rename_in_tournaments(connection: sa.Connection, names: Names) -> None:
    """Rename in tournaments: in the options of both players, and in their whole configs."""
    for tournament in batches(connection, TOURNAMENTS, TOURNAMENTS.c.definition):
        definition = renamed_in(tournament.definition, ("focus", "others"), names)
        engines = definition.get("engines", ())
        definition = definition | {"engines": [renamed(each, names) for each in engines]}
        here = sa.update(TOURNAMENTS).where(TOURNAMENTS.c.id == tournament.id)
        connection.execute(here.values(definition=definition, digest=digest_of(definition)))


def batches(
    connection: sa.Connection, table: sa.TableClause, document: sa.ColumnClause[Any]
) -> Iterator[sa.Row[Any]]:
    """The rows of a table that have a document, in the order of ids, read in batches."""
    wanted = sa.select(table).where(document.is_not(None)).order_by(table.c.id).limit(BATCH)
    found = connection.execute(wanted).all()
    while found:
        yield from found
        found = connection.execute(wanted.where(table.c.id > found[-1].id)).all()

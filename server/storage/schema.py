"""The tables of the database, as the newest revision in migrations/ makes them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

METADATA = sa.MetaData()
RowValues: TypeAlias = dict[str, object]  # what is inserted into one row, by column


class Moment(sa.TypeDecorator[datetime]):
    """A point in time, stored in UTC because SQLite stores no time zone."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Convert to UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Add the time zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


JSON = sa.JSON(none_as_null=True)  # store None as SQL NULL
_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def insert_into(connection: sa.Connection, table: sa.Table) -> Any:
    """An INSERT to which ON CONFLICT can be added; SQLAlchemy has one per database."""
    return _INSERT[connection.dialect.name](table)


def _game_key() -> sa.Column[str]:
    """The game of a row, which is deleted together with the game."""
    game = sa.ForeignKey("games.id", ondelete="CASCADE")
    return sa.Column("game_id", sa.String(32), game, primary_key=True)


def _number_key(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, primary_key=True, autoincrement=False)


API_KEYS = sa.Table(
    "api_keys",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False, unique=True),  # SHA-256 in hex
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),  # NULL: valid
    # The name of a revoked key may be used again.
    sa.Index(
        "uq_api_keys_valid_name",
        "name",
        unique=True,
        sqlite_where=sa.text("revoked_at IS NULL"),
        postgresql_where=sa.text("revoked_at IS NULL"),
    ),
)

TOURNAMENTS = sa.Table(
    "tournaments",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False, unique=True),  # SHA-256 of the definition
    sa.Column("definition", sa.JSON, nullable=False),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
)

TOURNAMENT_HANDS = sa.Table(
    "tournament_hands",
    METADATA,
    sa.Column(
        "tournament_id",
        sa.Integer,
        sa.ForeignKey("tournaments.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    sa.Column("deal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("seating", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("hand", sa.Integer, primary_key=True, autoincrement=False),  # 0, or more in a match
    sa.Column("record", sa.JSON, nullable=False),  # as `hearts replay` reads it
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
)

# A player is the same row in all of its games.
PLAYERS = sa.Table(
    "players",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),  # SHA-256 of the other columns
    sa.Column("kind", sa.String(16), nullable=False),  # human, client or engine
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("level", sa.String(32), nullable=True),
    sa.Column("config", JSON, nullable=True),  # of an engine, without its seed
    sa.Column("version", sa.String(32), nullable=True),  # of the program
    sa.UniqueConstraint("digest", name="uq_players_digest"),
    sa.Index("ix_players_name", "name"),
)

GAMES = sa.Table(
    "games",
    METADATA,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("kind", sa.String(16), nullable=False),  # log, table or record
    sa.Column("source", sa.String(100), nullable=False),
    sa.Column("rules", JSON, nullable=False),  # as Rules.as_value has them
    sa.Column("target_score", sa.Integer, nullable=True),  # NULL: a single hand
    sa.Column("secret", sa.String(200), nullable=True),  # of a table: the source of its seeds
    sa.Column("setup", JSON, nullable=True),  # the options of a table
    sa.Column("status", sa.String(16), nullable=False),  # open, finished or abandoned
    sa.Column("events", sa.Integer, nullable=False),  # number of events: the version of the game
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    # The API key that created the game; NULL: it was created without a key. Keys are never deleted.
    sa.Column("owner_id", sa.Integer, nullable=True),
    sa.Column("private", sa.Boolean, nullable=False, server_default=sa.false()),  # of a table
    # The instance that plays for the engine's seats of a table, and the number of its lease: a
    # bot's event with an older number is rejected.
    sa.Column("driver", sa.String(32), nullable=True),
    sa.Column("fence", sa.Integer, nullable=False, server_default="0"),
    sa.Column("engine_to_move", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("watched_at", Moment, nullable=True),  # when somebody looked at a table of bots
    sa.Index("ix_games_created", "created_at", "id"),
    sa.Index("ix_games_source", "source", "created_at"),
    sa.Index("ix_games_status", "status", "kind", "created_at"),
    sa.Index("ix_games_owner", "owner_id", "created_at", "id"),
    sa.Index("ix_games_public", "kind", "private", "created_at", "id"),
    sa.Index("ix_games_driver", "engine_to_move", "driver"),
)

SEATS = sa.Table(
    "seats",
    METADATA,
    _game_key(),
    _number_key("seat"),
    sa.Column("player_id", sa.Integer, sa.ForeignKey("players.id"), nullable=False),
    sa.Column("token_hash", sa.String(64), nullable=True),  # SHA-256 of a table's seat token
    # SHA-256 of the invitation to a seat; NULL: none. It is accepted once the seat has a token.
    sa.Column("invitation_hash", sa.String(64), nullable=True),
    sa.Index("ix_seats_player", "player_id", "game_id"),
    sqlite_with_rowid=False,
)

HANDS = sa.Table(
    "hands",
    METADATA,
    _game_key(),
    _number_key("number"),  # from 0
    sa.Column("label", sa.String(200), nullable=False),  # the id of a posted or imported record
    sa.Column("direction", sa.SmallInteger, nullable=False),  # PassDirection
    sa.Column("dealt", JSON, nullable=False),  # 4 texts of 13 cards
    sa.Column("passed", JSON, nullable=True),  # 4 texts of 3 cards; "" or NULL: not passed yet
    sa.Column("first_player", sa.SmallInteger, nullable=True),
    sa.Column("commitment", sa.String(64), nullable=True),  # of a table, published first
    sa.Column("nonce", sa.String(64), nullable=True),  # opens it once the hand is over
    sa.Column("points", JSON, nullable=True),  # 4 numbers, moon included
    sa.Column("shooter", sa.SmallInteger, nullable=True),
    sa.Column("extra", JSON, nullable=True),  # unknown fields of a record; NULL: it came as events
    sa.Column("started_at", Moment, nullable=False),
    sa.Column("finished_at", Moment, nullable=True),  # NULL: in play, or an incomplete record
    sqlite_with_rowid=False,
)

PLAYS = sa.Table(
    "plays",
    METADATA,
    _game_key(),
    _number_key("hand"),
    _number_key("number"),  # 0 to 51
    sa.Column("seat", sa.SmallInteger, nullable=False),
    sa.Column("card", sa.SmallInteger, nullable=False),  # suit * 16 + rank
    sa.Column("played_at", Moment, nullable=True),  # NULL: unknown
    sqlite_with_rowid=False,
)

# The log of a game; rows are never changed. Hands, plays and results are derived from it.
EVENTS = sa.Table(
    "events",
    METADATA,
    _game_key(),
    _number_key("number"),  # from 0; of two writers of one number, one wins
    sa.Column("kind", sa.String(16), nullable=False),  # deal, pass, play or claim
    sa.Column("hand", sa.Integer, nullable=False),
    sa.Column("seat", sa.SmallInteger, nullable=True),
    sa.Column("body", JSON, nullable=False),
    sa.Column("at", Moment, nullable=False),
    sqlite_with_rowid=False,
)

# Every move that the engine chose for a game, with all that is needed to repeat the search.
DECISIONS = sa.Table(
    "decisions",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("uid", sa.String(32), nullable=False),  # so that no decision is written twice
    sa.Column(
        "game_id", sa.String(32), sa.ForeignKey("games.id", ondelete="CASCADE"), nullable=False
    ),
    sa.Column("hand", sa.Integer, nullable=True),  # NULL: before the first deal
    sa.Column("number", sa.SmallInteger, nullable=True),  # of the play, 0 to 51; NULL: a pass
    sa.Column("seat", sa.SmallInteger, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),  # play or pass
    sa.Column("view", JSON, nullable=False),  # the canonical form, as View.parse reads it
    sa.Column("view_hash", sa.String(16), nullable=False),
    sa.Column("seed", sa.String(20), nullable=False),  # 64 bits, without a sign
    sa.Column("config", JSON, nullable=False),
    sa.Column("chosen", sa.String(16), nullable=False),  # a card, or three
    sa.Column("figures", JSON, nullable=False),  # per card, best first
    sa.Column("simulations", sa.Integer, nullable=False),
    sa.Column("worlds", sa.Integer, nullable=False),
    sa.Column("exact", sa.Boolean, nullable=False),
    sa.Column("ms", sa.Float, nullable=False),
    sa.Column("version", sa.String(32), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.UniqueConstraint("uid", name="uq_decisions_uid"),
    sa.Index("ix_decisions_game", "game_id", "hand", "seat"),
    sa.Index("ix_decisions_created", "created_at"),
)

# One row per seat and finished hand, from which statistics are made.
RESULTS = sa.Table(
    "results",
    METADATA,
    _game_key(),
    _number_key("hand"),
    _number_key("seat"),
    sa.Column("player_id", sa.Integer, sa.ForeignKey("players.id"), nullable=False),
    sa.Column("points", sa.Integer, nullable=False),
    sa.Column("won", sa.Boolean, nullable=True),  # of the hand that ended the game, else NULL
    sa.Column("moon_made", sa.Boolean, nullable=False),
    sa.Column("moon_tried", sa.Boolean, nullable=False),
    sa.Column("moon_stopped", sa.Boolean, nullable=False),  # this seat stopped another seat's moon
    sa.Column("queen_taken", sa.Boolean, nullable=False),
    sa.Column("tricks", sa.SmallInteger, nullable=False),
    sa.Column("passed", sa.Boolean, nullable=False),  # whether cards were passed
    sa.Column("belief_loss", sa.Float, nullable=True),  # nats, summed over belief_cards
    sa.Column("belief_cards", sa.Integer, nullable=True),
    sa.Column("moves", sa.Integer, nullable=False),  # logged decisions of the engine
    sa.Column("ms", sa.Float, nullable=False),  # total time of these decisions
    sa.Column("finished_at", Moment, nullable=False),
    sa.Index("ix_results_player", "player_id", "finished_at"),
    sa.Index("ix_results_finished", "finished_at"),
    sqlite_with_rowid=False,
)

# Finished reviews, so that none is computed twice.
REVIEWS = sa.Table(
    "reviews",
    METADATA,
    _game_key(),
    _number_key("hand"),
    sa.Column("config_digest", sa.String(64), primary_key=True),
    sa.Column("body", JSON, nullable=False),
    sa.Column("created_at", Moment, nullable=True),  # NULL: by version 0.1
    sa.Index("ix_reviews_created", "created_at"),
    sqlite_with_rowid=False,
)

# Requests with an Idempotency-Key, and the game that each created or changed.
IDEMPOTENCY_KEYS = sa.Table(
    "idempotency_keys",
    METADATA,
    sa.Column("key", sa.String(64), primary_key=True),  # SHA-256 of owner, scope and key
    sa.Column("fingerprint", sa.String(64), nullable=False),  # SHA-256 of the body
    sa.Column(
        "game_id", sa.String(32), sa.ForeignKey("games.id", ondelete="CASCADE"), nullable=False
    ),
    sa.Column("created_at", Moment, nullable=False),
    sa.Index("ix_idempotency_keys_created", "created_at"),
    sa.Index("ix_idempotency_keys_game", "game_id"),
)

# Read-only links to games.
SHARES = sa.Table(
    "shares",
    METADATA,
    sa.Column("token_hash", sa.String(64), primary_key=True),  # SHA-256 of the token in the link
    sa.Column(
        "game_id", sa.String(32), sa.ForeignKey("games.id", ondelete="CASCADE"), nullable=False
    ),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("scope", sa.String(16), nullable=False, server_default="finished"),  # or watch
    sa.Index("ix_shares_game", "game_id"),
)

# The processes that serve. One whose `seen_at` is old has died, and others take over its tables.
INSTANCES = sa.Table(
    "instances",
    METADATA,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("started_at", Moment, nullable=False),
    sa.Column("seen_at", sa.Float, nullable=False),  # seconds since 1970 by the database's clock
)

# Long work, done by `hearts worker`.
JOBS = sa.Table(
    "jobs",
    METADATA,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("key", sa.String(64), nullable=False),  # so that the same work is queued once
    sa.Column("body", JSON, nullable=False),
    sa.Column("owner_id", sa.Integer, nullable=True),  # the API key that asked
    sa.Column("caller", sa.String(64), nullable=True),  # the key or address that asked; NULL: none
    sa.Column("priority", sa.SmallInteger, nullable=False),  # the lowest number first
    sa.Column("status", sa.String(16), nullable=False),  # waiting, running, done or failed
    sa.Column("attempts", sa.SmallInteger, nullable=False),
    sa.Column("progress", JSON, nullable=True),
    sa.Column("result", JSON, nullable=True),  # of work whose result has no table of its own
    sa.Column("error", sa.String(200), nullable=True),
    sa.Column("worker", sa.String(32), nullable=True),  # who does it
    sa.Column("lease_until", sa.Float, nullable=True),  # by the database's clock, as `seen_at`
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("finished_at", Moment, nullable=True),
    sa.UniqueConstraint("key", name="uq_jobs_key"),
    sa.Index("ix_jobs_waiting", "status", "priority", "created_at"),
)

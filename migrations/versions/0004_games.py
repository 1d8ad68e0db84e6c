"""Games: players, seats, hands, plays, events, decisions, results, reviews."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
# Those that refer to others first, so that they can be dropped in this order.
TABLES = (
    "idempotency_keys", "reviews", "results", "decisions", "events", "plays", "hands", "seats",
    "games", "players",
)  # fmt: skip


def game_key(table: str, primary_key: bool = True) -> sa.Column[Any]:
    """The game that a row belongs to, under a name that both databases can drop."""
    named = f"fk_{table}_game_id_games"
    game = sa.ForeignKey("games.id", name=named, ondelete="CASCADE")
    return sa.Column("game_id", sa.String(32), game, primary_key=primary_key, nullable=False)


def player_key(table: str) -> sa.Column[Any]:
    """The player that a row belongs to."""
    player = sa.ForeignKey("players.id", name=f"fk_{table}_player_id_players")
    return sa.Column("player_id", sa.Integer, player, nullable=False)


def number_key(name: str) -> sa.Column[Any]:
    """A number that is a part of a row's key."""
    return sa.Column(name, sa.Integer, primary_key=True, autoincrement=False)


def upgrade() -> None:
    """Create the tables and the indexes of their listings and statistics."""
    create_games()
    create_hands()
    create_decisions()
    create_results()


def create_games() -> None:
    """Create who plays, and what."""
    op.create_table(
        "players",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("level", sa.String(32), nullable=True),
        sa.Column("config", sa.JSON, nullable=True),
        sa.Column("version", sa.String(32), nullable=True),
        sa.UniqueConstraint("digest", name="uq_players_digest"),
    )
    op.create_index("ix_players_name", "players", ["name"])
    op.create_table(
        "games",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("source", sa.String(100), nullable=False),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("target_score", sa.Integer, nullable=True),
        sa.Column("secret", sa.String(200), nullable=True),
        sa.Column("setup", sa.JSON, nullable=True),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("events", sa.Integer, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
    )
    op.create_index("ix_games_created", "games", ["created_at", "id"])
    op.create_index("ix_games_source", "games", ["source", "created_at"])
    op.create_index("ix_games_status", "games", ["status", "kind", "created_at"])
    op.create_table(
        "seats",
        game_key("seats"),
        number_key("seat"),
        player_key("seats"),
        sa.Column("token_hash", sa.String(64), nullable=True),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_seats_player", "seats", ["player_id", "game_id"])
    op.create_table(
        "idempotency_keys",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        game_key("idempotency_keys", primary_key=False),
        sa.Column("created_at", TIME, nullable=False),
    )


def create_hands() -> None:
    """Create what happens in games."""
    op.create_table(
        "hands",
        game_key("hands"),
        number_key("number"),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("direction", sa.SmallInteger, nullable=False),
        sa.Column("dealt", sa.JSON, nullable=False),
        sa.Column("passed", sa.JSON, nullable=True),
        sa.Column("first_player", sa.SmallInteger, nullable=True),
        sa.Column("commitment", sa.String(64), nullable=True),
        sa.Column("nonce", sa.String(64), nullable=True),
        sa.Column("points", sa.JSON, nullable=True),
        sa.Column("shooter", sa.SmallInteger, nullable=True),
        sa.Column("extra", sa.JSON, nullable=True),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("finished_at", TIME, nullable=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "plays",
        game_key("plays"),
        number_key("hand"),
        number_key("number"),
        sa.Column("seat", sa.SmallInteger, nullable=False),
        sa.Column("card", sa.SmallInteger, nullable=False),
        sa.Column("played_at", TIME, nullable=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "events",
        game_key("events"),
        number_key("number"),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("hand", sa.Integer, nullable=False),
        sa.Column("seat", sa.SmallInteger, nullable=True),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("at", TIME, nullable=False),
        sqlite_with_rowid=False,
    )


def create_decisions() -> None:
    """Create what our engine chose, and why."""
    op.create_table(
        "decisions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("uid", sa.String(32), nullable=False),
        game_key("decisions", primary_key=False),
        sa.Column("hand", sa.Integer, nullable=True),
        sa.Column("number", sa.SmallInteger, nullable=True),
        sa.Column("seat", sa.SmallInteger, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("view", sa.JSON, nullable=False),
        sa.Column("view_hash", sa.String(16), nullable=False),
        sa.Column("seed", sa.String(20), nullable=False),
        sa.Column("config", sa.JSON, nullable=False),
        sa.Column("chosen", sa.String(16), nullable=False),
        sa.Column("figures", sa.JSON, nullable=False),
        sa.Column("simulations", sa.Integer, nullable=False),
        sa.Column("worlds", sa.Integer, nullable=False),
        sa.Column("exact", sa.Boolean, nullable=False),
        sa.Column("ms", sa.Float, nullable=False),
        sa.Column("version", sa.String(32), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.UniqueConstraint("uid", name="uq_decisions_uid"),
    )
    op.create_index("ix_decisions_game", "decisions", ["game_id", "hand", "seat"])
    op.create_index("ix_decisions_created", "decisions", ["created_at"])


def create_results() -> None:
    """Create what statistics and reviews are made of."""
    op.create_table(
        "results",
        game_key("results"),
        number_key("hand"),
        number_key("seat"),
        player_key("results"),
        sa.Column("points", sa.Integer, nullable=False),
        sa.Column("won", sa.Boolean, nullable=True),
        sa.Column("moon_made", sa.Boolean, nullable=False),
        sa.Column("moon_tried", sa.Boolean, nullable=False),
        sa.Column("moon_stopped", sa.Boolean, nullable=False),
        sa.Column("queen_taken", sa.Boolean, nullable=False),
        sa.Column("tricks", sa.SmallInteger, nullable=False),
        sa.Column("passed", sa.Boolean, nullable=False),
        sa.Column("belief_loss", sa.Float, nullable=True),
        sa.Column("belief_cards", sa.Integer, nullable=True),
        sa.Column("moves", sa.Integer, nullable=False),
        sa.Column("ms", sa.Float, nullable=False),
        sa.Column("finished_at", TIME, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_results_player", "results", ["player_id", "finished_at"])
    op.create_index("ix_results_finished", "results", ["finished_at"])
    op.create_table(
        "reviews",
        game_key("reviews"),
        number_key("hand"),
        sa.Column("config_digest", sa.String(64), primary_key=True),
        sa.Column("body", sa.JSON, nullable=False),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Remove them with what they hold; their indexes go with them."""
    for table in TABLES:
        op.drop_table(table)

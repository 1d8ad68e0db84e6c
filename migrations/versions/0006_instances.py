"""Owners of games, invitations, read-only links, instances with leases, and jobs."""

from collections.abc import Iterator
from itertools import count

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

NAME_LENGTH = 100  # of a key
TIME = sa.DateTime(timezone=True)
VALID = sa.text("revoked_at IS NULL")
# Names for the constraints that revision 0002 left without one, in SQLite.
NAMED = {"uq": "uq_%(table_name)s_%(column_0_name)s"}
# The columns of games that this revision adds.
GAME_COLUMNS = ("owner_id", "private", "driver", "fence", "engine_to_move", "watched_at")


def upgrade() -> None:
    """Add the columns and tables; every existing game is without an owner."""
    free_revoked_names()
    extend_games()
    op.add_column("seats", sa.Column("invitation_hash", sa.String(64), nullable=True))
    op.add_column("reviews", sa.Column("created_at", TIME, nullable=True))
    op.create_index("ix_idempotency_keys_created", "idempotency_keys", ["created_at"])
    create_shares()
    create_instances()
    create_jobs()


def free_revoked_names() -> None:
    """Let a name be used again once its key is revoked."""
    with op.batch_alter_table("api_keys", naming_convention=NAMED) as table:
        table.drop_constraint(name_constraint(), type_="unique")
    op.create_index(
        "uq_api_keys_valid_name", "api_keys", ["name"], unique=True,
        sqlite_where=VALID, postgresql_where=VALID,
    )  # fmt: skip


def name_constraint() -> str:
    """The name of the unique constraint on names of keys."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    return "uq_api_keys_name" if is_sqlite else "api_keys_name_key"


def extend_games() -> None:
    """Add columns in place: SQLite would delete all events if `games` were created anew."""
    op.add_column("games", sa.Column("owner_id", sa.Integer, nullable=True))
    op.add_column(
        "games", sa.Column("private", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.add_column("games", sa.Column("driver", sa.String(32), nullable=True))
    op.add_column("games", sa.Column("fence", sa.Integer, nullable=False, server_default="0"))
    op.add_column(
        "games", sa.Column("engine_to_move", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.add_column("games", sa.Column("watched_at", TIME, nullable=True))
    op.create_index("ix_games_owner", "games", ["owner_id", "created_at", "id"])
    op.create_index("ix_games_public", "games", ["kind", "private", "created_at", "id"])
    op.create_index("ix_games_driver", "games", ["engine_to_move", "driver"])
    # An instance looks at every unfinished table once, and finds out whether the engine is to move.
    op.execute("UPDATE games SET engine_to_move = true WHERE kind = 'table' AND status = 'open'")


def create_shares() -> None:
    """Create the read-only links."""
    game = sa.ForeignKey("games.id", name="fk_shares_game_id_games", ondelete="CASCADE")
    op.create_table(
        "shares",
        sa.Column("token_hash", sa.String(64), primary_key=True),
        sa.Column("game_id", sa.String(32), game, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
    )
    op.create_index("ix_shares_game", "shares", ["game_id"])


def create_instances() -> None:
    """Create the list of processes that serve."""
    op.create_table(
        "instances",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("seen_at", sa.Float, nullable=False),
    )


def create_jobs() -> None:
    """Create the queue of long work."""
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("owner_id", sa.Integer, nullable=True),
        sa.Column("caller", sa.String(64), nullable=True),
        sa.Column("priority", sa.SmallInteger, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("attempts", sa.SmallInteger, nullable=False),
        sa.Column("progress", sa.JSON, nullable=True),
        sa.Column("result", sa.JSON, nullable=True),
        sa.Column("error", sa.String(200), nullable=True),
        sa.Column("worker", sa.String(32), nullable=True),
        sa.Column("lease_until", sa.Float, nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("finished_at", TIME, nullable=True),
        sa.UniqueConstraint("key", name="uq_jobs_key"),
    )
    op.create_index("ix_jobs_waiting", "jobs", ["status", "priority", "created_at"])


def downgrade() -> None:
    """Remove them; abandoned tables are open again, and every key has a name of its own."""
    op.execute("UPDATE games SET status = 'open' WHERE status = 'abandoned'")
    for table in ("jobs", "instances", "shares"):
        op.drop_table(table)
    op.drop_index("ix_idempotency_keys_created", "idempotency_keys")
    op.drop_column("reviews", "created_at")
    op.drop_column("seats", "invitation_hash")
    op.drop_index("ix_games_driver", "games")
    op.drop_index("ix_games_public", "games")
    op.drop_index("ix_games_owner", "games")
    for column in GAME_COLUMNS:
        op.drop_column("games", column)
    op.drop_index("uq_api_keys_valid_name", "api_keys")
    rename_duplicates()
    with op.batch_alter_table("api_keys") as keys:
        keys.create_unique_constraint(name_constraint(), ["name"])


def rename_duplicates() -> None:
    """Of several keys with one name, let the valid or else the newest one keep it.

    The others get their number as a suffix, within the 100 characters of a name.
    """
    connection = op.get_bind()
    keys = sa.table("api_keys", sa.column("id"), sa.column("name"), sa.column("revoked_at"))
    valid_first = sa.case((keys.c.revoked_at.is_(None), 0), else_=1), keys.c.id.desc()
    found = connection.execute(sa.select(keys.c.id, keys.c.name).order_by(*valid_first)).all()
    taken, kept = {name for _, name in found}, set()
    for key_id, name in found:
        if name not in kept:
            kept.add(name)
            continue
        new = next(each for each in suffixed(name, key_id) if each not in taken)
        taken.add(new)
        connection.execute(sa.update(keys).where(keys.c.id == key_id).values(name=new))


def suffixed(name: str, key_id: int) -> Iterator[str]:
    """Other names for a key, the most obvious first."""
    for n in count(1):
        end = f" {key_id}" if n == 1 else f" {key_id}-{n}"
        yield name[: NAME_LENGTH - len(end)] + end

"""The tables of the database, as the newest revision in migrations/ makes them."""

from __future__ import annotations

import sqlalchemy as sa

METADATA = sa.MetaData()

API_KEYS = sa.Table(
    "api_keys",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(100), nullable=False, unique=True),
    sa.Column("hash", sa.String(64), nullable=False, unique=True),  # SHA-256 in hex
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),  # NULL: valid
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

"""Indexes for retention: a deleted game finds its idempotency keys, and reviews have an age."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the indexes."""
    op.create_index("ix_idempotency_keys_game", "idempotency_keys", ["game_id"])
    op.create_index("ix_reviews_created", "reviews", ["created_at"])


def downgrade() -> None:
    """Drop the indexes."""
    op.drop_index("ix_reviews_created", "reviews")
    op.drop_index("ix_idempotency_keys_game", "idempotency_keys")

"""Links to games have a scope; open tables of version 0.1 with people become private."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# Version 0.1 did not store the option `quick` of a table.
HIDE_PEOPLE = """
UPDATE games SET private = true
WHERE kind = 'table' AND status <> 'finished' AND CAST(setup AS TEXT) NOT LIKE '%"quick":%'
AND id IN (
    SELECT game_id FROM seats JOIN players ON players.id = seats.player_id
    WHERE players.kind = 'human'
)
"""


def upgrade() -> None:
    """Let existing links show finished hands, and hide the people who play."""
    op.add_column(
        "shares", sa.Column("scope", sa.String(16), nullable=False, server_default="finished")
    )
    op.execute(HIDE_PEOPLE)


def downgrade() -> None:
    """Remove the scope; the tables stay private."""
    op.drop_column("shares", "scope")

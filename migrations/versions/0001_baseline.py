"""The empty schema that later revisions build on."""

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create nothing; from here on the database knows its revision."""


def downgrade() -> None:
    """Remove nothing."""

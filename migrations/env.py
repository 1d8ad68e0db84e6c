"""Run by Alembic: migrates the connection it is given, or the configured database."""

from alembic import context
from sqlalchemy import Connection

from server.runtime.settings import Settings
from server.storage.database import make_engine


def migrate(connection: Connection) -> None:
    """Run the revisions that were asked for, all of them or none."""
    context.configure(connection, transactional_ddl=True, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    migrate(given)
else:  # called by the developer's `alembic` command
    with make_engine(Settings.from_environment().database_url).begin() as opened:
        migrate(opened)

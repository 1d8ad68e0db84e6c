"""The database: schema, queries and the decision log, on SQLite and PostgreSQL."""

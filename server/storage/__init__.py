"""Games in the database: SQL and nothing else, on SQLite and PostgreSQL alike."""

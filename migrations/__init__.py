"""The database's schema, one reviewed revision per change."""

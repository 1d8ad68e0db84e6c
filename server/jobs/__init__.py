"""Long work that is queued in the database and done by workers."""

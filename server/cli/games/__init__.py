"""Commands about games: records, the database, decisions, reviews, statistics."""

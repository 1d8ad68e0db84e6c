"""Posted games, reviews, statistics, imports and exports."""

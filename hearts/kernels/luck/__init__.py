"""Luck and skill of a finished hand, for tournaments with fewer deals: see docs/tournaments.md."""

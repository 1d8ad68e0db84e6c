"""The engine: from a view to a decision."""

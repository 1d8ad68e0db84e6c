"""Analysis of decisions, and reviews of hands."""

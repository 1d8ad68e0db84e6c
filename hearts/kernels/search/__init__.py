"""Trees, the endgame solver, passes."""

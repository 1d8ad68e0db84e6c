"""The UCT tree, the exact endgame solver, and trials of passes."""

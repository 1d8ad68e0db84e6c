"""Policies: what a seat plays and passes, as a function of what it knows."""

"""Playout policies."""

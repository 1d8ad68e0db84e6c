"""Retention: what is deleted, and when."""

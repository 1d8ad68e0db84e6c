"""Tokens that give access to games."""

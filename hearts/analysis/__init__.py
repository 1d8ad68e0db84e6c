"""Hands after the fact: reviews and forecasts."""

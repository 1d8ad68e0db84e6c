"""Bit operations, random numbers, the state of a hand, rewards, move statistics."""

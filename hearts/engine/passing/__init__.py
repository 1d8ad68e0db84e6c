"""The choice of the three cards to pass."""

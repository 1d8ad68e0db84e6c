"""The game of Hearts and the engine that plays it."""

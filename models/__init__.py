"""Opponent models: what a seat may believe about the cards it does not see, one belief per file."""

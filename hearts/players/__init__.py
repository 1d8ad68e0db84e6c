"""Players: whoever can sit at a table, from `random` to the engine and programs elsewhere."""

"""Events of games: the state machine, and events that clients post."""

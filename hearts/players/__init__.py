"""Players: rule-based ones, the engine, remote services and external programs."""

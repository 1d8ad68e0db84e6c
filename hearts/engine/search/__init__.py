"""Search algorithms: trees, rollouts, exact endings."""

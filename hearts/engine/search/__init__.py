"""Search algorithms: trees, rollouts, and what they return."""

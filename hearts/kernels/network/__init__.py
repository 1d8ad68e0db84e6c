"""The policy network: features, accumulator, inference, rollouts, self-play, batches."""

"""The policy network: forward pass, rollouts, self-play, gradients."""

"""Offline learning: self-play PPO, imitation, fits; needs the extras `fit` and `train`."""

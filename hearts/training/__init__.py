"""Offline learning: self-play PPO, imitation of search games, fits; needs the extra `train`."""

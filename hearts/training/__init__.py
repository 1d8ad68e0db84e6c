"""Offline learning: self-play, imitation, fits."""

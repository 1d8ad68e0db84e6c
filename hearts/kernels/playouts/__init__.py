"""Playout policies: uniform, ε-greedy, shoot-aware and softmax."""

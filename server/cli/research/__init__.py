"""Commands for experiments and training."""

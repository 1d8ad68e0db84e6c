"""Networks in PyTorch: PPO and imitation; needs the extra `train`."""

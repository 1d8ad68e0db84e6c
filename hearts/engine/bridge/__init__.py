"""Python objects as kernel arrays, and kernels behind Python functions."""

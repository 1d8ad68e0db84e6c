"""Benchmarks of the kernels and of whole decisions."""

"""Compile the kernels of the engine before tests that must not wait for them."""

from hearts.engine.warmup import STEPS


def compile_kernels() -> None:
    """Take every step in this process."""
    for step in STEPS.values():
        step()

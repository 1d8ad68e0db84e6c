"""Fixtures and settings for all tests."""

from hypothesis import settings

pytest_plugins = ["tests.postgres", "tests.redis", "tests.services"]

# The suite says the same every time, and asserts no times: compiling a kernel takes seconds.
settings.register_profile("suite", deadline=None, derandomize=True, max_examples=200)
settings.load_profile("suite")

"""The service around the engine: HTTP, database and command line."""

from functools import cache
from importlib import metadata


@cache  # it is read from a file
def version() -> str:
    """The installed version of this project."""
    return metadata.version("hearts-ai")

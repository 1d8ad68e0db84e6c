"""The service around the engine: HTTP, database and command line."""

from importlib import metadata


def version() -> str:
    """The installed version of this project."""
    return metadata.version("hearts-ai")

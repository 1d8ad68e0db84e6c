"""A place for compiled kernels if neither the installation nor the home directory is writable."""

from __future__ import annotations

import logging
import os
import stat
import tempfile
from pathlib import Path

from numba import config, njit


def ensure_cache() -> None:
    """Set numba's cache directory if numba finds none; it would raise for every kernel."""
    try:
        njit(cache=True)(_probe)
    except RuntimeError:
        config.CACHE_DIR = str(private_directory(Path(tempfile.gettempdir())))
        logging.getLogger("hearts").warning(
            "compiled kernels are kept in %s: set NUMBA_CACHE_DIR to a directory of this user",
            config.CACHE_DIR,
        )


def private_directory(parent: Path) -> Path:
    """A directory that this user alone can write to: numba executes what it finds there."""
    user = os.getuid()
    made = parent / f"hearts-kernels-{user}"
    try:
        made.mkdir(mode=0o700, exist_ok=True)
        found = made.lstat()
    except OSError as error:
        raise ImportError(f"no place for compiled kernels ({error}): set NUMBA_CACHE_DIR") from None
    if stat.S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & 0o022:
        return made
    raise ImportError(f"{made} belongs to somebody else: set NUMBA_CACHE_DIR")


def _probe() -> None:
    """Nothing; numba is asked where it would keep this function."""

"""A directory in which several worker processes count their metrics together."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

# Where prometheus_client looks for the directory, once, when it is imported.
VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def share_metrics(workers: int) -> None:
    """Prepare the metrics of `workers` processes; call it before prometheus_client is imported.

    One process counts in memory, which costs less. The directory can be read by this user only, and
    is deleted when this process ends.
    """
    os.environ.pop(VARIABLE, None)
    if workers > 1:
        os.environ[VARIABLE] = folder = tempfile.mkdtemp(prefix="hearts-metrics-")
        atexit.register(_delete, folder, os.getpid())


def _delete(folder: str, owner: int) -> None:
    """Delete the directory, unless this is a worker that inherited the call."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)

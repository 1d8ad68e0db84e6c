"""Scheduling of computations: they only get processor time that nobody else wants."""

from __future__ import annotations

import os

PRIORITIES = IDLE, NORMAL = "idle", "normal"  # of computations


def run_when_idle() -> None:
    """Give this process, and the threads that it starts, the lowest priority.

    Linux's SCHED_IDLE yields a core at once to any ordinary process that wants it; nice 19 alone
    would still take a few percent.
    """
    os.nice(19)
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))

"""Beliefs judged in the background: when no search runs, a few seats at a time."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import structlog
from sqlalchemy import Engine

from server.search.admission import Slots
from server.storage.losses import fill_losses

PAUSE = 30.0  # seconds between two looks
AT_ONCE = 20  # seats: a second or two, where every one is a chain of OM-2
RECENT = timedelta(days=1)  # older hands are left to `hearts stats`

log = structlog.stdlib.get_logger("hearts.judge")


class Judge:
    """One thread that judges what our engine believed in hands that are over."""

    def __init__(self, engine: Engine, slots: Slots) -> None:
        self.engine, self.slots = engine, slots
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, in the process that serves."""
        self._thread = threading.Thread(target=self._work, name="judge", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End after what is being judged."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(5)

    def look(self) -> int:
        """Judge a few seats, unless somebody is searching; how many."""
        if self.slots.running:
            return 0
        return fill_losses(self.engine, AT_ONCE, since=datetime.now(UTC) - RECENT)

    def _work(self) -> None:
        while not self._closing.wait(PAUSE):
            try:
                self.look()
            except Exception as error:  # no database, or one hand that cannot be judged
                log.warning("beliefs are not judged", error=type(error).__name__)

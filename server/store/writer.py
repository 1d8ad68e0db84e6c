"""Decisions are logged without ever costing a move.

Who has decided writes one line to the spool on disk, which takes some 0.2 ms whatever the database
does, and goes on: from then on the decision outlives the process. A thread moves what is in the
spool to the database, many decisions at once where many wait, and again after a restart. Only the
first decision of a game waits a moment, to learn whether there is such a game.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import structlog
from sqlalchemy import Engine, text
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError

from hearts.decision import Decision
from hearts.passing import PassDecision
from server.store import decisions as store
from server.store.games import writing
from server.store.spool import Spool
from server.store.values import is_id

log = structlog.stdlib.get_logger("hearts.decisions")

PATIENCE = 0.25  # seconds that the first decision of a game waits
SLOW = 1.0  # seconds after which a database that has not answered yet counts as slow
RETRY = 1.0  # seconds between two attempts while the database does not answer
CLOSING = 5.0  # seconds that the thread has to finish
IN_MEMORY = 1_000  # decisions that are kept there where the spool cannot be written
REMEMBERED = 10_000  # games that are known to exist


@dataclass(eq=False)
class _Question:
    """Whether there is the game of a decision."""

    answered: threading.Event = field(default_factory=threading.Event)
    unknown: bool = False


class Decisions:
    """Logs decisions; its thread begins in the process that decides."""

    def __init__(self, engine: Engine, spool: Spool, patience: float = PATIENCE) -> None:
        self.engine, self.spool, self.patience = engine, spool, patience
        self._fault: str | None = None  # why the last attempt to write failed
        self._asked_at: float | None = None  # since when the database has been asked
        self._memory: deque[store.Entry] = deque()
        self._games: OrderedDict[str, None] = OrderedDict()  # those that are known to exist
        self._questions: dict[str, _Question] = {}  # by the uid of the decision
        self._lock = threading.Lock()
        self._work = threading.Event()
        self._closing = False
        self._thread: threading.Thread | None = None

    @property
    def problem(self) -> str | None:
        """Why decisions wait in the spool; None: they are in the database at once."""
        asked_at = self._asked_at
        if asked_at is not None and time.monotonic() - asked_at > SLOW:
            return self._fault or "the database is slow"
        return self._fault

    def start(self) -> None:
        """Begin to write, first of all what a former process has left in the spool."""
        with self._lock:
            if self._thread is None:
                self._work.set()
                self._thread = threading.Thread(target=self._run, name="decisions", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Write what can be written, stop, and let go of the database."""
        self._closing = True
        self._work.set()
        if self._thread is not None:
            self._thread.join(CLOSING)
        self.engine.dispose()

    def log(
        self, decision: Decision | PassDecision, game_id: str, hand: int | None = None
    ) -> list[str]:
        """Keep a decision with a game; returns what its client should be warned of."""
        unknown = f"game_id: there is no game {game_id[:40]!r}: the decision is not kept"
        if not is_id(game_id):
            return [unknown]
        entry = store.entry_of(decision, game_id, hand)
        question = self._question(entry)
        warnings = self._keep(entry)
        self._work.set()
        self.start()
        if question is not None and self.problem is None:
            question.answered.wait(self.patience)
        self._questions.pop(entry["uid"], None)
        return [unknown] if question is not None and question.unknown else warnings

    def _question(self, entry: store.Entry) -> _Question | None:
        """What is to be asked about a decision before it is answered; None for a known game."""
        with self._lock:
            if entry["game_id"] in self._games:
                return None
        return self._questions.setdefault(entry["uid"], _Question())

    def _keep(self, entry: store.Entry) -> list[str]:
        """Put a decision where the thread will find it; returns warnings."""
        problem = self.problem
        if self.spool.add(entry):
            return [f"{problem}: the decision is kept on disk for later"] if problem else []
        if len(self._memory) < IN_MEMORY:
            self._memory.append(entry)
            reason = "is full or cannot be written: the decision is kept in memory for now"
        else:
            reason = "is full or cannot be written: the decision is not kept"
        return [f"{problem or 'the database answers'}, but the spool {reason}"]

    def _run(self) -> None:
        while True:
            self._work.wait(RETRY if self._fault else None)
            self._work.clear()
            closing = self._closing
            self._write_all()
            if closing:
                return

    def _write_all(self) -> None:
        """Move everything that waits to the database; a failure is noted, and tried again."""
        self._asked_at = time.monotonic()
        try:
            if self._fault:
                with self.engine.connect() as connection:
                    connection.execute(text("SELECT 1"))
            while self._memory:
                self._write([self._memory[0]])
                self._memory.popleft()
            written = self.spool.empty(self._write)
        except Exception as error:  # the thread must go on, whatever it was
            self._stumble(error)
        else:
            if self._fault:
                log.warning("the database answers again", decisions=written)
            self._fault = None
        finally:
            self._asked_at = None

    def _write(self, entries: Sequence[store.Entry]) -> None:
        """Write decisions; one that no database will ever take is given up."""
        try:
            with writing(self.engine) as connection:
                unknown = store.write(connection, entries)
        except (DataError, IntegrityError):
            if len(entries) == 1:
                log.exception("a decision cannot be kept", uid=entries[0].get("uid"))
                return
            for entry in entries:
                self._write([entry])
        else:
            self._asked_at = time.monotonic()  # it answers
            self._answer(entries, unknown)

    def _answer(self, entries: Sequence[store.Entry], unknown: set[str]) -> None:
        """Tell those who wait whether their games exist."""
        with self._lock:
            self._games.update((entry["game_id"], None) for entry in entries)
            for game_id in unknown:
                self._games.pop(game_id, None)
            while len(self._games) > REMEMBERED:
                self._games.popitem(last=False)
        for entry in entries:
            if question := self._questions.get(entry["uid"]):
                question.unknown = entry["game_id"] in unknown
                question.answered.set()

    def _stumble(self, error: Exception) -> None:
        """Take note of a failure."""
        fault = type(error).__name__
        if not isinstance(error, SQLAlchemyError):
            log.exception("decisions cannot be logged")
        elif self._fault is None:
            log.error("decisions cannot be logged", reason=fault)
        self._fault = f"the database does not answer ({fault})"

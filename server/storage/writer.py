"""Decisions are logged without ever costing a move.

Who has decided writes one line to the spool on disk, which takes some 0.2 ms whatever the database
does, and goes on: from then on the decision outlives the process. A thread moves what is in the
spool to the database, what comes within a moment together, since each transaction takes the
interpreter from searches that run meanwhile; and again after a restart. Only the first decision of
a game waits, to learn whether it can be kept there. One of which nobody could be told in time that
it cannot is put aside, and the log says so.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import structlog
from sqlalchemy import Engine, text
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    SQLAlchemyError,
    StatementError,
)

from hearts.engine.decision import Decision
from hearts.engine.passing.decision import PassDecision
from server.storage import decisions as store
from server.storage.games import writing
from server.storage.spool import Spool
from server.storage.values import is_id

log = structlog.stdlib.get_logger("hearts.decisions")

PATIENCE = 0.25  # seconds that the first decision of a game waits
GATHER = 0.1  # seconds for which decisions are gathered where nobody waits for an answer
SLOW = 1.0  # seconds after which a database that has not answered yet counts as slow
RETRY = 1.0  # seconds between two attempts while the database does not answer
CLOSING = 5.0  # seconds that the thread has to finish
IN_MEMORY = 1_000  # decisions that are kept there where the spool cannot be written
REMEMBERED = 10_000  # games that are known to take decisions


@dataclass(eq=False)
class _Question:
    """Whether a decision can be kept with its game."""

    answered: threading.Event = field(default_factory=threading.Event)
    why_not: str | None = None


class Decisions:
    """Logs decisions; its thread begins in the process that decides."""

    def __init__(self, engine: Engine, spool: Spool, patience: float = PATIENCE) -> None:
        self.engine, self.spool, self.patience = engine, spool, patience
        self._fault: str | None = None  # why the last attempt to write failed
        self._asked_at: float | None = None  # since when the database has been asked
        self._memory: deque[store.Entry] = deque()
        self._games: OrderedDict[str, None] = OrderedDict()  # known to take decisions
        self._questions: dict[str, _Question] = {}  # by the uid of the decision
        self._lock = threading.Lock()
        self._work = threading.Event()
        self._urgent = threading.Event()  # somebody waits
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
        self._urgent.set()
        self._work.set()
        if self._thread is not None:
            self._thread.join(CLOSING)
        self.engine.dispose()

    def log(
        self, decision: Decision | PassDecision, game_id: str, hand: int | None = None
    ) -> list[str]:
        """Keep a decision with a game; returns what its client should be warned of."""
        if not is_id(game_id):
            return [_not_kept(store.no_such_game(game_id))]
        entry = store.entry_of(decision, game_id, hand)
        question = self._question(entry)
        warnings = self._keep(entry)
        if question is not None and self.problem is None:
            self._urgent.set()
            question.answered.wait(self.patience)
        with self._lock:
            self._questions.pop(entry["uid"], None)
        told = question is not None and question.why_not
        return [_not_kept(told)] if told else warnings

    def log_of_table(
        self, decision: Decision | PassDecision, table_id: str, hand: int, uid: str
    ) -> None:
        """Keep a decision of a live table; one that is made again has the same `uid`."""
        self._keep(store.entry_of(decision, table_id, hand, uid))

    def _question(self, entry: store.Entry) -> _Question | None:
        """What is to be asked about a decision before it is answered; None for a known game."""
        with self._lock:
            if entry["game_id"] in self._games:
                return None
            return self._questions.setdefault(entry["uid"], _Question())

    def _keep(self, entry: store.Entry) -> list[str]:
        """Put a decision where the thread will find it, and wake it; returns warnings."""
        problem = self.problem
        warnings = self._put(entry, problem)
        self._work.set()
        self.start()
        return warnings

    def _put(self, entry: store.Entry, problem: str | None) -> list[str]:
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
            self._urgent.wait(GATHER)
            self._urgent.clear()
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
        """Write decisions; one that no database will ever take is put aside."""
        try:
            with writing(self.engine) as connection:
                refused = store.write(connection, entries)
        except Exception as error:
            if not _is_theirs(error):
                raise
            if len(entries) == 1:
                reason = f"it does not fit the database ({type(error).__name__})"
                self._answer(entries, {entries[0]["uid"]: reason})
            for entry in entries if len(entries) > 1 else ():
                self._write([entry])
        else:
            self._asked_at = time.monotonic()  # it answers
            self._answer(entries, refused)

    def _answer(self, entries: Sequence[store.Entry], refused: Mapping[str, str]) -> None:
        """Tell those who wait whether decisions are kept; put aside what nobody is told of."""
        untold = []
        with self._lock:
            for entry in entries:
                why_not = refused.get(entry["uid"])
                if question := self._questions.get(entry["uid"]):
                    question.why_not = why_not
                    question.answered.set()
                elif why_not:
                    untold.append(entry)
                if why_not:
                    self._games.pop(entry.get("game_id", ""), None)
                elif not entry.get("of_table"):
                    self._games[entry["game_id"]] = None
            while len(self._games) > REMEMBERED:
                self._games.popitem(last=False)
        for entry in untold:
            file = self.spool.put_aside(entry)
            reason = refused[entry["uid"]]
            log.warning("a decision is not kept", uid=entry["uid"], reason=reason, file=file)

    def _stumble(self, error: Exception) -> None:
        """Take note of a failure."""
        fault = type(error).__name__
        if not isinstance(error, SQLAlchemyError):
            log.exception("decisions cannot be logged")
        elif self._fault is None:
            log.error("decisions cannot be logged", reason=fault)
        self._fault = f"the database does not answer ({fault})"


def _is_theirs(error: Exception) -> bool:
    """Whether the decisions are at fault, as those of another version may be, not the database."""
    if isinstance(error, DBAPIError):
        return isinstance(error, DataError | IntegrityError)
    unfit = StatementError | ArithmeticError | LookupError | TypeError | ValueError
    return isinstance(error, unfit)


def _not_kept(reason: str) -> str:
    return f"game_id: {reason}: the decision is not kept"

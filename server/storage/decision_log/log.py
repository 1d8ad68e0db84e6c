"""The log of decisions, which never delays a move.

A request appends its decision to the spool on disk, which takes about 0.2 ms, and goes on: from
then on the decision survives the process. A thread writes the spool to the database, also after a
restart. It gathers decisions for a moment, because each transaction takes the interpreter from
running searches. Only the first decision of a game waits for the database, so that the client
learns whether the game accepts decisions. Entries that are rejected after the reply go to
`unknown.jsonl`.
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
from server.storage.database import problem_of
from server.storage.decision_log.spool import Spool
from server.storage.games import writing
from server.storage.values import is_id

log = structlog.stdlib.get_logger("hearts.decisions")

PATIENCE = 0.25  # seconds that the first decision of a game waits for the database
GATHER = 0.1  # seconds for which decisions are gathered while nobody waits
SLOW = 1.0  # seconds after which a database that has not answered is called slow
RETRY = 1.0  # seconds between attempts while the database does not answer
CLOSING = 5.0  # seconds that the thread has to finish
IN_MEMORY = 1_000  # decisions kept in memory if the spool cannot be written
REMEMBERED = 10_000  # games that are known to accept decisions


@dataclass(eq=False)
class _Question:
    """Whether the database accepts a decision."""

    answered: threading.Event = field(default_factory=threading.Event)
    why_not: str | None = None


class DecisionLog:
    """The log of decisions; its thread starts in the process that searches."""

    def __init__(self, engine: Engine, spool: Spool, patience: float = PATIENCE) -> None:
        self.engine, self.spool, self.patience = engine, spool, patience
        self._fault: str | None = None  # the problem of the last attempt to write
        self._asked_at: float | None = None  # when the pending write began
        self._memory: deque[store.DecisionEntry] = deque()
        # Games that accept decisions, each with the API key whose decisions they are.
        self._games: OrderedDict[tuple[str, int | None], None] = OrderedDict()
        self._questions: dict[str, _Question] = {}  # by the uid of the decision
        self._lock = threading.Lock()
        self._work = threading.Event()
        self._urgent = threading.Event()  # somebody waits
        self._closing = False
        self._thread: threading.Thread | None = None

    @property
    def problem(self) -> str | None:
        """The reason why decisions stay in the spool; None: the database takes them."""
        asked_at = self._asked_at
        if asked_at is not None and time.monotonic() - asked_at > SLOW:
            return self._fault or "the database is slow"
        return self._fault

    def start(self) -> None:
        """Start the thread, which first writes what an earlier process left in the spool."""
        with self._lock:
            if self._thread is None:
                self._work.set()
                self._thread = threading.Thread(target=self._run, name="decisions", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Write what can be written, stop the thread, and close the database."""
        self._closing = True
        self._urgent.set()
        self._work.set()
        if self._thread is not None:
            self._thread.join(CLOSING)
        self.engine.dispose()

    def log(
        self,
        decision: Decision | PassDecision,
        game_id: str,
        hand: int | None = None,
        owner_id: int | None = None,
    ) -> list[str]:
        """Log a decision with a game of an API key; returns warnings for the client."""
        if not is_id(game_id):
            return [_not_kept(store.no_such_game(game_id))]
        entry = store.entry_of(decision, game_id, hand)
        entry["owner_id"] = owner_id
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
        """Log a decision of a live table; a repeated decision has the same `uid`."""
        self._keep(store.entry_of(decision, table_id, hand, uid))

    def _question(self, entry: store.DecisionEntry) -> _Question | None:
        """The question whether the game accepts a decision; None for a known game."""
        with self._lock:
            if _game_key(entry) in self._games:
                return None
            return self._questions.setdefault(entry["uid"], _Question())

    def _keep(self, entry: store.DecisionEntry) -> list[str]:
        """Queue a decision for the thread; returns warnings."""
        problem = self.problem
        warnings = self._put(entry, problem)
        self._work.set()
        self.start()
        return warnings

    def _put(self, entry: store.DecisionEntry, problem: str | None) -> list[str]:
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
        """Write all queued decisions to the database; after a failure they stay queued."""
        self._asked_at = time.monotonic()
        try:
            if self._fault:
                with self.engine.connect() as connection:
                    connection.execute(text("SELECT 1"))
            while self._memory:
                self._write([self._memory[0]])
                self._memory.popleft()
            written = self.spool.empty(self._write)
        except Exception as error:  # the thread must survive any error
            self._note_failure(error)
        else:
            if self._fault:
                log.warning("the database answers again", decisions=written)
            self._fault = None
        finally:
            self._asked_at = None

    def _write(self, entries: Sequence[store.DecisionEntry]) -> None:
        """Write decisions; one that cannot be stored at all is rejected."""
        try:
            with writing(self.engine) as connection:
                refused = store.write(connection, entries)
        except Exception as error:
            if not _is_invalid_entry(error):
                raise
            if len(entries) == 1:
                reason = f"it does not fit the database ({type(error).__name__})"
                self._answer(entries, {entries[0]["uid"]: reason})
            for entry in entries if len(entries) > 1 else ():
                self._write([entry])
        else:
            self._asked_at = time.monotonic()  # the database answers
            self._answer(entries, refused)

    def _answer(self, entries: Sequence[store.DecisionEntry], refused: Mapping[str, str]) -> None:
        """Answer pending questions; rejected entries without a question go to a file."""
        unanswered = []
        with self._lock:
            for entry in entries:
                why_not = refused.get(entry["uid"])
                if question := self._questions.get(entry["uid"]):
                    question.why_not = why_not
                    question.answered.set()
                elif why_not:
                    unanswered.append(entry)
                if why_not:
                    self._games.pop(_game_key(entry), None)
                elif not entry.get("of_table"):
                    self._games[_game_key(entry)] = None
            while len(self._games) > REMEMBERED:
                self._games.popitem(last=False)
        for entry in unanswered:
            file = self.spool.add_reject(entry)
            reason = refused[entry["uid"]]
            log.warning("a decision is not kept", uid=entry["uid"], reason=reason, file=file)

    def _note_failure(self, error: Exception) -> None:
        fault = type(error).__name__
        if not isinstance(error, SQLAlchemyError):
            log.exception("decisions cannot be logged")
        elif self._fault is None:
            log.error("decisions cannot be logged", reason=fault)
        unknown = f"the database does not answer ({fault})"
        self._fault = problem_of(error) if isinstance(error, SQLAlchemyError) else unknown


def _game_key(entry: store.DecisionEntry) -> tuple[str, int | None]:
    return entry.get("game_id", ""), entry.get("owner_id")


def _is_invalid_entry(error: Exception) -> bool:
    """Whether the entry is at fault, as that of another version may be, and not the database."""
    if isinstance(error, DBAPIError):
        return isinstance(error, DataError | IntegrityError)
    unfit = StatementError | ArithmeticError | LookupError | TypeError | ValueError
    return isinstance(error, unfit)


def _not_kept(reason: str) -> str:
    return f"game_id: {reason}: the decision is not kept"

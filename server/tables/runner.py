"""Our seats at the tables: threads that think and move wherever it is an engine's turn.

A table is attended when somebody moves or looks, and all open ones when the service starts; one
without people is left alone once nobody has looked at it for a while, until somebody does. One
thread at a time moves at a table; it thinks without holding the table, in a slot like every other
search, and knows nothing but the view of the seat. The seed of a decision is a function of the
table's secret and the place of the decision, so that a service that was stopped goes on as it would
have.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import Any

import structlog

from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.engine.decision import Decision
from hearts.engine.explain import explain
from hearts.engine.passing.choose import choose_pass
from hearts.engine.passing.decision import PassDecision
from hearts.game.cards import CardSet, bit, count, highest, name, names
from hearts.game.deal import past_hands
from hearts.players.cautious import CautiousPlayer
from hearts.views.view import View
from server.games.state_machine import HAND_OVER, PASSING, PLAYING
from server.runtime.errors import ApiError, Busy, Conflict
from server.runtime.metrics import Metrics
from server.search.admission import Slots
from server.storage import games as store
from server.storage.events import Event
from server.storage.writer import Decisions
from server.tables.registry import Hall, Live, next_hand
from server.tables.setup import SeatSetup
from server.tables.table import Table

MOST_TABLES = 200  # without people that are attended at the same time
UNWATCHED = 300.0  # seconds after which a table without people that nobody looks at is left alone
MOST_HANDS = 200  # of a table without people: bonuses may keep a match from ever ending
RETRY = 1.0  # seconds after which a table is tried again that could not be moved at
CLOSING = 5.0  # seconds that moves have to end in when the service stops
ENDPOINT = "/api/tables"  # under which metrics count the searches
PASS = 52  # the number of the pass among the decisions of a hand; cards are 0 … 51

log = structlog.stdlib.get_logger("hearts.tables")
_rules_of_thumb = CautiousPlayer()


def decision_seed(secret: str, hand: int, number: int, seat: int) -> int:
    """The seed of one decision: nobody without the secret can know it."""
    text = f"{secret}|{hand}|{number}|{seat}"
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")


def decision_uid(table_id: str, hand: int, number: int, seat: int) -> str:
    """What names one decision in the log, however often it is made."""
    return sha256(f"{table_id}|{hand}|{number}|{seat}".encode()).hexdigest()[:32]


class Runner:
    """Threads that move for our seats; they begin when the first table needs them."""

    def __init__(self, hall: Hall, slots: Slots, metrics: Metrics, decisions: Decisions) -> None:
        self.hall, self.slots, self.metrics, self.decisions = hall, slots, metrics, decisions
        self.closing = False
        self._threads: list[threading.Thread] = []
        self._changed = threading.Condition()  # for the five below
        self._queue: list[tuple[float, str]] = []  # when, which table; as `heapq` keeps it
        self._due: dict[str, float] = {}  # the one entry of a table in the queue that counts
        self._busy: set[str] = set()  # tables at which a thread is
        self._again: set[str] = set()  # of these, those that are to be looked at again
        self._seen: dict[str, float] = {}  # tables without people: when somebody looked last

    def attend(self, live: Live) -> None:
        """Go to a table, if it is our turn there."""
        if self._due_at(live) is None:
            return
        with self._changed:
            if not live.table.seated:
                self._seen[live.table.id] = time.monotonic()
            if live.table.id in self._busy:
                self._again.add(live.table.id)
            else:
                self._enter(live.table.id, 0.0)
            self._begin()

    def check_load(self) -> None:
        """Refuse a new table without people where too many play on by themselves already."""
        if len(self._seen) >= MOST_TABLES:
            message = f"{MOST_TABLES} tables without people are being played: try again"
            raise Busy(message, retry_after=5)

    def start(self) -> None:
        """Go on with what an earlier process has begun, in the background."""
        threading.Thread(target=self.resume, name="resume", daemon=True).start()

    def resume(self) -> None:
        """Attend every open table; one that cannot be is attended when somebody looks at it."""
        try:
            with self.hall.engine.connect() as connection:
                tables = store.open_tables(connection)
        except Exception as error:  # /readyz tells of a database that is not there
            log.warning("tables are not resumed", error=_where(error))
            return
        for table_id in tables:
            try:
                self.attend(self.hall.find(table_id))
            except Exception as error:  # the others are none the worse for it
                log.warning("a table is not resumed", table=table_id, error=_where(error))

    def close(self) -> None:
        """Let the threads end after the moves that they are at."""
        with self._changed:
            self.closing = True
            self._changed.notify_all()
        until = time.monotonic() + CLOSING
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _begin(self) -> None:
        """Start the threads in the process that needs them; `_changed` is held."""
        if not self._threads:
            self._threads = [
                threading.Thread(target=self._work, name=f"tables-{i}", daemon=True)
                for i in range(self.slots.size)
            ]
            for thread in self._threads:
                thread.start()

    def _enter(self, table_id: str, delay: float) -> None:
        due = time.monotonic() + delay
        if due < self._due.get(table_id, float("inf")):
            self._due[table_id] = due
            heapq.heappush(self._queue, (due, table_id))
            self._changed.notify()

    def _work(self) -> None:
        while (table_id := self._next()) is not None:
            delay: float | None = RETRY
            try:
                delay = self._move(table_id)
            except ApiError:
                delay = None  # there is no such table any more
            except Exception as error:
                log.warning("a table cannot be moved at", table=table_id, error=_where(error))
            with self._changed:
                self._busy.discard(table_id)
                if table_id in self._again:
                    self._again.discard(table_id)
                    self._enter(table_id, 0.0)
                elif delay is not None and not self._is_left(table_id):
                    self._enter(table_id, delay)
                else:
                    self._seen.pop(table_id, None)

    def _is_left(self, table_id: str) -> bool:
        """Whether nobody has looked at a table for so long that it is left alone."""
        seen = self._seen.get(table_id)
        return seen is not None and time.monotonic() - seen > UNWATCHED

    def _next(self) -> str | None:
        """The next table whose time has come; None when the service stops."""
        with self._changed:
            while not self.closing:
                left = self._queue[0][0] - time.monotonic() if self._queue else None
                if left is not None and left <= 0:
                    due, table_id = heapq.heappop(self._queue)
                    if self._due.get(table_id) == due:  # otherwise it was brought forward
                        del self._due[table_id]
                        self._busy.add(table_id)
                        return table_id
                else:
                    self._changed.wait(left)
        return None

    def _move(self, table_id: str) -> float | None:
        """Move once; the seconds until the next look, None where it is not our turn."""
        live = self.hall.find(table_id)
        move = self._due_at(live)
        if move is None:
            return None
        pace = live.setup.pace_ms / 1000 - (time.monotonic() - live.moved_at)
        if pace > 0:
            return pace
        with suppress(Conflict):  # somebody else has moved: the next look sees what is due then
            move()
        return live.setup.pace_ms / 1000

    def _due_at(self, live: Live) -> Callable[[], object] | None:
        """What is ours to do at a table."""
        table = live.table
        if not table.seated and table.claimable:
            return lambda: self.hall.act(live, lambda now: now.claim(None))
        if not table.seated and table.phase == HAND_OVER and len(table.done) < MOST_HANDS:
            return lambda: self.hall.act(live, next_hand)
        if table.phase not in (PASSING, PLAYING):
            return None
        ours = [s for s in table.current.waiting_for if not table.players[s].is_human]
        return (lambda: self._decide(live, table, ours[0])) if ours else None

    def _decide(self, live: Live, table: Table, seat: int) -> None:
        """Think for a seat, and move."""
        hand = table.current
        number = PASS if hand.deal.passing else sum(1 for _ in hand.deal.plays)
        earlier = past_hands([each.deal for each in table.done])
        view = View.of(hand.deal, seat, hand.scores, earlier, checked=False)
        seed = decision_seed(live.setup.secret, hand.number, number, seat)
        place = {"table": table.id, "hand": hand.number, "number": number, "seat": seat}
        decision = self._think(view, live.setup.seats[seat], seed, place)
        cards = _by_rule(view) if decision is None else _chosen(decision)

        def move(now: Table) -> list[Event]:
            if now.current.number != hand.number:
                raise Conflict("the hand is over")
            return now.give(seat, cards) if view.passing else now.play(seat, highest(cards))

        if decision is not None and table.open:
            live.thoughts.append(_thought(decision))
        if decision is not None:  # logged first: a service that is killed decides the same again
            uid = decision_uid(table.id, hand.number, number, seat)
            self.decisions.log_of_table(decision, table.id, hand.number, uid)
        self.hall.act(live, move)

    def _think(
        self, view: View, seat: SeatSetup, seed: int, place: dict[str, Any]
    ) -> Decision | PassDecision | None:
        """What a search decides; None where it fails, which never costs the others their table."""
        try:
            assert seat.config is not None
            config = replace(seat.config, seed=seed)
            if not view.passing and count(view.legal) == 1:
                return decide(view, config)
            with self.slots.taken(patient=True) as slot:
                config = replace(config, threads=seat.threads or slot.threads)
                return self._search(view, config, slot.stop)
        except Exception as error:
            log.warning("a search failed: rules of thumb decide", **place, error=_where(error))
            return None

    def _search(self, view: View, config: SearchConfig, stop: Any) -> Decision | PassDecision:
        decision: Decision | PassDecision
        if view.passing:
            decision = choose_pass(view, config, stop=stop)
        else:
            decision = decide(view, config, stop=stop)
        self.metrics.count_search(ENDPOINT, decision.seconds, decision.simulations)
        return decision


def _by_rule(view: View) -> CardSet:
    """What rules of thumb say."""
    if view.passing:
        return _rules_of_thumb.choose_pass(view, 0)
    return bit(_rules_of_thumb.choose_card(view, 0))


def _chosen(decision: Decision | PassDecision) -> CardSet:
    return decision.cards if isinstance(decision, PassDecision) else bit(decision.card)


def _thought(decision: Decision | PassDecision) -> dict[str, Any]:
    """A decision as an open table shows it."""
    if isinstance(decision, PassDecision):
        tried = [each.as_object() for each in decision.candidates if each.playouts]
        what: dict[str, Any] = {"card": None, "cards": names(decision.cards), "explanation": ""}
    else:
        tried = [move.as_object() for move in decision.cards]
        card = name(decision.card)
        what = {"card": card, "cards": [card], "explanation": explain(decision)}
    return {"player": decision.view.seat, **what, "analysis": tried}


def _where(error: Exception) -> str:
    """The kind of an error and the place where it was raised: its message may tell of cards."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "" if trace is None else f" at {trace.tb_frame.f_code.co_name}:{trace.tb_lineno}"
    return f"{type(error).__name__}{place}"

"""Moves of the engine at live tables.

A search knows only the view of its seat. Its seed is a function of the table's secret and of the
place of the decision, so that a restarted service decides as it would have.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

import structlog

from hearts.engine.decide import decide
from hearts.engine.decision import Decision
from hearts.engine.passing.choose import choose_pass
from hearts.engine.passing.decision import PassDecision
from hearts.game.cards import CardSet, bit, count, highest
from hearts.game.deal import past_hands
from hearts.players.cautious import CautiousPlayer
from hearts.views.view import View
from server.runtime.errors import Conflict
from server.runtime.metrics import Metrics
from server.search.admission import Slot, Slots
from server.storage.decision_log.log import DecisionLog
from server.storage.events import Event
from server.tables.leases import Lease
from server.tables.pacing import Kind, Pacing, Usual
from server.tables.registry import TableRegistry
from server.tables.session import TableSession
from server.tables.setup import SeatSetup, Setup
from server.tables.steps import PASS, Step
from server.tables.table import Table
from server.tables.thoughts import thought_of

ENDPOINT = "/api/tables"  # the label of these searches in the metrics

log = structlog.stdlib.get_logger("hearts.tables")
_fallback = CautiousPlayer()


def decision_seed(secret: str, hand: int, number: int, seat: int) -> int:
    """The seed of a decision, which nobody without the secret can compute."""
    text = f"{secret}|{hand}|{number}|{seat}"
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")


def decision_uid(table_id: str, hand: int, number: int, seat: int) -> str:
    """The id of a decision in the log, the same whenever it is repeated."""
    return sha256(f"{table_id}|{hand}|{number}|{seat}".encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Planned:
    """A move that is decided and not yet made."""

    step: Step
    cards: CardSet
    decision: Decision | PassDecision | None  # None: a rule-based move, since the search failed
    due: float  # when it is made, on the clock of time.monotonic
    cost: float  # that its creator is charged: seconds of all threads together
    lease: Lease


@dataclass(eq=False)
class Question:
    """A decision that a seat has to make."""

    view: View
    setup: Setup
    seat: SeatSetup
    seed: int
    lease: Lease
    turn_at: float  # when it became the seat's turn
    begun: float = field(default_factory=time.monotonic)  # when the search began
    due: float = 0.0  # when the move is made

    @property
    def is_forced(self) -> bool:
        """Whether there is only one legal card."""
        return not self.view.passing and count(self.view.legal) == 1

    @property
    def kind(self) -> Kind:
        """Which searches take about as long."""
        return Kind.of(self.seat, passing=self.view.passing)


class EngineMoves:
    """Searches and plays the moves of the engine's seats."""

    def __init__(
        self,
        tables: TableRegistry,
        slots: Slots,
        metrics: Metrics,
        decisions: DecisionLog,
        pacing: Pacing,
    ) -> None:
        self.tables, self.slots, self.metrics, self.decisions = tables, slots, metrics, decisions
        self.pacing = pacing

    def plan(self, session: TableSession, table: Table, step: Step, lease: Lease) -> Planned | None:
        """Search a move, and log the decision; None if the lease ended meanwhile."""
        hand, seat, setup = table.current, step.seat, session.setup
        earlier = past_hands([each.deal for each in table.done])
        view = View.of(hand.deal, seat, hand.scores, earlier, checked=False)
        seed = decision_seed(setup.secret, hand.number, step.number, seat)
        place = {"table": table.id, "hand": hand.number, "number": step.number, "seat": seat}
        asked = Question(view, setup, setup.seats[seat], seed, lease, session.updated_at)
        usual = self.pacing.usual(table.id, hand.number, setup, asked.kind)
        decision = self.search(asked, usual, place)
        if lease.is_over:  # it may have stopped the search; the next driver decides
            return None
        cost = usual.cost if setup.hides_timing else cost_of(decision)
        if decision is None:
            return Planned(step, _fallback_cards(view), None, asked.due, cost, lease)
        # Logged before it is played: a killed service decides it again.
        uid = decision_uid(table.id, hand.number, step.number, seat)
        self.decisions.log_of_table(decision, table.id, hand.number, uid)
        return Planned(step, _chosen(decision), decision, asked.due, cost, lease)

    def make(self, session: TableSession, planned: Planned, lease: Lease) -> None:
        """Play a planned move."""
        step, cards = planned.step, planned.cards

        def move(now: Table) -> list[Event]:
            if now.current.number != step.hand:
                raise Conflict("the hand is over")
            is_pass = step.number == PASS
            return now.give(step.seat, cards) if is_pass else now.play(step.seat, highest(cards))

        with session.changing():
            self.tables.act(session, move, lease)
            if planned.decision is not None and session.table.open:
                session.thoughts.append(thought_of(planned.decision))

    def search(
        self, asked: Question, usual: Usual, place: Mapping[str, object]
    ) -> Decision | PassDecision | None:
        """The decision of a search; None if it fails, so that the table can go on without it.

        It ends early if the lease is lost, or if the move is due.
        """
        self._draw(asked, usual)
        try:
            if asked.is_forced and not asked.setup.hides_timing:
                return self._decide(asked)
            with self.slots.taken(background=True) as slot:
                asked.begun = time.monotonic()
                self._draw(asked, usual)
                latest = self.pacing.deadline(asked.setup, asked.due, asked.begun)
                slot.deadline = min(slot.deadline, latest)
                asked.lease.watch(slot.stop)
                return self._decide(asked, slot)
        except Exception as error:
            log.warning("search failed: a rule-based move is played", **place, error=where(error))
            return None

    def _draw(self, asked: Question, usual: Usual) -> None:
        asked.due = self.pacing.draw(asked.setup, usual, asked.turn_at, asked.begun)

    def _decide(self, asked: Question, slot: Slot | None = None) -> Decision | PassDecision:
        assert asked.seat.config is not None
        config, view = replace(asked.seat.config, seed=asked.seed), asked.view
        if slot is None or asked.is_forced:
            return decide(view, config)
        config = replace(config, threads=asked.seat.threads or slot.threads)
        choose: Callable[..., Decision | PassDecision] = choose_pass if view.passing else decide
        decision = choose(view, config, stop=slot.stop)
        self.metrics.count_search(ENDPOINT, decision.seconds, decision.simulations)
        self.pacing.note(asked.kind, time.monotonic() - asked.begun, cost_of(decision))
        return decision


def cost_of(decision: Decision | PassDecision | None) -> float:
    """The seconds of all threads that searched."""
    return 0.0 if decision is None else decision.seconds * decision.config.threads


def _fallback_cards(view: View) -> CardSet:
    """The card or the pass of a rule-based player."""
    if view.passing:
        return _fallback.choose_pass(view, 0)
    return bit(_fallback.choose_card(view, 0))


def _chosen(decision: Decision | PassDecision) -> CardSet:
    return decision.cards if isinstance(decision, PassDecision) else bit(decision.card)


def where(error: Exception) -> str:
    """The class of an error and where it was raised, without its message, which may name cards."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "" if trace is None else f" at {trace.tb_frame.f_code.co_name}:{trace.tb_lineno}"
    return f"{type(error).__name__}{place}"

"""The event state machine that posted games and live tables share.

A `GameState` never changes: `after` checks an event against the rules and returns the state that
follows it. This module knows no database, no web framework and no clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce

from hearts.game.cards import RANKS, SEATS
from hearts.game.deal import Deal
from hearts.game.errors import IllegalMove, InvalidCard
from hearts.game.rules import MoonScoring, Rules
from hearts.game.scoring import Points, points_of
from server.runtime.errors import Conflict, RejectedMove
from server.storage.events import ClaimEvent, DealEvent, Event, PassEvent, PlayEvent

PASSING, PLAYING, HAND_OVER, FINISHED = ("passing", "playing", "hand_over", "finished")
NO_POINTS: Points = (0,) * SEATS


@dataclass(frozen=True)
class HandState:
    """One hand after some of its events."""

    number: int  # from 0
    deal: Deal
    scores: Points  # of the game before this hand
    final_points: Points | None = None  # of the finished hand, moon included

    @property
    def finished(self) -> bool:
        """Whether all cards are played."""
        return self.deal.finished

    @property
    def waiting_for(self) -> list[int]:
        """The seats that are to move."""
        if self.deal.passing:
            return [seat for seat in range(SEATS) if not self.deal.passes[seat]]
        return [] if self.deal.turn is None else [self.deal.turn]


@dataclass(frozen=True)
class GameState:
    """A game after some of its events."""

    rules: Rules
    target_score: int | None  # None: the first hand ends the game
    scores: Points = NO_POINTS  # of the finished hands
    hand: HandState | None = None  # the last one that was dealt

    @property
    def phase(self) -> str:
        """Which events may come next: passes, plays, a deal, or none."""
        if self.hand is None or self.hand.finished:
            return FINISHED if self._has_ended else HAND_OVER
        return PASSING if self.hand.deal.passing else PLAYING

    @property
    def current(self) -> HandState:
        """The last hand that was dealt; raises RejectedMove before the first deal."""
        if self.hand is None:
            raise RejectedMove("no hand has been dealt yet", field="kind")
        return self.hand

    @property
    def next_hand(self) -> int:
        """The number of the hand that the next deal begins."""
        return 0 if self.hand is None else self.hand.number + 1

    def after(self, event: Event) -> GameState:
        """The state after an event; raises RejectedMove or Conflict where it cannot be next."""
        if isinstance(event, DealEvent):
            return self._dealt(event)
        hand = self.current
        self.check_hand(event.kind, event.hand)
        if isinstance(event, PassEvent):
            with _by_rules():
                deal = hand.deal.give(event.seat, event.cards)
            return self._with(replace(hand, deal=deal))
        if isinstance(event, PlayEvent):
            return self._played(hand, event)
        assert isinstance(event, ClaimEvent)  # it announces plays, and changes nothing by itself
        return self

    def after_all(self, events: Iterable[Event]) -> GameState:
        """The state after some events."""
        return reduce(GameState.after, events, self)

    def check_hand(self, kind: str, number: int) -> None:
        """Raise Conflict unless the next event of a kind belongs to hand `number`."""
        expected = self.next_hand - (kind != DealEvent.kind)
        if number != expected:
            raise Conflict(f"{number}: the next {kind} belongs to hand {expected}", field="hand")

    def check_deal(self) -> None:
        """Raise RejectedMove while a hand is in play."""
        if self.hand is not None and not self.hand.finished:
            left = SEATS * RANKS - sum(1 for _ in self.hand.deal.plays)
            reason = f"hand {self.hand.number} is not over: {left} cards are still to be played"
            raise RejectedMove(reason, field="kind")

    @property
    def _has_ended(self) -> bool:
        """Whether the finished hands have ended the game."""
        if self.target_score is None:
            return self.hand is not None
        return max(self.scores) >= self.target_score

    def _dealt(self, event: DealEvent) -> GameState:
        self.check_hand(event.kind, event.hand)
        self.check_deal()
        try:
            deal = Deal.of(self.rules, event.dealt, event.direction, event.leader or 0)
        except InvalidCard as error:
            raise RejectedMove(error.reason, field=error.field) from None
        if self.phase == FINISHED:
            raise Conflict("the game is over")
        return self._with(HandState(event.hand, deal, self.scores))

    def _played(self, hand: HandState, event: PlayEvent) -> GameState:
        with _by_rules():
            deal = hand.deal.play(event.card, event.seat)
        _check_points(deal, event.points)
        if not deal.finished:
            return self._with(replace(hand, deal=deal))
        points = event.points or points_of(deal, hand.scores)
        scores = tuple(a + b for a, b in zip(self.scores, points, strict=True))
        return replace(self._with(replace(hand, deal=deal, final_points=points)), scores=scores)

    def _with(self, hand: HandState) -> GameState:
        return replace(self, hand=hand)


@contextmanager
def _by_rules() -> Iterator[None]:
    """Reject a move that the rules of the game forbid."""
    try:
        yield
    except IllegalMove as error:
        raise RejectedMove(str(error)) from None


def _check_points(deal: Deal, points: Points | None) -> None:
    """Raise RejectedMove where a play states points that the hand does not have."""
    if points is None:
        return
    if not deal.finished:
        raise RejectedMove("allowed only with the last card of a hand", field="points")
    possible = [deal.final_points(), deal.final_points(MoonScoring.SHOOTER_SUBTRACTS)]
    if points not in possible:
        reason = f"{list(points)} are given, {list(possible[0])} is right"
        raise RejectedMove(reason, field="points")

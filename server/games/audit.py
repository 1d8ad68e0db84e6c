"""Audits logged decisions: compares their views with what their seats saw, replayed from events.

At a live table both are equal. A client that asks for moves of its own game may have sent less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from sqlalchemy import Engine

from hearts.game.cards import SEATS, CardSet, names, set_of
from hearts.game.deal import Deal, moments, past_hands
from hearts.views.view import View
from server.storage.decisions import DecisionRow, decisions
from server.storage.games import reading
from server.storage.hands import hands
from server.storage.results import NO_POINTS
from server.storage.values import HandRow

SAME = "exactly what its seat saw"
MORE = "MORE than its seat saw"
LESS = "no more than its seat saw"
UNKNOWN = "the stored game does not reach the decision"


@dataclass(frozen=True)
class Comparison:
    """A decision, and how its view compares with what its seat saw."""

    decision: DecisionRow
    verdict: str
    surplus: CardSet = 0  # cards of the view that its seat could not know

    @property
    def is_fair(self) -> bool:
        """Whether the view has no card that its seat could not know."""
        return not self.surplus


def audit(engine: Engine, game_id: str) -> Iterator[Comparison]:
    """Compare every decision of a game, the oldest first."""
    with reading(engine) as connection:
        kept = hands(connection, [game_id])
        logged = decisions(connection, game_id=game_id, limit=None)
    for row in reversed(logged):
        yield compared(row, kept)


def compared(row: DecisionRow, kept: Sequence[HandRow]) -> Comparison:
    """Compare a decision with the stored hands of its game."""
    seen = _seen(row, kept)
    if seen is None:
        return Comparison(row, UNKNOWN)
    if seen.fingerprint == row.view.fingerprint:
        return Comparison(row, SAME)
    surplus = _surplus(row.view, seen)
    if not surplus:
        return Comparison(row, LESS)
    return Comparison(row, f"{MORE}: {' '.join(names(surplus))}", surplus)


def _seen(row: DecisionRow, kept: Sequence[HandRow]) -> View | None:
    """What the seat of a decision saw; None if the events do not reach the decision."""
    if row.hand is None or row.hand >= len(kept):
        return None
    before, hand = kept[: row.hand], kept[row.hand]
    points = (each.record.points or NO_POINTS for each in before)
    scores = tuple(sum(each) for each in zip(NO_POINTS, *points, strict=True))
    earlier = past_hands([each.record.deal for each in before])
    for deal in _positions(hand.record.deal):
        number = None if deal.passing else sum(1 for _ in deal.plays)
        if number == row.number and (deal.passing or deal.turn == row.seat):
            return View.of(deal, row.seat, scores, earlier, checked=False)
    return None


def _positions(deal: Deal) -> Iterator[Deal]:
    """A hand before each of its decisions, and as it is now."""
    return chain((before for before, _, _ in moments(deal)), [deal])


def _surplus(view: View, seen: View) -> CardSet:
    """The cards of a view that a seat could not know from `seen`."""
    played = set_of(card for trick in (*view.tricks, view.trick) for card in trick.cards)
    won = view.won or (0,) * SEATS
    return (
        view.hand & ~seen.hand
        | view.passed & ~seen.passed
        | view.received & ~seen.received
        | (played | won[0] | won[1] | won[2] | won[3]) & ~seen.played
    )

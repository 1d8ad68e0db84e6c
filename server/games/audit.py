"""Logged decisions held against their games: nobody was shown more than a seat could see.

What a seat saw at the moment of a decision is replayed from the game's own events. At a live table
the view that was logged is just that; who asks for moves of a game elsewhere may have sent less.
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

SAME = "just what its seat saw"
LESS = "no more than its seat saw"
UNKNOWN = "the game does not come so far"


@dataclass(frozen=True)
class Finding:
    """What a logged view is beside what its seat saw."""

    decision: DecisionRow
    says: str
    more: CardSet = 0  # cards that the seat could not know to be where the view has them

    @property
    def is_fair(self) -> bool:
        """Whether the decision was made from what its seat could see."""
        return not self.more


def audit(engine: Engine, game_id: str) -> Iterator[Finding]:
    """Every decision of a game, the oldest first."""
    with reading(engine) as connection:
        kept = hands(connection, [game_id])
        logged = decisions(connection, game_id=game_id, limit=None)
    for row in reversed(logged):
        yield compared(row, kept)


def compared(row: DecisionRow, kept: Sequence[HandRow]) -> Finding:
    """One decision beside the hands of its game."""
    seen = _seen(row, kept)
    if seen is None:
        return Finding(row, UNKNOWN)
    if seen.fingerprint == row.view.fingerprint:
        return Finding(row, SAME)
    more = _more(row.view, seen)
    return Finding(row, f"MORE than its seat saw: {' '.join(names(more))}" if more else LESS, more)


def _seen(row: DecisionRow, kept: Sequence[HandRow]) -> View | None:
    """What the seat of a decision saw; None where the events do not show the moment."""
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
    """A hand before each of its choices, and as it is now."""
    return chain((before for before, _, _ in moments(deal)), [deal])


def _more(view: View, seen: View) -> CardSet:
    """The cards of a view that somebody who saw `seen` could not know to be there."""
    played = set_of(card for trick in (*view.tricks, view.trick) for card in trick.cards)
    won = view.won or (0,) * SEATS
    return (
        view.hand & ~seen.hand
        | view.passed & ~seen.passed
        | view.received & ~seen.received
        | (played | won[0] | won[1] | won[2] | won[3]) & ~seen.played
    )

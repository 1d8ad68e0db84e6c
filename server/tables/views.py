"""Views of a table: for everybody, for one seat, and of an open table with all cards.

Of a hand in play only `_HandView` and `_game_state` read hidden cards, each for one seat. A
finished hand has nothing to hide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from hearts.game.cards import RANKS, SEATS, Card, CardSet, bit, count, members, name, names
from hearts.game.deal import Deal
from hearts.game.legality import why_illegal
from hearts.game.records import Record
from hearts.game.rules import PassDirection, points_in
from hearts.views.codec import encode_state, encode_trick
from hearts.views.view import View
from server.games.events.state_machine import FINISHED
from server.tables.table import Hand, Table

JsonObject: TypeAlias = dict[str, object]
SOURCE = "table"  # of records
NO_TRICK: JsonObject = {"lead_player": None, "cards": []}  # while nobody is to play


def view_of(
    table: Table,
    seat: int | None,
    thoughts: Sequence[JsonObject] = (),
    since: int | None = None,
) -> JsonObject:
    """The table as a seat sees it; None: as everybody does.

    With `since`, the version that a client has, only hands that finished later are in `hands`.
    """
    hand, done = table.current, table.done_since(since)
    return {
        **summary_of(table),
        "seat": seat,
        "rules": table.rules.as_object(),
        "rules_mask": table.rules.mask,
        "hands": [_finished(table, each) for each in done],
        "hands_before": len(table.done) - len(done),
        "hand": _HandView(table, hand, seat).as_object(thoughts),
        "game_state": None if seat is None or hand.finished else _game_state(hand, seat),
        "result": _result(table),
    }


def summary_of(table: Table) -> JsonObject:
    """The facts of a table that everybody may know, for lists."""
    return {
        "table_id": table.id,
        "name": table.name,
        "version": table.version,
        "phase": table.phase,
        "open": table.open,
        "private": table.private,
        "seeded": table.seed is not None,
        "pace_ms": table.pace_ms,
        "target_score": table.rules.target_score,
        "players": [
            {
                "seat": seat,
                "kind": player.kind,
                "name": player.name,
                "level": player.level,
                "joined": player.joined,
            }
            for seat, player in enumerate(table.players)
        ],
        "scores": list(table.current.scores),
        "totals": list(table.match.scores),
    }


def opening_of(table: Table, hand: Hand) -> JsonObject:
    """The opening of the commitment of a finished hand."""
    dealt = [names(cards) for cards in hand.deal.dealt]
    return {"table_id": table.id, "hand": hand.number, "dealt": dealt, "nonce": hand.nonce}


def _finished(table: Table, hand: Hand) -> JsonObject:
    """A finished hand, with all cards."""
    record = Record(hand.deal, f"{table.id}-{hand.number}", SOURCE, hand.points)
    return {
        "number": hand.number,
        "pass_direction": hand.deal.direction.label,
        "points": list(hand.points),
        "shooter": hand.deal.shooter,
        "claimed_by": hand.claimed_by,
        "commitment": hand.commitment,
        "opening": opening_of(table, hand),
        "record": record.as_object(),
    }


def _game_state(hand: Hand, seat: int) -> JsonObject:
    """The `game_state` by which a seat can ask for a move or a hint."""
    return encode_state(_view(hand, seat))


def _view(hand: Hand, seat: int) -> View:
    return View.of(hand.deal, seat, hand.scores, checked=False)


def _result(table: Table) -> JsonObject | None:
    if table.phase != FINISHED:
        return None
    return {"ranking": list(table.match.ranking), "winners": list(table.match.winners)}


class _HandView:
    """One hand as one seat sees it."""

    def __init__(self, table: Table, hand: Hand, seat: int | None) -> None:
        self.table, self.hand, self.deal, self.seat = table, hand, hand.deal, seat

    def as_object(self, thoughts: Sequence[JsonObject]) -> JsonObject:
        """The hand as JSON."""
        hand, deal = self.hand, self.deal
        own = 0 if self.seat is None else deal.hands[self.seat]
        legal = deal.legal if self.seat is not None and deal.turn == self.seat else 0
        return {
            "number": hand.number,
            "pass_direction": deal.direction.label,
            "commitment": hand.commitment,
            "turn": deal.turn,
            "waiting_for": hand.waiting_for,
            "counts": [count(cards) for cards in deal.hands],
            "cards": names(own),
            "legal": names(legal),
            "illegal": {name(card): self._why_not(card) for card in members(own & ~legal)},
            **self._exchange(),
            "trick": encode_trick(deal.trick) if deal.turn is not None else NO_TRICK,
            "tricks": [
                encode_trick(trick) | {"points": points_in(deal.rules, trick.cards_set)}
                for trick in deal.tricks
            ],
            "points": list(deal.points),
            "hearts_broken": deal.broken,
            "tricks_left": RANKS - len(deal.tricks),
            "claimable": self.table.claimable,
            "claimed_by": hand.claimed_by,
            "hands": self._hands(),
            "thoughts": list(thoughts) if self.table.open else None,
        }

    def _why_not(self, card: Card) -> str:
        """The reason why a card of the seat may not be played now."""
        deal, seat = self.deal, self.seat
        if deal.passing:
            return "cards are passed first"
        if deal.turn != seat or seat is None:
            return f"seat {deal.turn} is to play"
        return why_illegal(
            deal.rules, deal.hands[seat], card, deal.trick.led, first_trick=deal.first_trick
        )

    def _exchange(self) -> dict[str, list[str] | None]:
        """The cards that the seat passed and received; null before the pass and without one."""
        if self.seat is None or self.deal.direction is PassDirection.HOLD:
            return {"passed": None, "received": None}
        view = _view(self.hand, self.seat)
        return {
            "passed": names(view.passed) or None,
            "received": names(view.received) or None,
        }

    def _hands(self) -> list[list[str]] | None:
        """All hands: as played with once the hand is finished, as held now at an open table."""
        if self.deal.finished:
            return [names(cards) for cards in played_with(self.deal)]
        return [names(cards) for cards in self.deal.hands] if self.table.open else None


def played_with(deal: Deal) -> list[CardSet]:
    """The cards that each seat has played so far."""
    held = [0] * SEATS
    for seat, card in deal.plays:
        held[seat] |= bit(card)
    return held

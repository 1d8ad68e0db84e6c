"""Stored games as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from hearts.game.cards import name
from hearts.game.records import Record
from server.games.access import Access, visible_hands
from server.games.records.exporting import shown_hands
from server.storage.listing import Listed
from server.storage.values import OPEN, TABLE, GameRow, HandRow


def listed_game(game: Listed) -> dict[str, object]:
    """A game in a list."""
    return {
        "game_id": game.id,
        "kind": game.kind,
        "source": game.source,
        "status": game.status,
        "events": game.events,
        "target_score": game.target_score,
        "players": [seat.player.as_object() for seat in game.seats],
        "hand_count": game.hands,
        "totals": list(game.totals),
        "created_at": game.created_at.isoformat(),
        "updated_at": _updated_at(game).isoformat(),
    }


def whole_game(game: GameRow, stored: Sequence[HandRow], access: Access) -> dict[str, object]:
    """A game with the hands that may be seen."""
    stored = visible_hands(access, stored)
    scored = [hand.record.points for hand in stored if hand.finished_at and hand.record.points]
    totals = tuple(sum(each) for each in zip(*scored, strict=True)) or (0,) * 4
    known = {key: getattr(game, key) for key in Listed.__dataclass_fields__ if hasattr(game, key)}
    facts = listed_game(Listed(**known, hands=len(stored), totals=totals))
    records = {each.hand.number: each.record for each in shown_hands(game, stored, access)}
    hands = [_hand(hand, records.get(hand.number)) for hand in stored]
    return facts | {"rules": game.rules.as_value(), "hands": hands}


def _hand(hand: HandRow, record: Record | None) -> dict[str, object]:
    """A hand; `record` is None while a table plays it."""
    deal = hand.record.deal
    return {
        "number": hand.number,
        "pass_direction": deal.direction.label,
        "plays": [
            # When a bot plays might tell something about its cards.
            {"player": seat, "card": name(card), "at": None if record is None else _iso(at)}
            for (seat, card), at in zip(deal.plays, hand.played_at, strict=True)
        ],
        "started_at": _iso(hand.started_at),
        "finished_at": _iso(hand.finished_at),
        "finished": hand.finished_at is not None,
        "points": None if hand.record.points is None else list(hand.record.points),
        "shooter": hand.shooter,
        "commitment": hand.commitment,
        "nonce": hand.nonce if hand.finished_at else None,
        "record": None if record is None else record.as_object(),
    }


def _updated_at(game: Listed) -> datetime:
    """When a game was changed; the minute, while a table plays: the time may tell of cards."""
    if game.kind != TABLE or game.status != OPEN:
        return game.updated_at
    return max(game.created_at, game.updated_at.replace(second=0, microsecond=0))


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()

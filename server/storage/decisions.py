"""Decisions of the engine, stored with all that is needed to repeat the search."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NotRequired, TypedDict

from sqlalchemy import Connection, Row, func, select

from hearts.engine.config import SearchConfig, canonical
from hearts.engine.decision import Decision
from hearts.engine.passing.decision import PassDecision
from hearts.game.cards import RANKS, SEATS, count, name, names
from hearts.views.view import View
from server import version
from server.storage.games import insert_new
from server.storage.results import update_decision_totals
from server.storage.schema import DECISIONS, GAMES, HANDS, RowValues
from server.storage.values import TABLE

_NO_COLUMN = ("of_table", "owner_id")  # fields of an entry for the writer alone
# The spool and the database call the statistics of moves `figures`.
_Statistics = TypedDict(  # noqa: UP013  # as a class it would need the retired name
    "_Statistics", {"figures": Sequence[Mapping[str, Any]]}
)


class DecisionEntry(_Statistics):
    """A decision as JSON, in the spool and on its way to the database."""

    uid: str
    of_table: NotRequired[bool]  # a live table logged it
    owner_id: NotRequired[int | None]  # the caller's API key; absent: logged by version 0.1
    game_id: str
    hand: int | None  # None: the hand that was in play then
    number: int | None  # of the play in its hand; None: a pass
    seat: int
    kind: str  # play or pass
    view: Mapping[str, Any]
    view_hash: str
    seed: str
    config: Mapping[str, Any]
    chosen: str  # a card, or three
    simulations: int
    worlds: int
    exact: bool
    ms: float
    version: str
    created_at: str  # ISO 8601


@dataclass(frozen=True)
class DecisionRow:
    """A stored decision."""

    id: int
    game_id: str
    hand: int | None
    number: int | None  # of the play in its hand; None: a pass
    seat: int
    kind: str  # play or pass
    view: View
    config: SearchConfig
    chosen: str  # a card, or three
    statistics: Sequence[Mapping[str, Any]]  # of each move, best first
    simulations: int
    worlds: int
    exact: bool
    ms: float
    version: str  # of the service that decided
    created_at: datetime


def entry_of(
    decision: Decision | PassDecision, game_id: str, hand: int | None, uid: str | None = None
) -> DecisionEntry:
    """The entry of a decision for a game; `hand` None: the hand that is in play.

    Only live tables give a `uid`, which names one of their decisions.
    """
    is_pass = isinstance(decision, PassDecision)
    view = decision.view
    return {
        "uid": uid or secrets.token_hex(16),
        "of_table": uid is not None,
        "game_id": game_id,
        "hand": hand,
        "number": None if is_pass else plays_before(view),
        "seat": view.seat,
        "kind": "pass" if is_pass else "play",
        "view": view.as_object(),
        "view_hash": view.fingerprint,
        "seed": str(decision.seed),
        "config": vars(decision.config),
        "chosen": chosen(decision),
        "figures": statistics_of(decision),
        "simulations": decision.simulations,
        "worlds": 0 if isinstance(decision, PassDecision) else decision.worlds,
        "exact": not isinstance(decision, PassDecision) and decision.exact,
        "ms": round(decision.seconds * 1000, 3),
        "version": version(),
        "created_at": datetime.now(UTC).isoformat(),
    }


def chosen(decision: Decision | PassDecision) -> str:
    """The card of a decision, or the three of a pass."""
    if isinstance(decision, PassDecision):
        return " ".join(names(decision.cards))
    return name(decision.card)


def statistics_of(decision: Decision | PassDecision) -> list[Mapping[str, Any]]:
    """The statistics of every card or triple that was searched, best first."""
    tried = decision.candidates if isinstance(decision, PassDecision) else decision.cards
    return [each.as_object() for each in tried]


def plays_before(view: View) -> int:
    """The number of cards played before a view, which may have a partial history."""
    left = count(view.hand) + view.trick.has_played(view.seat)
    return (RANKS - left) * SEATS + len(view.trick.cards)


def write(connection: Connection, entries: Iterable[DecisionEntry]) -> dict[str, str]:
    """Store decisions, each only once; returns the reasons for rejecting others, by uid."""
    entries = list(entries)
    games = {entry["game_id"] for entry in entries}
    # The lock orders this and a transaction that finishes a hand, so that totals miss no decision.
    columns = GAMES.c.id, GAMES.c.kind, GAMES.c.owner_id, GAMES.c.private
    known = select(*columns).where(GAMES.c.id.in_(games)).order_by(GAMES.c.id)
    found = {row.id: row for row in connection.execute(known.with_for_update())}
    reasons = {entry["uid"]: _why_not(entry, found.get(entry["game_id"])) for entry in entries}
    accepted = [entry for entry in entries if not reasons[entry["uid"]]]
    hands = [_hand_of(connection, entry) for entry in accepted]
    if accepted:
        values = [_values(*each) for each in zip(accepted, hands, strict=True)]
        connection.execute(insert_new(connection, DECISIONS), values)
    pairs = zip(accepted, hands, strict=True)
    for game_id, hand, seat in {(entry["game_id"], hand, entry["seat"]) for entry, hand in pairs}:
        if hand is not None:
            update_decision_totals(connection, game_id, hand, seat)
    return {uid: reason for uid, reason in reasons.items() if reason is not None}


def no_such_game(game_id: str) -> str:
    """The reason for rejecting a decision of an unknown game."""
    return f"there is no game {game_id[:40]!r}"


def decision(connection: Connection, number: int) -> DecisionRow | None:
    """The decision with an id."""
    row = connection.execute(select(DECISIONS).where(DECISIONS.c.id == number)).one_or_none()
    return None if row is None else _decision(row)


def decisions(
    connection: Connection, *, game_id: str | None = None, limit: int | None = 100
) -> list[DecisionRow]:
    """The newest decisions, of one game or of all, the newest first."""
    wanted = select(DECISIONS).order_by(DECISIONS.c.id.desc()).limit(limit)
    if game_id is not None:
        wanted = wanted.where(DECISIONS.c.game_id == game_id)
    return [_decision(row) for row in connection.execute(wanted)]


def games_with_decisions(connection: Connection) -> list[str]:
    """The ids of all games with decisions."""
    wanted = select(DECISIONS.c.game_id).distinct().order_by(DECISIONS.c.game_id)
    return list(connection.scalars(wanted))


def _why_not(entry: DecisionEntry, game: Any) -> str | None:
    """The reason for rejecting a decision, or None; `game` is the row of its game, or None."""
    if game is None:
        return no_such_game(entry["game_id"])
    if entry.get("of_table"):
        return None
    is_owner = entry.get("owner_id", game.owner_id) == game.owner_id
    if game.kind == TABLE and (not game.private or (is_owner and game.owner_id is not None)):
        return f"{game.id!r} is a live table, which logs its own decisions"
    # A private table or a game of somebody else is rejected as if it did not exist.
    return None if is_owner and game.kind != TABLE else no_such_game(game.id)


def _hand_of(connection: Connection, entry: DecisionEntry) -> int | None:
    """The hand of a decision; hands that were dealt while it was in the spool do not count."""
    if entry["hand"] is not None:
        return entry["hand"]
    at = datetime.fromisoformat(entry["created_at"])
    begun = (HANDS.c.game_id == entry["game_id"]) & (HANDS.c.started_at <= at)
    latest: int | None = connection.scalar(select(func.max(HANDS.c.number)).where(begun))
    return latest


def _values(entry: DecisionEntry, hand: int | None) -> RowValues:
    values = {key: value for key, value in entry.items() if key not in _NO_COLUMN}
    at = datetime.fromisoformat(entry["created_at"])
    config = canonical(entry["config"])  # an earlier version may have written the spool
    return {**values, "hand": hand, "config": config, "created_at": at}


def _decision(row: Row[Any]) -> DecisionRow:
    values = row._asdict()
    for derived in ("uid", "view_hash", "seed"):
        del values[derived]
    values["statistics"] = values.pop("figures")
    config = SearchConfig.stored(row.config).config
    return DecisionRow(**values | {"view": View.parse(row.view), "config": config})

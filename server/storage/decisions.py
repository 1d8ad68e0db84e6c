"""Every move that our engine chose for a game, with all that is needed to search again."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from hearts.engine.config import SearchConfig, published
from hearts.engine.decision import Decision
from hearts.engine.passing.decision import PassDecision
from hearts.game.cards import RANKS, SEATS, count, name, names
from hearts.views.notation import view_of
from hearts.views.view import View
from server import version
from server.storage.games import insert_new
from server.storage.results import count_efforts
from server.storage.schema import DECISIONS, GAMES, HANDS
from server.storage.values import TABLE

Entry = Mapping[str, Any]  # a decision as JSON has it: for the spool, and for the database


@dataclass(frozen=True)
class DecisionRow:
    """A decision as it is kept."""

    id: int
    game_id: str
    hand: int | None
    number: int | None  # of the play in its hand, None for a pass
    seat: int
    kind: str  # play or pass
    view: View
    config: SearchConfig
    chosen: str  # a card, or three
    figures: Sequence[Mapping[str, Any]]
    simulations: int
    worlds: int
    exact: bool
    ms: float
    version: str  # of the service that decided
    created_at: datetime


def entry_of(
    decision: Decision | PassDecision, game_id: str, hand: int | None, uid: str | None = None
) -> Entry:
    """A decision that is to be kept with a game; no hand: the one that is being played.

    A live table, and nobody else, says by `uid` which of its decisions this is.
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
        "config": published(vars(decision.config)),
        "chosen": chosen(decision),
        "figures": figures_of(decision),
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


def figures_of(decision: Decision | PassDecision) -> list[dict[str, Any]]:
    """What is known of every card or triple that was looked at, best first."""
    tried = decision.candidates if isinstance(decision, PassDecision) else decision.cards
    return [each.as_object() for each in tried]


def plays_before(view: View) -> int:
    """How many cards were played before the one that a view is about, also in a partial view."""
    left = count(view.hand) + view.trick.has_played(view.seat)
    return (RANKS - left) * SEATS + len(view.trick.cards)


def write(connection: Connection, entries: Iterable[Entry]) -> dict[str, str]:
    """Keep decisions, each once however often it comes; returns why not, by the uid of others."""
    entries = list(entries)
    games = {entry["game_id"] for entry in entries}
    # Whoever finishes a hand now waits until its decisions are there to be counted, or we wait.
    known = select(GAMES.c.id, GAMES.c.kind).where(GAMES.c.id.in_(games)).order_by(GAMES.c.id)
    kinds = dict(connection.execute(known.with_for_update()).all())
    reasons = {entry["uid"]: _why_not(entry, kinds) for entry in entries}
    rows = [_values(connection, entry) for entry in entries if not reasons[entry["uid"]]]
    if rows:
        connection.execute(insert_new(connection, DECISIONS), rows)
    for game_id, hand, seat in {(row["game_id"], row["hand"], row["seat"]) for row in rows}:
        count_efforts(connection, game_id, hand, seat)
    return {uid: reason for uid, reason in reasons.items() if reason is not None}


def no_such_game(game_id: str) -> str:
    """Why a decision is not kept whose game is not there."""
    return f"there is no game {game_id[:40]!r}"


def decision(connection: Connection, number: int) -> DecisionRow | None:
    """A decision by its id."""
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
    """The ids of all games for which something was decided."""
    wanted = select(DECISIONS.c.game_id).distinct().order_by(DECISIONS.c.game_id)
    return list(connection.scalars(wanted))


def _why_not(entry: Entry, kinds: Mapping[str, str]) -> str | None:
    """Why a decision cannot be kept with its game; `kinds` are those of the games that exist."""
    game_id = entry["game_id"]
    if game_id not in kinds:
        return no_such_game(game_id)
    if kinds[game_id] == TABLE and not entry.get("of_table"):
        return f"{game_id!r} is a live table, which logs its own decisions"
    return None


def _values(connection: Connection, entry: Entry) -> dict[str, Any]:
    hand, at = entry["hand"], datetime.fromisoformat(entry["created_at"])
    if hand is None:  # it may have waited while further hands were dealt
        begun = (HANDS.c.game_id == entry["game_id"]) & (HANDS.c.started_at <= at)
        hand = connection.scalar(select(func.max(HANDS.c.number)).where(begun))
    kept = {key: value for key, value in entry.items() if key != "of_table"}
    return {**kept, "hand": hand, "created_at": at}


def _decision(row: Row[Any]) -> DecisionRow:
    values = row._asdict()
    for derived in ("uid", "view_hash", "seed"):
        del values[derived]
    config = SearchConfig.stored(row.config).config
    return DecisionRow(**values | {"view": view_of(row.view), "config": config})

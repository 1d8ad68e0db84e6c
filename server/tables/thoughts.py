"""The decisions of bots that an open table shows."""

from __future__ import annotations

from contextlib import suppress

from sqlalchemy.exc import SQLAlchemyError

from hearts.engine.decision import Decision
from hearts.engine.explain import explain
from hearts.engine.passing.decision import PassDecision
from hearts.game.cards import name, names
from server.storage.decisions import DecisionRow, decisions
from server.tables.registry import TableRegistry
from server.tables.session import THOUGHTS, TableSession

Thought = dict[str, object]


def thought_of(decision: Decision | PassDecision) -> Thought:
    """A decision as an open table shows it."""
    if isinstance(decision, PassDecision):
        cards, explanation = names(decision.cards), ""
        analysis = [each.as_object() for each in decision.candidates if each.playouts]
    else:
        cards, explanation = [name(decision.card)], explain(decision)
        analysis = [move.as_object() for move in decision.cards]
    return {
        "player": decision.view.seat,
        "card": None if isinstance(decision, PassDecision) else cards[0],
        "cards": cards,
        "explanation": explanation,
        "analysis": analysis,
    }


def thoughts_of(tables: TableRegistry, session: TableSession) -> tuple[Thought, ...]:
    """The latest decisions at an open table; those of another instance are in the database."""
    if not session.table.open:
        return ()
    if session.thoughts or tables.leases.of(session.table.id) is not None:
        return tuple(session.thoughts)
    with suppress(SQLAlchemyError), tables.engine.connect() as connection:
        stored = decisions(connection, game_id=session.table.id, limit=THOUGHTS)
        return tuple(map(_stored, reversed(stored)))
    return ()


def _stored(row: DecisionRow) -> Thought:
    """A logged decision, which has no explanation."""
    cards = row.chosen.split()
    return {
        "player": row.seat,
        "card": cards[0] if row.kind == "play" else None,
        "cards": cards,
        "explanation": "",
        "analysis": list(row.statistics),
    }

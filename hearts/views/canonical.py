"""The canonical JSON form of a view: for logs, fingerprints and command players.

Its fields are those of the view. Clients use another form, `game_state`: `hearts.views.codec`.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from hearts.game.cards import Card, name, names, parse_card
from hearts.game.errors import ImpossibleView
from hearts.game.rules import STANDARD, PassDirection, Rules
from hearts.game.scoring import NO_SCORES
from hearts.game.trick import Hands, PastHands, Trick
from hearts.views.observation import Observation
from hearts.views.parsing import (
    read_cards,
    read_field,
    read_flag,
    read_items,
    read_number,
    read_numbers,
    read_object,
    read_optional,
)

FIELDS = frozenset(field.name for field in fields(Observation))


def as_object(view: Observation) -> dict[str, Any]:
    """The canonical form; `read_fields` reads it back."""
    earlier = [{"tricks": _trick_objects(tricks)} for tricks in view.earlier]
    return {
        "seat": view.seat,
        "hand": names(view.hand),
        "trick": _trick_object(view.trick),
        "tricks": _trick_objects(view.tricks),
        "rules": view.rules.as_value(),
        "direction": view.direction.label,
        "passed": names(view.passed),
        "received": names(view.received),
        "match_scores": list(view.match_scores),
        "passing": view.passing,
        "won": None if view.won is None else [names(cards) for cards in view.won],
        "hearts_broken": view.hearts_broken,
        "points_claim": None if view.points_claim is None else list(view.points_claim),
        **({"earlier": earlier} if earlier else {}),
    }


def read_fields(given: object) -> dict[str, Any]:
    """The fields of a view from its canonical form; `seat`, `hand` and `trick` are required."""
    known = read_object(given)
    if unknown := sorted(known.keys() - FIELDS):
        raise ImpossibleView(unknown[0], "there is no such field")
    return {
        "seat": read_field(known, "seat", read_number),
        "hand": read_field(known, "hand", read_cards),
        "trick": read_field(known, "trick", _read_trick),
        "tricks": read_optional(known, "tricks", _read_tricks, ()),
        "rules": Rules.parse(known["rules"]) if "rules" in known else STANDARD,
        "direction": read_optional(known, "direction", PassDirection.parse, PassDirection.HOLD),
        "passed": read_optional(known, "passed", read_cards, 0),
        "received": read_optional(known, "received", read_cards, 0),
        "match_scores": read_optional(known, "match_scores", read_numbers, NO_SCORES),
        "earlier": read_optional(known, "earlier", _read_earlier, ()),
        "passing": read_optional(known, "passing", read_flag, False),
        "won": read_optional(known, "won", _read_hands, None),
        "hearts_broken": read_optional(known, "hearts_broken", read_flag, None),
        "points_claim": read_optional(known, "points_claim", read_numbers, None),
    }


def _trick_objects(tricks: Sequence[Trick]) -> list[dict[str, Any]]:
    return [_trick_object(trick) for trick in tricks]


def _trick_object(trick: Trick) -> dict[str, Any]:
    return {"leader": trick.leader, "cards": [name(card) for card in trick.cards]}


def _read_hands(given: object) -> Hands:
    return read_items(given, read_cards)


def _read_earlier(given: object) -> PastHands:
    return read_items(given, lambda hand: read_field(read_object(hand), "tricks", _read_tricks))


def _read_tricks(given: object) -> tuple[Trick, ...]:
    return read_items(given, _read_trick)


def _read_trick(given: object) -> Trick:
    """A trick; its `winner`, if there is one, is compared with the cards."""
    known = read_object(given)
    leader = read_field(known, "leader", read_number)
    trick = Trick(leader, read_optional(known, "cards", _read_played, ()))
    claimed = known.get("winner")
    if claimed is not None and claimed != trick.winner:
        raise ImpossibleView("winner", f"seat {trick.winner} wins, not seat {claimed}")
    return trick


def _read_played(given: object) -> tuple[Card, ...]:
    return read_items(given, parse_card)

"""The game state of a client's request, as a View.

Clients name things differently from `View.as_object`; this module translates and leaves the checks
to the View, whose errors name the place and the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hearts.cards import SEATS
from hearts.errors import ImpossibleView
from hearts.notation import view_of
from hearts.rules import Rules
from hearts.view import View

# What a client plays that sends no rules: any club opens, Q♠ counts and breaks hearts.
CLIENT_RULES = Rules.from_mask(0xBC1)


def parse_game_state(state: Mapping[str, Any]) -> View:
    """The view of a client's `game_state`."""
    seat = state.get("current_player", 0)
    fields: dict[str, Any] = {
        "seat": seat,
        "hand": state.get("player_hand"),
        "trick": _trick(state.get("current_trick") or {}, "current_trick", seat),
        "tricks": [
            _trick(trick, f"trick_history[{i}]", seat)
            for i, trick in enumerate(_list(state.get("trick_history") or [], "trick_history"))
        ],
        "rules": Rules.parse(
            state.get("rules", CLIENT_RULES.as_object()), CLIENT_RULES
        ).as_object(),
        "direction": state.get("pass_direction", 0),
        "hearts_broken": state.get("hearts_broken"),
    }
    if not fields["tricks"]:
        # Without a history these are all that is known of the past; beside one they are redundant.
        fields |= {"won": state.get("played_cards"), "points_claim": state.get("scores")}
    return view_of(fields)


def _trick(given: object, place: str, seat: int) -> dict[str, Any]:
    """A client's trick, `{"cards": [{"card", "player"}], "lead_player", "winner"}`, as a view's."""
    if not isinstance(given, Mapping):
        raise ImpossibleView(place, "must be an object with 'cards' and 'lead_player'")
    cards = _list(given.get("cards") or [], f"{place}.cards")
    for i, played in enumerate(cards):
        if not isinstance(played, Mapping) or not {"card", "player"} <= played.keys():
            raise ImpossibleView(
                f"{place}.cards[{i}]", "must be an object with 'card' and 'player'"
            )
    leader = given.get("lead_player", cards[0]["player"] if cards else seat)
    for i, played in enumerate(cards):
        expected = (leader + i) % SEATS if isinstance(leader, int) else leader
        if played["player"] != expected:
            reason = f"seat {expected} plays after seat {leader} has led, not {played['player']!r}"
            raise ImpossibleView(f"{place}.cards[{i}].player", reason)
    trick = {"leader": leader, "cards": [played["card"] for played in cards]}
    return trick | ({"winner": given["winner"]} if "winner" in given else {})


def _list(given: object, place: str) -> list[Any]:
    if not isinstance(given, list):
        raise ImpossibleView(place, "must be a list")
    return given

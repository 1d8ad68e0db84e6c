"""Writes a view as a client's `game_state`."""

from collections.abc import Sequence
from typing import Any

from hearts.game.cards import SEATS, name, names
from hearts.game.rules import PassDirection
from hearts.game.trick import Trick
from hearts.views.view import View


def encode_state(view: View, seat: int | None = None) -> dict[str, Any]:
    """A view as a `game_state`.

    With `seat`, all seats are renumbered so that the player of the view has that number.
    """
    seat = view.seat if seat is None else seat
    shift = seat - view.seat
    earlier = [_hand(tricks, shift) for tricks in view.earlier]
    return {
        "player_hand": names(view.hand),
        "current_player": seat,
        "current_trick": encode_trick(view.trick, shift),
        **_hand(view.tricks, shift),
        **_progress(view, shift),
        "pass_direction": -1 if view.direction is PassDirection.RIGHT else int(view.direction),
        "rules": view.rules.as_value(),
        "match_scores": _rotated(view.match_scores, shift),
        "target_score": view.rules.target_score,
        "passed_cards": names(view.passed),
        "received_cards": names(view.received),
        **({"earlier_hands": earlier} if earlier else {}),
    }


def _progress(view: View, shift: int) -> dict[str, Any]:
    """Cards won, points and broken hearts so far; for a partial view, its claims."""
    won, points, broken = (
        (view.won, view.points_claim, view.hearts_broken)
        if view.partial
        else (view.taken, view.points, view.broken)
    )
    progress = {
        "played_cards": None if won is None else [names(cards) for cards in _rotated(won, shift)],
        "scores": None if points is None else _rotated(points, shift),
        "hearts_broken": broken,
    }
    return {key: value for key, value in progress.items() if value is not None}


def _hand(tricks: Sequence[Trick], shift: int) -> dict[str, Any]:
    return {"trick_history": [encode_trick(trick, shift) for trick in tricks]}


def encode_trick(trick: Trick, shift: int = 0) -> dict[str, Any]:
    """A trick of a `game_state`, with its winner if it is complete."""
    plays = [{"card": name(card), "player": (seat + shift) % SEATS} for seat, card in trick.plays]
    shown: dict[str, Any] = {"cards": plays, "lead_player": (trick.leader + shift) % SEATS}
    return shown | {"winner": (trick.winner + shift) % SEATS} if trick.complete else shown


def _rotated(values: Sequence[int], shift: int) -> list[int]:
    """The values of the seats after each seat number has grown by `shift`."""
    return [values[(seat - shift) % SEATS] for seat in range(SEATS)]

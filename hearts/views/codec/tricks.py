"""Reads the tricks of a client's `game_state`."""

from collections.abc import Sequence
from typing import Any

from hearts.game.cards import BY_NAME, SEATS, Card, parse_card
from hearts.game.errors import ImpossibleView
from hearts.game.trick import Trick
from hearts.views.parsing import read_field, read_items, read_number, read_object, read_optional


def read_tricks(given: object) -> tuple[Trick, ...]:
    """A list of tricks."""
    return read_items(given, read_trick)


def read_trick(given: object, leader: int = 0) -> Trick:
    """A trick; `leader` is the leader of an empty trick without a `lead_player`."""
    return _usual_trick(given) or _any_trick(given, leader)


def _usual_trick(given: Any) -> Trick | None:
    """A trick with cards in the usual spelling and without a fault; None for any other.

    Nearly all tricks are of this kind, and a request may have thirteen of them.
    """
    try:
        plays = given["cards"]
        leader, usual = plays[0]["player"], type(plays) is list
        for place, play in enumerate(plays):
            player = play["player"]
            usual = usual and type(player) is int and player == (leader + place) % SEATS
        if not usual or given.get("lead_player", leader) not in (None, leader):
            return None
        trick = Trick(leader, tuple([BY_NAME[play["card"]] for play in plays]))
    except (TypeError, KeyError, IndexError, AttributeError):
        return None
    claimed = given.get("winner")
    return trick if claimed is None or (trick.complete and claimed == trick.winner) else None


def _any_trick(given: object, leader: int) -> Trick:
    fields = read_object(given)
    plays = read_optional(fields, "cards", _read_plays, ())
    players = [player for player, _ in plays]
    claimed = read_optional(fields, "lead_player", read_seat, None)
    if players and claimed not in (None, players[0]):
        reason = f"seat {claimed} is said to lead, but seat {players[0]} played first"
        raise ImpossibleView("lead_player", reason)
    leader = players[0] if players else leader if claimed is None else claimed
    _check_order(players, leader)
    trick = Trick(leader, tuple(card for _, card in plays))
    _check_winner(trick, read_optional(fields, "winner", read_number, None))
    return trick


def read_seat(given: object) -> int:
    """The number of a seat."""
    seat = read_number(given)
    if not 0 <= seat < SEATS:
        raise ImpossibleView((), f"{seat}: seats are 0 to 3")
    return seat


def _read_plays(given: object) -> tuple[tuple[int, Card], ...]:
    return read_items(given, _read_play)


def _read_play(given: object) -> tuple[int, Card]:
    play = read_object(given)
    return read_field(play, "player", read_seat), read_field(play, "card", parse_card)


def _check_order(players: Sequence[int], leader: int) -> None:
    """Each player must be the next one after the leader."""
    for place, player in enumerate(players):
        expected = (leader + place) % SEATS
        if player != expected:
            reason = f"seat {expected} plays here, after seat {leader} has led; not seat {player}"
            raise ImpossibleView(("cards", place, "player"), reason)


def _check_winner(trick: Trick, claimed: int | None) -> None:
    """The claimed winner of a completed trick, if any, must be right."""
    if claimed is not None and trick.complete and claimed != trick.winner:
        raise ImpossibleView("winner", f"seat {trick.winner} wins, not seat {claimed}")

"""Reads events that clients post, and checks them against the state of their game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hearts.game.cards import SEATS, CardSet, parse_card, parse_cards
from hearts.game.errors import HeartsError
from hearts.game.rules import PassDirection
from server.games.events.state_machine import GameState
from server.runtime.errors import ParseError, RejectedMove
from server.runtime.messages import quoted
from server.runtime.requests import RequestData
from server.storage.events import DealEvent, Event, PassEvent, PlayEvent

T = TypeVar("T")


@dataclass(frozen=True)
class PostedEvent(RequestData):
    """An event as a client posts it: its types are checked, its values are not."""

    kind: str  # deal, pass or play
    hand: int | None = None  # None: the present hand, or the next one for a deal
    dealt: Sequence[Sequence[str]] | None = None
    pass_direction: int | str | None = None
    leader: int | None = None
    player: int | None = None
    cards: Sequence[str] | None = None
    card: str | None = None
    points: Sequence[int] | None = None

    def required(self, field: str, value: T | None) -> T:
        """The value of a field that this kind of event must have."""
        if value is None:
            raise ParseError(f"is missing: a {self.kind} has one", field=field)
        return value


def read_event(state: GameState, given: PostedEvent) -> tuple[Event, GameState]:
    """The event that a client posts, and the state after it.

    Raises ParseError, RejectedMove or Conflict where it cannot be the next event.
    """
    if given.hand is not None:
        state.check_hand(given.kind, given.hand)
    event = _READERS[given.kind](state, given)
    return event, state.after(event)


def _read_deal(state: GameState, given: PostedEvent) -> DealEvent:
    state.check_deal()
    hands = given.required("dealt", given.dealt)
    if len(hands) != SEATS:
        raise RejectedMove(f"{len(hands)} hands: there are {SEATS} seats", field="dealt")
    dealt = tuple(_cards(cards, f"dealt[{seat}]") for seat, cards in enumerate(hands))
    label = given.required("pass_direction", given.pass_direction)
    direction = _parsed("pass_direction", PassDirection.parse, label)
    leader = None if state.rules.opener else _seat(given, "leader", given.leader)
    return DealEvent(state.next_hand, dealt, direction, leader)


def _read_pass(state: GameState, given: PostedEvent) -> PassEvent:
    seat = _seat(given, "player", given.player)
    cards = _cards(given.required("cards", given.cards), "cards")
    return PassEvent(state.current.number, seat, cards)


def _read_play(state: GameState, given: PostedEvent) -> PlayEvent:
    seat = _seat(given, "player", given.player)
    card = _parsed("card", parse_card, given.required("card", given.card))
    points = None if given.points is None else tuple(given.points)
    return PlayEvent(state.current.number, seat, card, points)


_READERS: dict[str, Callable[[GameState, PostedEvent], Event]] = {
    "deal": _read_deal,
    "pass": _read_pass,
    "play": _read_play,
}


def _seat(given: PostedEvent, field: str, value: int | None) -> int:
    seat = given.required(field, value)
    if seat not in range(SEATS):
        raise RejectedMove(f"{quoted(seat)}: seats are 0 to 3", field=field)
    return seat


def _cards(cards: Sequence[str], field: str) -> CardSet:
    return _parsed(field, parse_cards, cards)


def _parsed(field: str, parse: Callable[[Any], T], value: object) -> T:
    try:
        return parse(value)
    except HeartsError as error:
        raise RejectedMove(error.reason, field=field) from None

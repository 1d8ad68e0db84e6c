"""Events of a game that is played elsewhere, each checked by the rules as it comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hearts.game.cards import RANKS, SEATS, CardSet, name, names, parse_card, parse_cards
from hearts.game.deal import Deal
from hearts.game.errors import HeartsError, InvalidCard
from hearts.game.rules import MoonScoring, PassDirection, Rules
from server.http.schemas.fields import shown
from server.runtime.errors import Conflict, ParseError, RejectedMove
from server.storage.values import Event


class Course:
    """Where a game stands: says what may come next, and keeps up with it."""

    def __init__(self, rules: Rules, hand: int = -1, deal: Deal | None = None) -> None:
        self.rules, self.hand, self.deal = rules, hand, deal  # hand −1: before the first

    def read(self, given: Mapping[str, Any], place: str) -> Event:
        """The event of a request, if it can be the next one; its cards in our own words."""
        kind = given["kind"]
        wanted = given.get("hand")
        expected = self.hand + (kind == "deal")
        if wanted is not None and wanted != expected:
            reason = f"{wanted}: the next {kind} is of {expected}"
            raise Conflict(reason, field=f"{place}hand")
        return _READERS[kind](self, _Given(given, place))

    def follow(self, event: Event) -> None:
        """Go on to after an event that was kept."""
        self.read({"kind": event.kind, "player": event.seat, **event.body}, "")

    def dealt(self, given: _Given) -> Event:
        """A new hand."""
        if self.deal is not None and not self.deal.finished:
            left = SEATS * RANKS - sum(1 for _ in self.deal.plays)
            raise given.illegal(
                "kind", f"hand {self.hand} is not over: {left} cards are to be played"
            )
        hands = given.field("dealt")
        if len(hands) != SEATS:
            raise given.illegal("dealt", f"{len(hands)} hands: there are {SEATS} seats")
        sets = [given.cards(cards, f"dealt[{seat}]") for seat, cards in enumerate(hands)]
        direction = given.parsed("pass_direction", PassDirection.parse)
        leader = 0 if self.rules.opener else given.seat("leader")
        try:
            self.deal = Deal.of(self.rules, sets, direction, leader)
        except InvalidCard as error:
            raise given.illegal("dealt", str(error)) from None
        self.hand += 1
        body: dict[str, Any] = {
            "dealt": [names(cards) for cards in sets],
            "pass_direction": direction.label,
        }
        return Event(
            "deal", self.hand, None, body if self.rules.opener else body | {"leader": leader}
        )

    def passed(self, given: _Given) -> Event:
        """Three cards given."""
        seat, cards = given.seat("player"), given.cards(given.field("cards"), "cards")
        self.deal = given.tried(lambda: self._now(given).give(seat, cards))
        return Event("pass", self.hand, seat, {"cards": names(cards)})

    def played(self, given: _Given) -> Event:
        """A card played."""
        seat, card = given.seat("player"), given.parsed("card", parse_card)
        self.deal = deal = given.tried(lambda: self._now(given).play(card, seat))
        body: dict[str, Any] = {"card": name(card)}
        points = given.fields.get("points")
        if points is not None:
            body["points"] = _points(deal, points, given)
        return Event("play", self.hand, seat, body)

    def _now(self, given: _Given) -> Deal:
        if self.deal is None:
            raise given.illegal("kind", "no hand has been dealt yet")
        return self.deal


class _Given:
    """The fields of an event, and their place in the request for messages."""

    def __init__(self, fields: Mapping[str, Any], place: str) -> None:
        self.fields, self.place = fields, place

    def field(self, field: str) -> Any:
        """A field that this kind of event must have."""
        value = self.fields.get(field)
        if value is None:
            reason = f"is missing: a {self.fields['kind']} has one"
            raise ParseError(reason, field=f"{self.place}{field}")
        return value

    def seat(self, field: str) -> int:
        """A field that names a seat."""
        seat: int = self.field(field)
        if seat not in range(SEATS):
            raise self.illegal(field, f"{shown(seat)}: seats are 0 to 3")
        return seat

    def cards(self, cards: Sequence[str], field: str) -> CardSet:
        """Some cards, each once."""
        try:
            return parse_cards(cards)
        except InvalidCard as error:
            raise self.illegal(field, str(error)) from None

    def parsed(self, field: str, parse: Callable[[Any], Any]) -> Any:
        """A field that something else can read."""
        value = self.field(field)
        try:
            return parse(value)
        except HeartsError as error:
            raise self.illegal(field, str(error)) from None

    def tried(self, move: Callable[[], Deal]) -> Deal:
        """The deal after a move that the rules allow."""
        try:
            return move()
        except HeartsError as error:
            raise RejectedMove(f"{self.place}{error}") from None

    def illegal(self, field: str, reason: str) -> RejectedMove:
        """The rules do not allow it, because of one of its fields."""
        return RejectedMove(reason, field=f"{self.place}{field}")


_READERS: dict[str, Callable[[Course, _Given], Event]] = {
    "deal": Course.dealt,
    "pass": Course.passed,
    "play": Course.played,
}


def _points(deal: Deal, points: Sequence[int], given: _Given) -> list[int]:
    """The points that a last play says, if the rules allow them."""
    if not deal.finished:
        raise given.illegal("points", "only the last card of a hand says them")
    right = [deal.final_points(), deal.final_points(MoonScoring.SHOOTER_SUBTRACTS)]
    if tuple(points) not in right:
        raise given.illegal("points", f"{list(points)} are given, {list(right[0])} is right")
    return list(points)

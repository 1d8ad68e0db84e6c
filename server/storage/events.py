"""Events of a game: typed values, and the JSON bodies that the database stores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, NotRequired, TypeAlias, TypedDict, cast

from hearts.game.cards import Card, CardSet, name, names, parse_card, parse_cards
from hearts.game.rules import PassDirection
from hearts.game.trick import Hands


class DealBody(TypedDict):
    """The stored body of a deal."""

    dealt: list[list[str]]  # 4 × 13 cards
    pass_direction: str
    leader: NotRequired[int]
    commitment: NotRequired[str]  # of a table
    nonce: NotRequired[str]  # of a table
    id: NotRequired[str]  # of a record
    extra: NotRequired[Mapping[str, Any]]  # of a record: its unknown fields


class PassBody(TypedDict):
    """The stored body of a pass."""

    cards: list[str]


class PlayBody(TypedDict):
    """The stored body of a play."""

    card: str
    points: NotRequired[list[int]]


class ClaimBody(TypedDict):
    """The stored body of a claim: it is empty."""


EventBody: TypeAlias = DealBody | PassBody | PlayBody | ClaimBody


@dataclass(frozen=True)
class DealEvent:
    """A hand begins."""

    kind: ClassVar[str] = "deal"
    hand: int  # from 0
    dealt: Hands  # before the pass
    direction: PassDirection
    leader: int | None = None  # who leads under rules without an opening card
    seat: int | None = None  # who asked for the hand at a table
    commitment: str | None = None  # of a table: published before the first card
    nonce: str | None = None  # of a table: opens the commitment
    record_id: str | None = None  # of a hand that came as a record
    extra: Mapping[str, Any] | None = None  # unknown fields of that record

    @property
    def body(self) -> DealBody:
        """The deal as JSON."""
        optional = {
            "leader": self.leader,
            "commitment": self.commitment,
            "nonce": self.nonce,
            "id": self.record_id,
            "extra": None if self.extra is None else dict(self.extra),
        }
        body = {
            "dealt": [names(cards) for cards in self.dealt],
            "pass_direction": self.direction.label,
            **{key: value for key, value in optional.items() if value is not None},
        }
        return cast(DealBody, body)

    @classmethod
    def of(cls, hand: int, seat: int | None, body: DealBody) -> DealEvent:
        """The deal of a stored body."""
        return cls(
            hand,
            tuple(parse_cards(cards) for cards in body["dealt"]),
            PassDirection.parse(body["pass_direction"]),
            body.get("leader"),
            seat,
            body.get("commitment"),
            body.get("nonce"),
            body.get("id"),
            body.get("extra"),
        )


@dataclass(frozen=True)
class PassEvent:
    """A seat passes three cards."""

    kind: ClassVar[str] = "pass"
    hand: int
    seat: int
    cards: CardSet

    @property
    def body(self) -> PassBody:
        """The pass as JSON."""
        return {"cards": names(self.cards)}


@dataclass(frozen=True)
class PlayEvent:
    """A seat plays a card; the 52nd card ends the hand."""

    kind: ClassVar[str] = "play"
    hand: int
    seat: int
    card: Card
    points: tuple[int, ...] | None = None  # of the hand, where its last card states them

    @property
    def body(self) -> PlayBody:
        """The play as JSON."""
        body: PlayBody = {"card": name(self.card)}
        return body if self.points is None else {**body, "points": list(self.points)}


@dataclass(frozen=True)
class ClaimEvent:
    """The rest of a decided hand is played out, lowest legal cards first."""

    kind: ClassVar[str] = "claim"
    hand: int
    seat: int | None  # None: the service claimed at a table without people

    @property
    def body(self) -> ClaimBody:
        """The claim as JSON."""
        return {}


Event: TypeAlias = DealEvent | PassEvent | PlayEvent | ClaimEvent


@dataclass(frozen=True)
class StoredEvent:
    """An event with its number in the game and its time."""

    number: int
    at: datetime
    event: Event


def event_of(kind: str, hand: int, seat: int | None, body: Any) -> Event:
    """The event of a stored row."""
    if kind == "deal":
        return DealEvent.of(hand, seat, body)
    if kind == "claim":
        return ClaimEvent(hand, seat)
    if seat is None:
        raise ValueError(f"a {kind} without a seat")
    if kind == "pass":
        return PassEvent(hand, seat, parse_cards(body["cards"]))
    points = body.get("points")
    return PlayEvent(hand, seat, parse_card(body["card"]), points and tuple(points))


def described(event: Event) -> str:
    """An event in a few words, without hidden cards: `play of 5C by seat 2`."""
    card = f" of {name(event.card)}" if isinstance(event, PlayEvent) else ""
    return f"{event.kind}{card}" + ("" if event.seat is None else f" by seat {event.seat}")

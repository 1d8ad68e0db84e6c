"""The answers of the service as frozen dataclasses; `answer` keeps the whole JSON object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

GameState = Mapping[str, Any]  # see API_SPEC.md


@dataclass(frozen=True)
class Move:
    """A card to play."""

    card: str
    player: int
    legal_cards: tuple[str, ...]
    simulations: int
    seed: int
    explanation: str
    warnings: tuple[str, ...]
    answer: Mapping[str, Any]

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> Move:
        """Read the answer of `/api/move`."""
        return cls(
            card=answer["move"]["card"],
            player=answer["move"]["player"],
            legal_cards=tuple(answer["legal_cards"]),
            simulations=answer["simulations"],
            seed=answer["seed"],
            explanation=answer.get("explanation", ""),
            warnings=tuple(answer["warnings"]),
            answer=answer,
        )


@dataclass(frozen=True)
class Pass:
    """Three cards to pass."""

    cards: tuple[str, ...]
    simulations: int
    seed: int
    warnings: tuple[str, ...]
    answer: Mapping[str, Any]

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> Pass:
        """Read the answer of `/api/pass`."""
        return cls(
            cards=tuple(answer["pass"]),
            simulations=answer["simulations"],
            seed=answer["seed"],
            warnings=tuple(answer["warnings"]),
            answer=answer,
        )


@dataclass(frozen=True)
class Beliefs:
    """Beliefs about hidden cards; seat 2 holds Q♠ with probability `probabilities["QS"][2]`."""

    probabilities: Mapping[str, Sequence[float]]
    voids: Sequence[Sequence[str]]
    worlds: Sequence[Mapping[str, Any]]
    answer: Mapping[str, Any]

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> Beliefs:
        """Read the answer of `/api/beliefs`."""
        return cls(answer["probabilities"], answer["voids"], answer["worlds"], answer)


@dataclass(frozen=True)
class Table:
    """A live table as one seat sees it, or its public part."""

    table_id: str
    version: int
    phase: str  # passing, playing, hand_over or finished
    seat: int | None
    turn: int | None
    waiting_for: tuple[int, ...]
    cards: tuple[str, ...]  # of this seat
    legal: tuple[str, ...]
    totals: tuple[int, ...]
    game_state: GameState | None  # for `move`, `choose_pass` and `beliefs`
    answer: Mapping[str, Any]

    @classmethod
    def read(cls, view: Mapping[str, Any]) -> Table:
        """Read a view of a table."""
        hand = view["hand"]
        return cls(
            table_id=view["table_id"],
            version=view["version"],
            phase=view["phase"],
            seat=view["seat"],
            turn=hand["turn"],
            waiting_for=tuple(hand["waiting_for"]),
            cards=tuple(hand["cards"]),
            legal=tuple(hand["legal"]),
            totals=tuple(view["totals"]),
            game_state=view["game_state"],
            answer=view,
        )

    @property
    def is_my_turn(self) -> bool:
        """Whether this seat is to pass or to play."""
        return self.seat in self.waiting_for


@dataclass(frozen=True)
class NewTable:
    """A table that was created, with its secrets."""

    table_id: str
    tokens: tuple[str | None, ...]  # by seat: your own; None: another's
    invitations: tuple[str | None, ...]  # by seat: for the other people; None: none
    watch_token: str | None  # shows a private table without a seat: `table(…, share=…)`
    table: Table

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> NewTable:
        """Read the answer of `POST /api/tables`."""
        return cls(
            table_id=answer["table_id"],
            tokens=tuple(answer["tokens"]),
            invitations=tuple(answer["invitations"]),
            watch_token=answer["watch_token"],
            table=Table.read(answer["table"]),
        )


@dataclass(frozen=True)
class Joined:
    """A seat that was taken."""

    seat: int
    token: str  # proves the seat; it is shown only here
    table: Table

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> Joined:
        """Read the answer of `POST /api/tables/{table_id}/join`."""
        return cls(answer["seat"], answer["token"], Table.read(answer["table"]))


@dataclass(frozen=True)
class Share:
    """A read-only link to the finished hands of a game."""

    token: str  # for `game(…, share=…)`; it is shown only here
    url: str  # of a page that shows the game

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> Share:
        """Read the answer of `POST /api/games/{game_id}/shares`."""
        return cls(answer["share_token"], answer["url"])

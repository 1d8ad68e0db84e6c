"""Schemas of requests about one position: moves, legal cards, beliefs, analyses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from marshmallow import validate

from server.http.schemas.base import DataclassSchema, RequestSchema
from server.http.schemas.fields import AnyOf, ListOf, ObjectOf, Switch, Text, Whole, about
from server.http.schemas.search import AiConfigSchema, SearchRequestSchema, share
from server.http.schemas.states import AnalysedStateSchema, GameStateSchema
from server.runtime.requests import RequestData
from server.search.options import NO_OPTIONS, AiOptions

MAX_STATES = 64
MAX_BATCH = 256  # states of one request for moves
MAX_SAMPLED_WORLDS = 1_000
MAX_HANDS = 10_000  # of one game

State = Mapping[str, Any]  # a game state, which the codec of hearts.views reads


@dataclass(frozen=True, kw_only=True)
class LegalRequest(RequestData):
    """A game state."""

    game_state: State


class LegalRequestSchema(RequestSchema):
    """A game state."""

    into = LegalRequest
    game_state = ObjectOf(GameStateSchema, required=True)


@dataclass(frozen=True, kw_only=True)
class MoveRequest(LegalRequest):
    """A game state, and how to search."""

    ai_config: AiOptions = NO_OPTIONS
    game_id: str | None = None  # the game that the decision is logged with
    hand: int | None = None  # of that game; None: the latest


class MoveRequestSchema(SearchRequestSchema, LegalRequestSchema):
    """A game state, and how to search."""

    into = MoveRequest
    ai_config = ObjectOf(AiConfigSchema, allow_none=True)
    game_id = Text(**about("a game of /api/games that the decision is logged with"))
    hand = Whole(
        validate=validate.Range(0, MAX_HANDS, error=f"must be 0 to {MAX_HANDS}"),
        **about("the hand of that game, from 0; absent: the latest"),
    )


@dataclass(frozen=True, kw_only=True)
class PlayOneRequest(MoveRequest):
    """A game state, and two of the search options."""

    simulations: int | None = None
    player_type: str | None = None

    @property
    def beside(self) -> list[str]:
        """The options that are given beside `ai_config`."""
        return [name for name in ("simulations", "player_type") if getattr(self, name) is not None]

    @property
    def options(self) -> AiOptions:
        """`ai_config` with the options beside it, which take precedence."""
        options = self.ai_config
        if self.simulations is not None:
            options = replace(options, knobs={**options.knobs, "simulations": self.simulations})
        if self.player_type is not None:
            options = replace(options, player_type=self.player_type)
        return options


class PlayOneRequestSchema(MoveRequestSchema):
    """A game state, and two of the search options."""

    into = PlayOneRequest
    simulations = Whole(**about("absent: 1000"))
    player_type = Text(**about("as in ai_config"))


@dataclass(frozen=True, kw_only=True)
class BatchRequest(RequestData):
    """Game states, which are checked one by one, and how to search all of them."""

    states: Sequence[State]
    ai_config: AiOptions = NO_OPTIONS


class BatchRequestSchema(SearchRequestSchema):
    """Game states, and how to search all of them. A state that is wrong is rejected alone."""

    into = BatchRequest
    states = ListOf(
        AnyOf(
            dict,
            says="an object",
            metadata={"anyOf": [{"$ref": "#/components/schemas/GameState"}, {"type": "object"}]},
        ),
        required=True,
        validate=validate.Length(1, MAX_BATCH, error=f"must be 1 to {MAX_BATCH} states"),
        metadata={"description": f"1 to {MAX_BATCH} states, each as in /api/move"},
    )
    ai_config = ObjectOf(AiConfigSchema, allow_none=True)


@dataclass(frozen=True, kw_only=True)
class BeliefsRequest(LegalRequest):
    """A game state, and the opponent model to ask."""

    model: str | None = None
    worlds: int = 0
    seed: int | None = None
    share: float | None = None


class BeliefsRequestSchema(LegalRequestSchema):
    """A game state, and the opponent model to ask."""

    into = BeliefsRequest
    model = Text(**about("an opponent model; absent: the default of a search"))
    worlds = Whole(**about(f"sampled worlds in the answer, 0 to {MAX_SAMPLED_WORLDS}; absent: 0"))
    seed = Whole(**about("of the sampled worlds; absent: a random one"))
    share = share()


@dataclass(frozen=True, kw_only=True)
class AnalysisRequest(RequestData):
    """Game states, or the record of a whole hand, and how to search."""

    states: Sequence[State] | None = None
    record: Mapping[str, Any] | None = None
    ai_config: AiOptions = NO_OPTIONS


class AnalysisRequestSchema(SearchRequestSchema):
    """Game states, or the record of a whole hand: one of the two."""

    into = AnalysisRequest
    states = ListOf(
        ObjectOf(AnalysedStateSchema),
        validate=validate.Length(1, MAX_STATES, error=f"must be 1 to {MAX_STATES} states"),
        allow_none=True,
    )
    record = AnyOf(
        dict,
        says="an object",
        **about("a hand as `hearts replay` reads it", type="object"),
    )
    ai_config = ObjectOf(AiConfigSchema, allow_none=True)


@dataclass(frozen=True, kw_only=True)
class StreamQuery(RequestData):
    """How the answer is sent."""

    stream: bool = False


class StreamQuerySchema(DataclassSchema):
    """How the answer is sent."""

    into = StreamQuery
    stream = Switch("1: server-sent events, with partial statistics during the search")

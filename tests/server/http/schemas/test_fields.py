"""Plain objects are loaded without marshmallow, with the same result."""

from __future__ import annotations

import copy
import json
from dataclasses import asdict
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marshmallow import ValidationError

from hearts.views.codec import names
from server.http.schemas import examples
from server.http.schemas.base import Plain, RequestSchema
from server.http.schemas.fields import ListOf
from server.http.schemas.games import EventsRequestSchema, GameRequestSchema
from server.http.schemas.moves import (
    AnalysisRequestSchema,
    BeliefsRequestSchema,
    MoveRequestSchema,
    PlayOneRequestSchema,
)
from server.http.schemas.states import (
    EarlierHandSchema,
    GameStateSchema,
    PlayedCardSchema,
    TrickSchema,
)
from server.http.schemas.tables import TableRequestSchema
from server.runtime.errors import ParseError
from tests.server.api import OPENING, trick

FULL = {
    "game_state": {
        "player_hand": OPENING[2:],
        "current_player": 0,
        "trick_history": [trick(2, "2C AC 7C 3C", winner=3), trick(3, "4D 8D 2D KD")],
        "current_trick": trick(2, "5D 6D"),
        "played_cards": [[], [], ["KD"], []],
        "scores": [0, 0, 0, 0],
        "hearts_broken": False,
        "pass_direction": -1,
        "rules": {"queen_penalty": True},
        "match_scores": None,
    },
    "ai_config": {"simulations": 10, "epsilon": 0.1, "use_threads": True, "belief": "OM-1"},
}
BODIES: dict[type[RequestSchema], dict[str, Any]] = {
    MoveRequestSchema: FULL,
    PlayOneRequestSchema: examples.PLAY_ONE,
    BeliefsRequestSchema: examples.BELIEFS,
    AnalysisRequestSchema: examples.ANALYSIS,
    GameRequestSchema: examples.GAME,
    EventsRequestSchema: examples.GAME_EVENT,
    TableRequestSchema: examples.TABLE,
}
PLAIN = {kind: kind() for kind in BODIES}
CLOSE = {kind: kind() for kind in BODIES}  # used while no object counts as plain
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["2C", "", "x", 10**400, 3.0, {}, []]),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from("abc"), below),
    max_leaves=4,
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all values in a JSON value."""
    steps: Any = {dict: lambda: value.items(), list: lambda: enumerate(value)}
    below = steps.get(type(value), list)()
    return [path, *(place for step, item in below for place in places(item, (*path, step)))]


def changed(body: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The body with another value at one place."""
    if not path:
        return value
    result = place = copy.deepcopy(body)
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return result


def outcome(schema: RequestSchema, body: Any) -> str:
    """What a schema loads, or its error messages."""
    try:
        return json.dumps(asdict(schema.load(body)), sort_keys=True)
    except ValidationError as error:
        return f"refused: {error.messages}"
    except ParseError as error:
        return f"refused: {error}"


@pytest.mark.parametrize("kind", BODIES)
@settings(max_examples=50)
@given(data=st.data())
def test_the_plain_path_changes_nothing(kind, data):
    body = BODIES[kind]
    body = changed(body, data.draw(st.sampled_from(places(body))), data.draw(VALUES))
    never = {"return_value": False}
    with (
        patch.object(RequestSchema, "is_plain", **never),
        patch.object(ListOf, "is_plain", **never),
    ):
        closely = outcome(CLOSE[kind], body)
    assert outcome(PLAIN[kind], body) == closely


@pytest.mark.parametrize(
    "kind", [MoveRequestSchema, PlayOneRequestSchema, BeliefsRequestSchema, TableRequestSchema]
)
def test_what_clients_usually_send_is_plain(kind):
    """Otherwise the plain path would save no time."""
    assert PLAIN[kind].is_plain(BODIES[kind])


def test_every_field_of_a_request_can_be_plain():
    def schemas(cls: type[RequestSchema]) -> list[type[RequestSchema]]:
        return [cls, *(below for each in cls.__subclasses__() for below in schemas(each))]

    for schema in schemas(RequestSchema):
        for name, field in schema().fields.items():
            assert isinstance(field, Plain), (schema, name)


def test_the_codec_reads_every_field_of_the_schemas():
    assert set(GameStateSchema().fields) == names.STATE_FIELDS
    assert set(EarlierHandSchema().fields) == names.HAND_FIELDS
    assert set(TrickSchema().fields) == names.TRICK_FIELDS
    assert set(PlayedCardSchema().fields) == names.PLAY_FIELDS

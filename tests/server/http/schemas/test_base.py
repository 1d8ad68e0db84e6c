"""Schemas load frozen dataclasses."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, is_dataclass

import pytest

from server.http.schemas import games, moves, review, search, states, stats, tables
from server.http.schemas.base import DataclassSchema
from server.http.schemas.games import EventsRequestSchema, GameRequestSchema
from server.http.schemas.moves import MoveRequestSchema
from server.http.schemas.search import AiConfigSchema

MODULES = (games, moves, review, search, states, stats, tables)
SCHEMAS = {
    value
    for module in MODULES
    for value in vars(module).values()
    if isinstance(value, type) and issubclass(value, DataclassSchema) and value.into is not None
}


@pytest.mark.parametrize("schema", sorted(SCHEMAS, key=lambda each: each.__name__))
def test_every_request_is_a_frozen_dataclass(schema):
    assert is_dataclass(schema.into)
    assert schema.into.__dataclass_params__.frozen


def test_a_field_that_python_cannot_name_has_another_attribute():
    loaded = AiConfigSchema().load({"lambda": 0.5, "c": 0.7})
    assert (loaded.share, loaded.knobs, loaded.unknown) == (0.5, {"c": 0.7}, ())


@pytest.mark.parametrize("more", [{}, {"c": 1}])  # an int for a float is not plain
def test_an_unknown_field_does_not_become_an_attribute_of_that_name(more):
    loaded = AiConfigSchema().load({"share": "x", "knobs": {"c": 9}, "lambda": 0.5, **more})
    assert (loaded.share, loaded.knobs) == (0.5, more)
    assert loaded.unknown == ("knobs", "share")


def test_null_is_absent():
    loaded = MoveRequestSchema().load({"game_state": {"player_hand": []}, "ai_config": None})
    assert loaded.ai_config == AiConfigSchema().load({})
    assert {each.name for each in fields(loaded)} >= {"game_state", "ai_config", "unknown"}
    with pytest.raises(FrozenInstanceError):
        loaded.hand = 3


def test_a_request_that_may_be_repeated_knows_what_was_sent():
    for schema, body in (
        (GameRequestSchema, {"source": "bots", "mood": 1}),
        (EventsRequestSchema, {"kind": "play", "player": 1, "card": "2C", "number": None}),
        (EventsRequestSchema, {"events": [{"kind": "pass", "mood": 1}], "number": 3.0}),
    ):
        assert schema().load(body).sent == body

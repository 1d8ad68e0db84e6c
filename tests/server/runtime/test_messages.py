"""Messages to clients: quoted values, limits, unknown fields."""

from __future__ import annotations

import pytest

from server.runtime.messages import MESSAGE_LIMIT, quoted, short, unknown_fields
from server.runtime.requests import RequestData


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        ([1], "a list"),
        ({"a": 1}, "an object"),
        (1.5, "1.5"),
        ("QS", "'QS'"),
        ("x" * 100, "'" + "x" * 39 + "…"),
    ],
)
def test_a_value_is_quoted_as_json_writes_it(value, text):
    assert quoted(value) == text


def test_a_long_message_is_cut():
    assert short("x" * MESSAGE_LIMIT) == "x" * MESSAGE_LIMIT
    assert short("x" * (MESSAGE_LIMIT + 1)) == "x" * MESSAGE_LIMIT + "…"


def test_unknown_fields_are_named_in_order_with_their_place():
    found = unknown_fields({"b": 1, "a": 2, "known": 3}, frozenset({"known"}), "record.")
    assert found == ["record.a: unknown, ignored", "record.b: unknown, ignored"]
    assert RequestData(unknown=("mood",)).warnings == ["mood: unknown, ignored"]

"""Bodies that are not JSON, or too large."""

from __future__ import annotations

import json

import pytest

from tests.server.api import FAST, SHORT
from tests.server.http.routes.test_bad_options import CONFIGS
from tests.server.http.routes.test_bad_states import STATES
from tests.server.http.schemas.test_types import SHAPES

HAND = {"player_hand": SHORT}
GOOD = json.dumps({"game_state": HAND, "ai_config": FAST}).encode()
TEXTS = {
    "empty": (b"", "the body is not JSON: Expecting value: line 1 column 1 (char 0)"),
    "half": (
        b'{"game_state":',
        "the body is not JSON: Expecting value: line 1 column 15 (char 14)",
    ),
    "prose": (b"play something", "the body is not JSON: Expecting value: line 1 column 1 (char 0)"),
    "two values": (GOOD + b"{}", "the body is not JSON: Extra data"),
    "NaN": (b'{"game_state": {"scores": [NaN]}}', "the body is not JSON: NaN is not a number"),
    "Infinity": (
        b'{"game_state": {}, "ai_config": {"c": Infinity}}',
        "the body is not JSON: Infinity is not a number",
    ),
    "-Infinity": (b"[-Infinity]", "the body is not JSON: -Infinity is not a number"),
    "infinity by exponent": (
        b'{"game_state": {"player_hand": ["2C"]}, "ai_config": {"c": 1e999}}',
        "the body has a number that is too large: 1e999",
    ),
    "5001 digits": (
        b'{"game_state": {"scores": [' + b"9" * 5001 + b"]}}",
        "the body has a number with too many digits",
    ),
    "deep nesting": (b"[" * 100_000, "the body is nested too deeply"),
    "deep nesting of objects": (b'{"a":' * 50_000, "the body is nested too deeply"),
    "not UTF-8": (b'{"game_state": "\xff\xfe"}', "the body is not UTF-8"),
    "Latin-1": ('{"game_state": "é"}'.encode("latin-1"), "the body is not UTF-8"),
    "UTF-16": (GOOD.decode().encode("utf-16"), "the body is not UTF-8"),
    "UTF-8 with a mark": (
        b"\xef\xbb\xbf" + GOOD,
        "the body is not JSON: Unexpected UTF-8 BOM (decode using utf-8-sig)",
    ),
    "zero bytes": (b"\0" * 20, "the body is not JSON: Expecting value: line 1 column 1 (char 0)"),
}


@pytest.mark.parametrize("case", TEXTS)
def test_a_body_that_is_no_json(api, case):
    body, message = TEXTS[case]
    status, answer = api.post("/api/move", body)
    assert (status, answer["error_code"]) == (400, "PARSE_ERROR")
    assert answer["message"].startswith(message)
    assert len(answer["message"]) < 600


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "multipart/form-data"])
def test_a_wrong_content_type(api, kind):
    status, answer = api.post("/api/move", GOOD, **{"Content-Type": kind})
    assert (status, answer["error_code"]) == (400, "PARSE_ERROR")
    assert answer["message"] == f"Content-Type: {kind}: send application/json"


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/vnd.x+json", ""])
def test_content_types_that_mean_json(api, kind):
    assert api.post("/api/move", GOOD, **{"Content-Type": kind})[0] == 200


def test_a_large_body_is_refused_by_its_size(api):
    status, answer = api.post("/api/move", b" " * (256 * 1024 + 1))
    assert (status, answer["error_code"]) == (413, "HTTP_ERROR")
    assert api.post("/api/move", GOOD + b" " * (256 * 1024 - len(GOOD)))[0] == 200


def test_there_are_many_cases_of_bad_input():
    assert len(STATES) + len(SHAPES) + len(TEXTS) + len(CONFIGS) > 100

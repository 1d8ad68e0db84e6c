"""The table of errors: complete, and every row answered as it says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from hearts.game.errors import HeartsError
from server.http.errors import CODES, answer, register
from server.runtime.errors import ApiError, Busy, InvalidApiKey


def subclasses(kind: type[Exception]) -> Iterator[type[Exception]]:
    """All classes below `kind`."""
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


@pytest.mark.parametrize("tree", [ApiError, HeartsError])
def test_every_error_has_a_code_and_a_status(tree):
    assert set(subclasses(tree)) == {kind for kind in CODES if issubclass(kind, tree)}


def test_a_code_has_one_status():
    assert len(dict(CODES.values())) == len(set(CODES.values()))


@pytest.mark.parametrize("kind", [kind for kind in CODES if issubclass(kind, ApiError)])
def test_an_error_is_answered_as_the_table_says(kind):
    app = Flask(__name__)
    register(app)
    with app.test_request_context():
        response = app.handle_user_exception(kind("too late", field="number", events=3))
    code, status = CODES[kind]
    assert response.status_code == status
    assert response.json == {
        "status": "error",
        "error_code": code,
        "message": "number: too late",
        "events": 3,
    }


def test_headers_come_from_data():
    assert answer(Busy("all are taken", retry_after=5)).headers["Retry-After"] == "5"
    assert "Retry-After" not in answer(Busy("all are taken")).headers
    assert answer(InvalidApiKey("missing")).headers["WWW-Authenticate"] == "Bearer"

"""Tokens of seats."""

from __future__ import annotations

from server.runtime.tokens import new_token, seat_of, token_hash


def test_a_token_proves_its_seat_and_no_other():
    tokens = [new_token() for _ in range(3)]
    hashes = [token_hash(tokens[0]), None, token_hash(tokens[1]), token_hash(tokens[2])]
    assert [seat_of(token, hashes) for token in tokens] == [0, 2, 3]
    for wrong in ("", "x", tokens[0][:-1], tokens[0] + "=", token_hash(tokens[0]), "\ud800"):
        assert seat_of(wrong, hashes) is None

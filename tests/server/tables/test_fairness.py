"""Commitments, deals from seeds, tokens, and `hearts verify`."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from random import Random

import pytest
from click.testing import CliRunner

from hearts.game.cards import ALL_CARDS, DECK, SEATS, count, names, parse_cards
from server.cli.games.verify import verify
from server.tables.fairness import (
    commitment,
    dealt_by,
    sealed_text,
    shuffle,
)
from server.tables.tokens import new_token, seat_of, token_hash
from server.tables.views import view_of
from tests.server.tables.tables import moments, new_table

DEALT = [0x1FFF << 16 * suit for suit in range(SEATS)]  # one suit each


def test_the_text_of_a_commitment_is_as_documented():
    text = sealed_text("an-id", 3, DEALT, "ab" * 32)
    assert text == (
        "hearts-deal-1\nan-id\n3\n"
        "2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC AC\n"
        "2D 3D 4D 5D 6D 7D 8D 9D 10D JD QD KD AD\n"
        "2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS AS\n"
        "2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH AH\n" + "ab" * 32
    )
    assert commitment("an-id", 3, DEALT, "ab" * 32) == hashlib.sha256(text.encode()).hexdigest()
    # Worked out once, so that no change of ours goes unnoticed.
    assert commitment("an-id", 3, DEALT, "ab" * 32) == EXAMPLE


EXAMPLE = "bf38078ea0d0d1d5615a6b544ea19f7b72668aa5bb4f66d4a7a7377e79c4d94a"


def test_every_part_of_a_deal_is_committed_to():
    other = [DEALT[1], DEALT[0], *DEALT[2:]]
    found = {
        commitment(*deal)
        for deal in (
            ("an-id", 3, DEALT, "ab" * 32),
            ("an-ie", 3, DEALT, "ab" * 32),
            ("an-id", 4, DEALT, "ab" * 32),
            ("an-id", 3, other, "ab" * 32),
            ("an-id", 3, DEALT, "ba" * 32),
        )
    }
    assert len(found) == 5


def test_deals_without_a_seed_are_never_the_same_and_fair():
    """The place of one card over many deals: chi² with three degrees of freedom."""
    drawn = [shuffle(None, 0) for _ in range(400)]
    assert len({each.dealt for each in drawn}) == len({each.nonce for each in drawn}) == 400
    queens = Counter(
        next(seat for seat in range(SEATS) if each.dealt[seat] & parse_cards("QS"))
        for each in drawn
    )
    assert sum((queens[seat] - 100) ** 2 / 100 for seat in range(SEATS)) < 21.1  # p = 0.0001
    for each in drawn[:20]:
        assert [count(cards) for cards in each.dealt] == [13] * 4
        assert each.dealt[0] | each.dealt[1] | each.dealt[2] | each.dealt[3] == DECK


def test_deals_of_a_seed_are_a_function_of_it_and_of_the_hand():
    assert shuffle(5, 2).dealt == shuffle(5, 2).dealt == dealt_by(5, 2)
    assert shuffle(5, 2).nonce != shuffle(5, 2).nonce
    assert len({dealt_by(seed, hand) for seed in (5, 6, 2**64 - 1) for hand in (0, 1)}) == 6
    # As documented: the seats get the deck in the order of numpy's permutation.
    import numpy as np

    order = np.random.default_rng([5, 2]).permutation(52)
    assert names(dealt_by(5, 2)[1]) == names(sum(1 << ALL_CARDS[place] for place in order[13:26]))


def test_a_token_proves_its_seat_and_no_other():
    tokens = [new_token() for _ in range(3)]
    hashes = [token_hash(tokens[0]), None, token_hash(tokens[1]), token_hash(tokens[2])]
    assert [seat_of(token, hashes) for token in tokens] == [0, 2, 3]
    for wrong in ("", "x", tokens[0][:-1], tokens[0] + "=", token_hash(tokens[0]), "\ud800"):
        assert seat_of(wrong, hashes) is None


# hearts verify


@pytest.fixture(scope="module")
def view() -> dict:
    *_, end = moments(new_table(target=30), Random(1))
    return json.loads(json.dumps(view_of(end, None)))


def checked(given: object, *options: str) -> tuple[int, str]:
    text = given if isinstance(given, str) else json.dumps(given)
    result = CliRunner().invoke(verify, ["-", *options], input=text)
    return result.exit_code, result.output


def test_a_table_that_kept_its_promises(view, tmp_path):
    code, says = checked(view)
    assert code == 0
    assert says.splitlines() == [
        f"hand {hand['number']}: as promised by {hand['commitment']}" for hand in view["hands"]
    ]
    file = tmp_path / "table.json"
    file.write_text(json.dumps({"status": "success", "table": view}))
    assert CliRunner().invoke(verify, [str(file)]).exit_code == 0
    found = json.loads(checked(view, "--json")[1])
    assert all(each["kept"] for each in found)


def test_one_opening_against_a_commitment_that_was_noted(view):
    hand = view["hands"][0]
    assert checked(hand["opening"], "--commitment", hand["commitment"].upper())[0] == 0
    code, says = checked(hand["opening"], "--commitment", "0" * 64)
    assert (code, "NOT what" in says) == (1, True)
    assert checked(hand["opening"])[0] == 1
    assert checked(view, "--commitment", hand["commitment"])[0] == 0
    code, says = checked(view, "--commitment", "0" * 64)
    assert (code, says.splitlines()[-1]) == (1, f"nothing here opens {'0' * 64}")


def test_a_game_and_its_export_are_read_too(view):
    game = {
        "game_id": view["table_id"],
        "hands": [
            {
                "number": hand["number"],
                "finished": True,
                "commitment": hand["commitment"],
                "nonce": hand["opening"]["nonce"],
                "record": hand["record"],
            }
            for hand in view["hands"]
        ]
        + [{"number": 9, "finished": False, "commitment": "…", "nonce": None, "record": None}],
    }
    assert checked({"status": "success", "game": game})[0] == 0
    lines = [
        json.dumps(
            hand["record"]
            | {"game": view["table_id"], "hand": hand["number"], "commitment": hand["commitment"]}
            | {"nonce": hand["nonce"]}
        )
        for hand in game["hands"][:-1]
    ]
    assert checked("\n".join(lines))[0] == 0


def exchanged(hands: list[list[str]]) -> None:
    """Two seats swap a card."""
    hands[0][0], hands[1][0] = hands[1][0], hands[0][0]


def test_every_lie_is_found(view):
    def altered(change) -> tuple[int, str]:
        copy = json.loads(json.dumps(view))
        change(copy["hands"][0])
        return checked(copy)

    lies = {
        "another nonce": lambda hand: hand["opening"].update(nonce="0" * 64),
        "another commitment": lambda hand: hand.update(commitment="0" * 64),
        "another number": lambda hand: hand.update(number=7),
        "other cards": lambda hand: exchanged(hand["opening"]["dealt"]),
        "cards played that were not dealt": lambda hand: exchanged(hand["record"]["dealt"]),
        "no nonce": lambda hand: hand["opening"].pop("nonce"),
        "no commitment": lambda hand: hand.pop("commitment"),
        "no card": lambda hand: hand["opening"]["dealt"][0].__setitem__(0, "1Z"),
        "no hand": lambda hand: hand["opening"]["dealt"].__setitem__(0, 7),
        "three hands": lambda hand: hand["opening"]["dealt"].pop(),
        "a hand twice": lambda hand: hand["opening"].update(dealt=hand["opening"]["dealt"][:1] * 4),
        "an opening that is none": lambda hand: hand.update(opening=[1]),
        "a record that is none": lambda hand: hand.update(record="x"),
    }
    for lie, change in lies.items():
        code, says = altered(change)
        assert code == 1, lie
        assert len(says.splitlines()) == len(view["hands"]), lie


def test_what_cannot_be_checked_is_said(tmp_path):
    view = view_of(new_table(), None)
    assert checked(view) == (1, "nothing to check: no hand is over\n")
    assert checked("{")[1].startswith("Error: neither JSON nor lines of JSON: ")
    assert checked([1])[1] == "Error: a table, a game or an opening is a JSON object\n"
    assert checked("[" * 100_000)[1].startswith("Error: neither JSON nor lines of JSON: ")
    for source in (str(tmp_path / "none"), "http://[x", "http://127.0.0.1:1/a b"):
        missing = CliRunner().invoke(verify, [source])
        assert missing.exit_code == 1
        assert f"Error: cannot read {source}: " in missing.output

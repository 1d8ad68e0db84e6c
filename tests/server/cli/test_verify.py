"""`hearts verify`: valid and forged deals."""

from __future__ import annotations

import json
from random import Random

import pytest
from click.testing import CliRunner

from server.cli.games.verify import verify
from server.tables.views import view_of
from tests.server.tables.tables import moments, new_table


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

"""Game records: they replay, come back as they were, and faults are found in their place."""

import gzip
import json
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.game.deal import Deal
from hearts.game.errors import InvalidRecord
from hearts.game.records import Record, parse_record, read_records, write_records
from hearts.game.rules import PASSING, STANDARD, MoonScoring, PassDirection, Rules
from tests.hearts.games import VARIANTS, finish, new_deal, one_suit_each, steps

DATA = Path(__file__).parents[2] / "data"
SETS = {"xinxin-1k-dev": 800, "xinxin-10k-dev": 102, "heuristics-dev": 800}


def stored(name: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


TENS = stored("xinxin-10k-dev")
PASSED = next(record for record in TENS if record["pass_direction"] == "left")
HELD = next(record for record in TENS if record["pass_direction"] == "hold")


@pytest.mark.parametrize("name", SETS)
def test_hands_of_independent_engines_replay(name):
    path = DATA / f"{name}.jsonl.gz"
    records = list(read_records(path))
    assert len(records) == SETS[name]
    assert all(record.deal.finished and record.deal.rules == PASSING for record in records)
    assert [list(record.points or ()) for record in records] == [
        each["points"] for each in stored(name)
    ]


@pytest.mark.parametrize("original", [PASSED, HELD], ids=["passed", "held"])
def test_records_are_written_as_they_were_read(original):
    """All but the order of cards within a hand and the name of the ten comes back."""
    written = parse_record(original).as_object()
    assert written.keys() == original.keys()
    assert written["plays"] == [
        {"player": play["player"], "card": play["card"].replace("T", "10")}
        for play in original["plays"]
    ]
    for field in ("id", "source", "rules", "pass_direction", "seed", "points"):
        assert written[field] == original[field]
    for field in ("dealt", "passed"):
        assert [sorted(cards) for cards in written[field]] == [
            sorted(card.replace("T", "10") for card in cards) for cards in original[field]
        ]
    assert parse_record(written) == parse_record(original)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(list(VARIANTS.values())), st.sampled_from(PassDirection), st.integers(0, 2**32)
)
def test_hands_that_stop_early_are_records_too(rules, direction, seed):
    rng = np.random.default_rng(seed)
    game = list(steps(new_deal(rules, direction, rng), rng))
    deal = game[int(rng.integers(1, len(game)))]
    record = Record.of(deal, "a", "test", seed=seed)
    assert parse_record(json.dumps(record.as_object())) == record
    assert (record.points is None) == (not deal.finished)


def test_a_hand_whose_pass_is_under_way_is_a_record():
    deal = Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(0))
    for part in (deal, deal.give(1, deal.dealt[1] & -deal.dealt[1] | sum(top_two(deal.dealt[1])))):
        assert parse_record(Record.of(part).as_object()).deal == part


def top_two(cards: int) -> tuple[int, int]:
    high = 1 << cards.bit_length() - 1
    return high, 1 << (cards ^ high).bit_length() - 1


def test_points_of_an_unfinished_hand_are_kept_unchecked():
    part = deepcopy(PASSED) | {"plays": PASSED["plays"][:20], "points": [1, 2, 3, 4]}
    assert parse_record(part).points == (1, 2, 3, 4)


def test_where_the_shooter_chooses_both_scorings_are_right():
    rules = replace(STANDARD, moon=MoonScoring.SHOOTER_CHOOSES)
    deal = finish(Deal.of(rules, one_suit_each()), np.random.default_rng(0))
    record = Record.of(deal).as_object()
    for points in ([0, 26, 26, 26], [-26, 0, 0, 0]):
        assert parse_record(record | {"points": points}).points == tuple(points)
    with pytest.raises(InvalidRecord, match=r"^points: "):
        parse_record(record | {"points": [0, 0, 0, 0]})
    fixed = record | {"rules": STANDARD.mask, "points": [-26, 0, 0, 0]}
    with pytest.raises(InvalidRecord, match=r"^points: "):
        parse_record(fixed)


def test_rules_come_as_a_mask_or_by_name():
    named = deepcopy(PASSED) | {"rules": PASSING.as_object()}
    assert parse_record(named).deal == parse_record(PASSED).deal


def test_without_an_opening_card_the_first_player_leads():
    deal = Deal.of(Rules.from_mask(0), one_suit_each(), leader=2).play(32)
    assert parse_record(Record.of(deal).as_object()).deal == deal


# --- faults -------------------------------------------------------------------------------------


def changed(original: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    """A copy in which the value at a path is another."""
    copy = deepcopy(original)
    target: Any = copy
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = to
    return copy


def without(original: dict[str, Any], field: str) -> dict[str, Any]:
    return {key: value for key, value in original.items() if key != field}


def swapped_plays(a: int, b: int) -> dict[str, Any]:
    copy = deepcopy(PASSED)
    plays = copy["plays"]
    plays[a], plays[b] = plays[b], plays[a]
    return copy


DEALT, PLAYS = PASSED["dealt"], PASSED["plays"]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "record: must be an object"),
        ("{", "record: not JSON: "),
        ("[" * 100_000, "record: not JSON: "),
        (without(PASSED, "rules"), "rules: None: give a bit mask"),
        (changed(PASSED, "rules", to=99999), "rules: 99999: the mask has 14 bits"),
        (changed(PASSED, "rules", to={"odd": True}), "rules.odd: there is no such rule"),
        (changed(PASSED, "pass_direction", to="up"), "pass_direction: 'up': choose"),
        (changed(PASSED, "pass_direction", to="hold"), "passed: must be empty when the direction"),
        (changed(HELD, "pass_direction", to="left"), "passed: 4 × 3 cards must be passed left"),
        (
            changed(PASSED, "pass_direction", to="right"),
            "plays[7]: seat 3 cannot play AS: it is not",
        ),
        (without(PASSED, "dealt"), "dealt: missing"),
        (changed(PASSED, "dealt", to=DEALT[:3]), "dealt: 3 hands: there are 4 seats"),
        (changed(PASSED, "dealt", 1, to=DEALT[1][:12]), "dealt[1]: 12 cards, not 13"),
        (changed(PASSED, "dealt", 1, to=DEALT[0]), "dealt[1]: "),
        (changed(PASSED, "dealt", 2, 3, to="1H"), "dealt[2]: '1H' is not a card"),
        (changed(PASSED, "dealt", 2, 3, to=DEALT[2][4]), f"dealt[2]: {DEALT[2][4]} is named twice"),
        (changed(PASSED, "dealt", 2, to=None), "dealt[2]: "),
        (without(PASSED, "passed"), "passed: missing"),
        (changed(PASSED, "passed", 0, to=DEALT[0][:2]), "passed[0]: 2 cards, not 3"),
        (changed(PASSED, "passed", 0, to=DEALT[1][:3]), "passed[0]: seat 0 cannot pass "),
        (changed(PASSED, "passed", 3, to=[]), "passed: 4 × 3 cards must be passed left"),
        (without(PASSED, "plays"), "plays: missing"),
        (changed(PASSED, "plays", to={}), "plays: {} is not a list"),
        (changed(PASSED, "plays", 5, to="QS"), 'plays[5]: must be {"player": 0 to 3, "card"}'),
        (changed(PASSED, "plays", 5, "player", to=None), "plays[5]: must be "),
        (changed(PASSED, "plays", 5, "player", to=True), "plays[5]: must be "),
        ('{"rules": ' + "9" * 5000 + "}", "record: not JSON: "),
        ('{"x": NaN}', "record: not JSON: NaN is not a finite number"),
        ('{"x": -1e999}', "record: not JSON: -1e999 is not a finite number"),
        (changed(PASSED, "plays", 5, "card", to=None), "plays[5]: None is not a card"),
        (changed(PASSED, "plays", 5, "card", to=PLAYS[0]["card"]), "plays[5]: seat "),
        (changed(PASSED, "plays", 7, "player", to=9), "plays[7]: seat 9 cannot play "),
        (changed(PASSED, "plays", to=[*PLAYS, PLAYS[0]]), "plays[52]: seat "),
        (swapped_plays(9, 10), "plays[9]: seat "),
        (changed(PASSED, "points", to=[26, 0, 0, 0]), "points: [26, 0, 0, 0] are given, "),
        (changed(PASSED, "points", to=[1, 2, 3]), "points: must be 4 whole numbers"),
        (changed(PASSED, "points", 0, to=True), "points: must be 4 whole numbers"),
        (changed(PASSED, "points", to="none"), "points: 'none' is not a list"),
    ],
)
def test_faults_are_refused_in_their_place(record, message):
    with pytest.raises(InvalidRecord) as caught:
        parse_record(record)
    assert str(caught.value).startswith(message)
    assert caught.value.field == message.split(":")[0]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(TENS) - 1), st.integers(0, 51), st.integers(0, 51))
def test_a_card_played_by_the_wrong_seat_is_found_there(number, place, other):
    """A play takes the card of another: the first of the two places at the latest is refused."""
    record = TENS[number]
    card = record["plays"][other]["card"]
    if other == place:
        return
    copy = changed(record, "plays", place, "card", to=card)
    with pytest.raises(InvalidRecord) as caught:
        parse_record(copy)
    found = int(caught.value.field.removeprefix("plays[").removesuffix("]"))
    assert place <= found <= max(place, other)


def test_lines_are_counted_and_blank_ones_skipped(tmp_path):
    path = tmp_path / "hands.jsonl"
    heart = next(i for i, play in enumerate(PLAYS) if play["card"].endswith("H"))
    wrong = changed(PASSED, "plays", heart, "player", to=(PLAYS[heart]["player"] + 1) % 4)
    path.write_text(f"{json.dumps(HELD)}\n\n{json.dumps(wrong)}\n")
    records = read_records(path)
    assert next(records).id == HELD["id"]
    with pytest.raises(InvalidRecord, match=rf"^line 3: plays\[{heart}\]: seat . cannot play "):
        next(records)


@pytest.mark.parametrize("name", ["hands.jsonl", "hands.jsonl.gz"])
def test_files_are_read_back(tmp_path, name):
    records = [parse_record(record) for record in TENS[:5]]
    assert write_records(tmp_path / name, records) == 5
    assert list(read_records(tmp_path / name)) == records


def truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("text.jsonl.gz", b"not gzip"),
        ("half.jsonl.gz", truncated(gzip.compress(json.dumps(TENS).encode()))),
        ("binary.jsonl", b"\xff\xfe\x00\x01"),
        ("bad.jsonl.gz", gzip.compress(b"x" * 99, mtime=0)[:-6] + b"!!!!!!"),
    ],
)
def test_files_that_cannot_be_read_are_refused(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InvalidRecord, match=r"^line 1: (unreadable|record: not JSON): "):
        list(read_records(tmp_path / name))

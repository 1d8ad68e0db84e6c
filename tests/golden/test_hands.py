"""The golden hands: complete hands of every variant whose results are stored."""

import json

import pytest

from hearts.game.records import parse_record
from tests.golden.make_hands import KINDS, PATH, PER_KIND

LINES = PATH.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("line", LINES, ids=[json.loads(line)["id"] for line in LINES])
def test_a_golden_hand_replays_to_its_stored_points(line):
    record = parse_record(line)
    rules, wanted = KINDS[record.extra["kind"]]
    assert record.deal.finished
    assert record.deal.rules == rules
    assert wanted(record.deal)
    assert json.dumps(record.as_object(), separators=(",", ":")) == line


def test_every_kind_is_there():
    kinds = [json.loads(line)["kind"] for line in LINES]
    assert sorted(kinds) == sorted([*KINDS] * PER_KIND)


def test_stored_points_are_checked():
    for line in LINES:
        stored = json.loads(line)
        stored["points"][0] += 1
        with pytest.raises(ValueError, match=r"^points: \[.*\] are given, \[.*\] is right$"):
            parse_record(stored)

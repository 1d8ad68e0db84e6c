"""Records with each card replaced by a random one of those equal to it in play."""

from itertools import islice
from pathlib import Path

import numpy as np

from hearts.game.records import parse_record, read_records
from models.evaluation.neutralise import neutralised

DATA = Path(__file__).parents[2] / "data"
RECORDS = tuple(islice(read_records(DATA / "xinxin-1k-dev.jsonl.gz"), 6))


def test_a_neutralised_hand_has_the_same_winners_and_points():
    rng = np.random.default_rng(0)
    changed = 0
    for record in RECORDS:
        other = neutralised(record, rng)
        assert parse_record(other.as_object()).deal == other.deal  # every play is legal
        assert other.deal.dealt == record.deal.dealt
        assert other.deal.final_points() == record.deal.final_points()
        for before, after in zip(record.deal.tricks, other.deal.tricks, strict=True):
            assert (before.winner, before.led) == (after.winner, after.led)
            changed += before.cards != after.cards
    assert changed > len(RECORDS)


def test_equal_cards_are_about_equally_likely():
    record = RECORDS[0]
    cards = {}
    for seed in range(60):
        plays = list(neutralised(record, np.random.default_rng(seed)).deal.plays)
        for number, (_, card) in enumerate(plays[:12]):
            cards.setdefault(number, []).append(card)
    shares = [max(map(each.count, each)) / len(each) for each in cards.values()]
    assert min(shares) < 0.7

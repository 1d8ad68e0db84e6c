"""The loss of a belief in one hand, against a count that is made card by card."""

import math
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from hearts.engine.beliefs import load_belief
from hearts.game.cards import ALL_CARDS, SEATS, bit, index_of
from hearts.game.errors import InvalidConfig
from hearts.game.records import Record, read_records
from hearts.views.view import View
from models.evaluate import rewound
from models.losses import LOOKS, belief_loss

DATA = Path(__file__).parents[1] / "data"
RECORDS = tuple(islice(read_records(DATA / "heuristics-dev.jsonl.gz"), 12))


def oracle(record: Record, seat: int, belief: str) -> tuple[float, int]:
    total, cards = 0.0, 0
    for number, (player, _) in enumerate(record.deal.plays):
        if player != seat or number // SEATS + 1 not in LOOKS:
            continue
        before = rewound(record.deal, number)
        view = View.of(before, seat)
        stated = load_belief(belief).probabilities(view)
        for card in ALL_CARDS:
            holders = [other for other in view.others if view.possible[other] & bit(card)]
            if len(holders) > 1:
                true = next(other for other in view.others if before.hands[other] & bit(card))
                total -= math.log(stated[index_of(card), true])
                cards += 1
    return total, cards


@pytest.mark.parametrize("seat", range(SEATS))
def test_the_loss_is_that_of_every_hidden_card_by_itself(seat):
    for record in RECORDS[:4]:
        total, cards = belief_loss(record, seat, "OM-1")
        assert (pytest.approx(total), cards) == oracle(record, seat, "OM-1")
        assert cards > 20


def test_who_notices_more_loses_less():
    """Over some hands OM-0 loses more than OM-1, and OM-1 more than OM-2."""
    losses = {}
    for name in ("OM-0", "OM-1", "OM-2"):
        found = [belief_loss(record, i % SEATS, name) for i, record in enumerate(RECORDS)]
        losses[name] = sum(total for total, _ in found) / sum(cards for _, cards in found)
    assert losses["OM-0"] > losses["OM-1"] > losses["OM-2"]


def test_a_hand_that_stops_early_is_judged_as_far_as_it_goes():
    record = RECORDS[0]
    early = replace(record, deal=rewound(record.deal, 4 * LOOKS[0]))
    none = replace(record, deal=rewound(record.deal, 4))
    assert belief_loss(none, 2, "OM-1") == (0.0, 0)
    assert 0 < belief_loss(early, 2, "OM-1")[1] < belief_loss(record, 2, "OM-1")[1]


def test_a_belief_that_is_not_installed_is_named():
    with pytest.raises(InvalidConfig, match="OM-9"):
        belief_loss(RECORDS[0], 0, "OM-9")

"""The log-loss of a belief in one hand, against a sum card by card."""

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
from models.evaluation.hand_loss import SAMPLED_TRICKS, belief_loss
from models.evaluation.labelled import replay

DATA = Path(__file__).parents[2] / "data"
RECORDS = tuple(islice(read_records(DATA / "heuristics-dev.jsonl.gz"), 12))


def oracle(record: Record, seat: int, belief: str) -> tuple[float, int]:
    total, cards = 0.0, 0
    for number, (player, _) in enumerate(record.deal.plays):
        if player != seat or number // SEATS + 1 not in SAMPLED_TRICKS:
            continue
        before = replay(record.deal, number)
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
def test_loss_is_the_sum_over_hidden_cards(seat):
    for record in RECORDS[:4]:
        total, cards = belief_loss(record, seat, "OM-1")
        assert (pytest.approx(total), cards) == oracle(record, seat, "OM-1")
        assert cards > 20


def test_beliefs_that_use_more_evidence_have_a_lower_loss():
    losses = {}
    for name in ("OM-0", "OM-1", "OM-2"):
        found = [belief_loss(record, i % SEATS, name) for i, record in enumerate(RECORDS)]
        losses[name] = sum(total for total, _ in found) / sum(cards for _, cards in found)
    assert losses["OM-0"] > losses["OM-1"] > losses["OM-2"]


def test_an_unfinished_hand_is_scored_as_far_as_it_goes():
    record = RECORDS[0]
    early = replace(record, deal=replay(record.deal, 4 * SAMPLED_TRICKS[0]))
    none = replace(record, deal=replay(record.deal, 4))
    assert belief_loss(none, 2, "OM-1") == (0.0, 0)
    assert 0 < belief_loss(early, 2, "OM-1")[1] < belief_loss(record, 2, "OM-1")[1]


def test_an_unknown_belief_is_refused_by_name():
    with pytest.raises(InvalidConfig, match="OM-9"):
        belief_loss(RECORDS[0], 0, "OM-9")

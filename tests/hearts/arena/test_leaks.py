"""Leaks: 0 for an observer that only sees voids, all for one that sees the cards."""

import numpy as np
import pytest

from hearts.arena.leaks import TRICKS, between_tricks, leak, log_ratio
from hearts.arena.tournament import Tournament, play_deal
from hearts.engine.beliefs import load_belief
from hearts.game.cards import SEATS
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.players.spec import parse_spec
from hearts.views.view import View
from models.oracle import OracleBelief
from tests.hearts.games import finish, new_deal
from tests.hearts.play import random_deal

CHANCE = load_belief("OM-1")


def test_chance_against_itself_is_even():
    deal = random_deal(STANDARD, 20, 1)
    view = View.of(deal, 0)
    assert log_ratio(view, 1, deal.hands[1], CHANCE, CHANCE) == 0


def test_who_sees_the_cards_is_as_much_better_as_chance_is_unlikely():
    deal = random_deal(STANDARD, 20, 1)
    view = View.of(deal, 0)
    found = log_ratio(view, 1, deal.hands[1], OracleBelief(deal.hands), CHANCE)
    holds = CHANCE.probabilities(view)[:, 1]
    expected = 0.0
    for row, card in enumerate(suit * 16 + rank for suit in range(4) for rank in range(13)):
        if view.unseen >> card & 1:
            expected -= np.log(holds[row] if deal.hands[1] >> card & 1 else 1 - holds[row])
    assert found == pytest.approx(expected, abs=1e-3)
    assert found > 5


def test_a_wrong_belief_is_worse_than_chance():
    deal = random_deal(STANDARD, 20, 1)
    wrong = OracleBelief([deal.hands[seat] for seat in (0, 2, 1, 3)])
    assert log_ratio(View.of(deal, 0), 1, deal.hands[1], wrong, CHANCE) < -10


def test_hands_are_seen_as_they_were_between_tricks():
    rng = np.random.default_rng(3)
    last = finish(new_deal(PASSING, PassDirection.LEFT, rng), rng)
    again = Deal.of(last.rules, last.dealt, last.direction)
    for seat in range(SEATS):
        again = again.give(seat, last.passes[seat])
    expected = {}
    for _, card in last.plays:
        if not again.trick.cards:
            expected[len(again.tricks)] = again
        again = again.play(card)
    assert list(between_tricks(last)) == [expected[over] for over in TRICKS]


def test_a_leak_is_an_interval_over_deals():
    tournament = Tournament(parse_spec("duck"), parse_spec("random"))
    deals = [play_deal(tournament, number, keep_records=True) for number in range(3)]
    records = [record for deal in deals for record in deal.records]
    found = leak(records, tournament.seats, "OM-0")
    assert found.low <= found.mean <= found.high < 0  # it ignores voids
    assert found == leak(records, tournament.seats, "OM-0", jobs=2)
    assert leak(records[:8], tournament.seats, "OM-1").mean == 0


def test_what_is_measured_is_the_focus_s_hand():
    """With another focus player, the same records give another result."""
    tournament = Tournament(parse_spec("duck"), parse_spec("random"))
    records = play_deal(tournament, 0, keep_records=True).records
    other = [record | {"seating": (record["seating"] + 1) % SEATS} for record in records]
    assert leak(records, "single", "OM-0") != leak(other, "single", "OM-0")

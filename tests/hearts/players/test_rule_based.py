"""The rule-based players: legal plays in every variant, determinism, and typical choices."""

import numpy as np
import pytest

from hearts.arena.referee import Referee
from hearts.arena.seeds import derive_seed
from hearts.game.cards import count, name, names, parse_cards
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.game.trick import Trick
from hearts.players.passing import rule_pass
from hearts.players.registry import create_player, shared_player
from hearts.players.spec import RULE_BASED, Spec
from hearts.views.view import View
from tests.hearts.games import VARIANTS, random_hands, skewed_hands, trick


@pytest.mark.parametrize("kind", RULE_BASED)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_player_is_legal_under_all_rules(kind, variant):
    rng = np.random.default_rng(7)
    referee = Referee([shared_player(Spec(kind))] * 4)
    for number in range(6):
        hands = (random_hands if number % 2 else skewed_hands)(rng)
        deal = Deal.of(VARIANTS[variant], hands, PassDirection(number % 4), leader=number % 4)
        assert referee.play(deal, seed=number).finished
    assert [spent.faults for spent in referee.spending] == [{}] * 4


@pytest.mark.parametrize("kind", RULE_BASED)
def test_a_choice_is_a_function_of_view_and_seed(kind):
    deal = Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(3))
    first, second = create_player(Spec(kind)), create_player(Spec(kind))
    for seed in range(20):
        chosen = first.choose_pass(View.of(deal, 0), seed)
        assert chosen == second.choose_pass(View.of(deal, 0), seed)
        assert count(chosen) == 3
        assert not chosen & ~deal.dealt[0]
    hold = Deal.of(PASSING, deal.dealt)
    while not hold.finished:
        seed = derive_seed(9, count(hold.played))
        card = first.choose_card(View.of(hold, hold.turn), seed)
        assert card == second.choose_card(View.of(hold, hold.turn), seed)
        hold = hold.play(card)


def card_for(kind: str, hand: str, table: str, leader: int, tricks: tuple[Trick, ...] = ()) -> str:
    """What a player at seat 0 plays, without earlier tricks unless some are given."""
    view = View(0, parse_cards(hand), trick(leader, table), tricks, STANDARD)
    return name(shared_player(Spec(kind)).choose_card(view, 0))


@pytest.mark.parametrize(
    ("hand", "table", "leader", "wanted"),
    [
        ("AS KS 3S 7H 2H", "QS", 3, "3S"),  # Q♠ is led: duck
        ("QS 3S 7H 2H 4D", "2S KS", 2, "QS"),  # Q♠ under the king
        ("QS AH 9D 2D 3D", "5C", 3, "QS"),  # void: discard Q♠ first
        ("AS 4H 9D 2D 3D", "5C", 3, "AS"),  # then the spade that Q♠ could fall on
        ("KD 9D 5D 2D 3H", "JD 4D 6D", 1, "KD"),  # last, no points: take the trick with the king
        ("KD 9D 5D 2D 3H", "JD 4D QS", 1, "9D"),  # last, Q♠ in the trick: duck as high as possible
        ("TD 9D 5D 2D 3H", "JD", 3, "10D"),  # duck as high as possible
        ("AS 4S 3S 2S 5H", "5S 6S 7S", 1, "AS"),  # last, no Q♠: the ace is safe now
        ("AS 4S 3S 2S 5H", "5S", 3, "4S"),  # Q♠ may follow: not the ace
    ],
)
def test_cautious_knows_its_trade(hand, table, leader, wanted):
    assert card_for("cautious", hand, table, leader) == wanted


def test_cautious_lures_the_queen_and_never_leads_into_her():
    assert card_for("cautious", "9S 5S AD KD QH", "", 0) in ("9S", "5S")
    assert card_for("cautious", "AS KS 9D 8D 4H", "", 0) not in ("AS", "KS")


def test_guard_stops_a_moon_that_shows():
    tricks = (
        trick(1, "2C AC 3C 4C"),
        trick(2, "AS QS 2S 3S"),
        trick(2, "KS 3H 4S 4H"),
    )
    hand = "AH KH 9H 2H 5D 6D 7D TD JD 6C"
    played = card_for("guard", hand, "QH 5H", 2, tricks)
    assert played in ("AH", "KH")


def test_passing_keeps_a_guarded_queen_and_gives_a_bare_one():
    guarded = parse_cards("QS 9S 7S 4S 2S AH KH 3H AD KD 4C 5C 6C")
    bare = parse_cards("QS 4S AH 3H 2H 9D 8D 4D 3D 4C 5C 6C 9C")
    for direction in (PassDirection.LEFT, PassDirection.RIGHT, PassDirection.ACROSS):
        assert "QS" not in names(rule_pass(guarded, direction, PASSING))
        assert "QS" in names(rule_pass(bare, direction, PASSING))


def test_passing_empties_a_short_suit():
    hand = parse_cards("2S 3S 4S 5S 6S 2H 3H 4H 5H 6H 9D JD KD")
    assert names(rule_pass(hand, PassDirection.LEFT, PASSING)) == ["9D", "JD", "KD"]

"""What cannot have happened is refused, with its place and the reason."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.game.cards import DECK, HEARTS, SPADES, bit, parse_card, parse_cards
from hearts.game.deal import Deal
from hearts.game.errors import ImpossibleView
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.game.trick import Trick
from hearts.views.view import View
from tests.hearts.games import BASE, FIRST, HAND, VARIANTS, new_deal, steps, trick
from tests.hearts.views.mutations import MUTATIONS, Fields, fields
from tests.hearts.views.possible import can_be

SEEDS = st.integers(0, 2**32 - 1)
RULES = st.sampled_from(list(VARIANTS.values()))
DIRECTIONS = st.sampled_from(list(PassDirection))


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
@settings(max_examples=30, deadline=None)
@given(rules=RULES, direction=DIRECTIONS, seed=SEEDS, skewed=st.booleans())
def test_a_changed_view_is_accepted_only_if_it_can_be(mutation, rules, direction, seed, skewed):
    rng = np.random.default_rng(seed)
    game = list(steps(new_deal(rules, direction, rng, skewed), rng))
    for _ in range(6):
        legal = fields(View.of(game[int(rng.integers(len(game)))], int(rng.integers(4))))
        changed = mutation(legal, rng)
        assert can_be(legal)
        assert accepted(changed) == can_be(changed)


def accepted(changed: Fields) -> bool:
    try:
        View(**changed)
    except ImpossibleView as error:
        return not names_its_place(error, changed)
    return True


def names_its_place(error: ImpossibleView, changed: Fields) -> bool:
    """A caught counts only if it names a field and a reason."""
    return bool(error.reason) and re.split(r"[.\[]", error.field)[0] in changed


def test_most_lies_are_found_out():
    """The oracle is not simply friendly: of the changes that matter most are refused."""
    rng = np.random.default_rng(5)
    refused = total = 0
    for deal in list(steps(new_deal(PASSING, PassDirection.LEFT, rng), rng))[8:44:4]:
        legal = fields(View.of(deal, deal.turn))
        for changed in (mutation(legal, rng) for mutation in MUTATIONS):
            refused += not accepted(changed)
            total += changed != legal
    assert refused > total // 2


def test_a_discard_shows_a_void():
    assert BASE.voids[2] == (True, False, False, False)
    assert BASE.voids[1] == BASE.voids[3] == (False,) * 4
    assert BASE.possible[2] & parse_cards("5C 6C") == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seat": 7}, "seat: 7: seats are 0 to 3"),
        ({"seat": -1}, "seat: -1: seats are 0 to 3"),
        ({"hand": 1 << 13}, "hand: 8192 is not a set of cards"),
        ({"hand": -1}, "hand: -1 is not a set of cards"),
        ({"hand": HAND | parse_cards("AH")}, "hand: 13 cards after 1 tricks: 12 expected"),
        ({"hand": HAND & ~bit(parse_card("2H"))}, "hand: 11 cards after 1 tricks: 12 expected"),
        ({"hand": DECK}, "hand: 52 cards: a hand has at most 13"),
        (
            {"hand": HAND & ~bit(parse_card("2H")) | bit(parse_card("KC"))},
            "tricks[0].cards[3]: KC is in the hand too",
        ),
        ({"tricks": (trick(0, "2C 9C 9C KC"),)}, "tricks[0].cards[2]: 9C was played before, at"),
        ({"tricks": (trick(0, "2C 9C 5S"),)}, "tricks[0].cards: 3 cards: a completed trick has 4"),
        ({"tricks": (trick(1000000, "2C 9C 5S KC"),)}, "tricks[0].leader: 1000000: seats are 0"),
        ({"tricks": (trick(1, "2C 9C 5S KC"),)}, "trick.leader: seat 3 leads, but seat 0 won"),
        ({"tricks": (FIRST,) * 14}, "tricks: 14 tricks: a hand has 13"),
        ({"tricks": (trick(0, "4D 9C 5S KC"),)}, "trick.leader: seat 3 leads, but seat 0 won"),
        ({"trick": trick(1)}, "trick.leader: seat 1 leads, but seat 3 won the trick before"),
        ({"trick": trick(3, "AC QC 6D 5C")}, "trick.cards: 4 cards: a completed trick belongs"),
        ({"trick": Trick(3, (13,))}, "trick.cards[0]: 13 is not a card"),
        ({"trick": trick(3, "KC")}, "trick.cards[0]: KC was played before, at tricks[0].cards[3]"),
        ({"trick": trick(3, "5D")}, "trick.cards[0]: 5D is in the hand too"),
        (
            {"trick": trick(3, "5H")},
            "tricks: no deal fits: only seat 1 and seat 2 can hold 26 cards (5C 6C 7C …), "
            "with room for 24",
        ),
        ({"passed": parse_cards("AC AD AS")}, "passed: no cards are passed when the direction is"),
        ({"match_scores": (1, 2)}, "match_scores: 2 entries: there are 4 seats"),
        ({"won": (0, 0, 0)}, "won: 3 entries: there are 4 seats"),
        ({"won": (0, parse_cards("2C"), 0, 0)}, "won[1]: 2C: not taken by seat 1"),
        ({"passing": True, "direction": PassDirection.LEFT}, "passing: cards are passed before"),
    ],
)
def test_refusals_name_the_place_and_the_reason(changes, message):
    with pytest.raises(ImpossibleView) as caught:
        replace(BASE, **changes)
    assert str(caught.value).startswith(message)


def test_a_revoke_of_another_seat_is_found_when_it_shows_the_suit():
    """Seat 2 discarded on clubs, and plays one two tricks later."""
    later = trick(3, "AC 3C QC 8C")
    with pytest.raises(ImpossibleView) as caught:
        replace(BASE, hand=HAND & ~bit(parse_card("3C")), tricks=(FIRST, later))
    assert str(caught.value) == (
        "tricks[0].cards[2]: seat 2 cannot play 5S while it has 8C: must follow clubs"
    )


def test_my_own_revoke_shows_in_my_hand():
    with pytest.raises(ImpossibleView) as caught:
        replace(BASE, hand=HAND & ~bit(parse_card("2H")), trick=trick(3, "AC 2H"))
    assert str(caught.value) == (
        "trick.cards[1]: seat 0 cannot play 2H while it has 3C: must follow clubs"
    )


def test_hearts_led_unbroken_rule_out_everything_else():
    """Unbroken hearts are led with nothing else in the hand: the rest of it is hearts."""
    deal = Deal.of(
        replace(STANDARD, lead_2_clubs=False, no_queen_first_trick=False),
        [0x1FFF << 16 * suit for suit in (HEARTS, 0, 1, SPADES)],
        leader=0,
    )
    view = View.of(deal.play(parse_card("5H")), 1)
    assert view.voids[0] == (True, True, True, False)
    assert view.known[0] == deal.hands[0] & ~bit(parse_card("5H"))


def test_a_barred_discard_shows_a_hand_of_barred_cards():
    """A heart on the first trick: its player has hearts and Q♠ only; here that is everything."""
    hands = [0x1FFF << 16 * suit for suit in range(4)]
    deal = Deal.of(STANDARD, hands)
    for card in ("2C", "5D", "6S", "7H"):
        deal = deal.play(parse_card(card))
    view = View.of(deal, 0)
    assert view.voids[3] == (True, True, False, False)  # it may have had Q♠ beside 12 hearts
    assert view.possible[3] & parse_cards("QS KS") == parse_cards("QS")
    queen_only = replace(STANDARD, no_hearts_first_trick=False)
    with pytest.raises(ImpossibleView, match=r"barred|no deal fits"):
        replace(view, rules=queen_only, tricks=(trick(0, "2C 5D QS 7H"),))


def test_the_first_leader_holds_the_opening_card():
    rules = replace(STANDARD, lead_2_clubs=False, lead_clubs=True)
    hand = parse_cards("3C 4C 5D 6D 7D 8S 9S 10S JS 2H 3H 4H 5H")
    view = View(seat=0, hand=hand, trick=trick(2, "9C"), rules=rules)
    assert view.known[2] == parse_cards("2C")
    for leader, reason in ((0, "did not have the 2C"), (1, "had the 2C")):
        with pytest.raises(ImpossibleView, match=reason) as caught:
            View(
                seat=0, hand=hand if leader == 0 else hand ^ 0b11, trick=trick(leader), rules=rules
            )
        assert caught.value.field == "trick.leader"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"passed": parse_cards("AC AD")}, "passed: 2 cards: a pass is 3"),
        ({"received": parse_cards("3C 4C 5C")}, "received: 5C: neither in the hand nor played by"),
        ({"passed": parse_cards("3C AD AS")}, "passed: 3C: still in the hand"),
        ({"passed": parse_cards("KC AD AS")}, "tricks[0].cards[3]: KC was passed to seat 1, not"),
        (
            {"passed": parse_cards("5H AD AS"), "received": parse_cards("5H 3C 4C")},
            "received: 5H: given away, so not received",
        ),
    ],
)
def test_passes_must_fit_the_hands(changes, message):
    passed = replace(BASE, rules=PASSING, direction=PassDirection.LEFT)
    with pytest.raises(ImpossibleView) as caught:
        replace(passed, **changes)
    assert str(caught.value).startswith(message)


def test_a_receiver_that_shows_out_contradicts_the_pass():
    across = replace(BASE, rules=PASSING, direction=PassDirection.ACROSS)
    with pytest.raises(ImpossibleView, match=r"tricks\[0\].cards\[2\].*while it has AC"):
        replace(across, passed=parse_cards("AC AD AS"))


def test_counting_finds_what_no_single_play_shows():
    """All three others show out of clubs, so the clubs that I have not seen have no place."""
    hand = parse_cards("3C 4C 5D 6D 7D 8S 9S 10S JS 3S 4S 6S")
    with pytest.raises(ImpossibleView, match=r"trick.*no deal fits: .* 10 cards \(5C 6C 7C …\)"):
        View(0, hand, trick(0), (trick(0, "2C 9D 5S KD"),))

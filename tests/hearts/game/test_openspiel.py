"""The rules against an independent engine: the same legal cards, winners and scores."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyspiel
import pytest

from hearts.game.cards import CLUBS, DIAMONDS, HEARTS, SPADES, card_of, members, rank_of, suit_of
from hearts.game.deal import Deal
from hearts.game.records import read_records
from hearts.game.rules import ALL_HEARTS, PASSING, QUEEN, PassDirection, Rules
from tests.hearts.games import choose, random_hands, skewed_hands

GOLDEN = Path(__file__).parents[2] / "golden" / "hands.jsonl"

# OpenSpiel's options, and ours that mean the same.
OPTIONS = {
    "pass_cards": {"do_pass_cards": False},
    "no_pts_on_first_trick": {"no_hearts_first_trick": False, "no_queen_first_trick": False},
    "can_lead_any_club": {"lead_2_clubs": False, "lead_clubs": True},
    "jd_bonus": {"jack_bonus": True},
    "avoid_all_tricks_bonus": {"no_trick_bonus": True},
    "qs_breaks_hearts": {"queen_breaks_hearts": False},
    "must_break_hearts": {"must_break_hearts": False},
    "can_lead_hearts_instead_of_qs": {"hearts_instead_of_queen": True},
}
DEFAULTS = pyspiel.load_game("hearts").get_parameters()
COMBINATIONS = [
    (),
    *((option,) for option in OPTIONS),
    ("can_lead_hearts_instead_of_qs", "qs_breaks_hearts"),
    ("jd_bonus", "avoid_all_tricks_bonus"),
    ("can_lead_any_club", "no_pts_on_first_trick", "must_break_hearts"),
    tuple(OPTIONS),
]
GAMES = 300
SKEWED = 120  # further games whose deals make moons and hands of nothing but points
SUITS = (CLUBS, DIAMONDS, HEARTS, SPADES)  # in OpenSpiel's order


def their_card(card: int) -> int:
    return rank_of(card) * 4 + SUITS.index(suit_of(card))


def our_card(action: int) -> int:
    return card_of(SUITS[action % 4], action // 4)


def our_rules(flipped: tuple[str, ...]) -> Rules:
    changes = {name: value for option in flipped for name, value in OPTIONS[option].items()}
    return replace(PASSING, **changes)


def their_start(game: pyspiel.Game, deal: Deal) -> pyspiel.State:
    """OpenSpiel's state after the same deal: the direction is drawn first, then cards go round."""
    state = game.new_initial_state()
    state.apply_action(int(deal.direction))
    hands = [list(members(hand)) for hand in deal.dealt]
    for place in range(52):
        state.apply_action(their_card(hands[place % 4][place // 4]))
    return state


def pass_cards(state: pyspiel.State, deal: Deal, rng: np.random.Generator) -> Deal:
    for seat in range(4):
        chosen = choose(deal.dealt[seat], rng, 3)
        for card in chosen:
            assert state.current_player() == seat
            state.apply_action(their_card(card))
        deal = deal.give(seat, sum(1 << card for card in chosen))
    return deal


def play_both(game: pyspiel.Game, deal: Deal, rng: np.random.Generator) -> Deal:
    """Play a random game in both engines, and compare them at every step."""
    state = their_start(game, deal)
    if deal.passing:
        deal = pass_cards(state, deal, rng)
    while not state.is_terminal():
        assert state.current_player() == deal.turn
        legal = state.legal_actions()
        assert {our_card(action) for action in legal} == set(members(deal.legal))
        action = int(rng.choice(legal))
        state.apply_action(action)
        deal = deal.play(our_card(action))
    assert deal.finished
    assert tuple(26 - points for points in deal.final_points()) == tuple(state.returns())
    return deal


def seen_in(deal: Deal) -> Counter[str]:
    """The rare things that happened in a hand, so that a test can ask for them."""
    first, rules = deal.tricks[0], deal.rules
    barred = rules.barred_first & first.cards_set
    bonus = rules.no_trick_bonus and not all(deal.taken)
    return Counter(
        moon=deal.shooter is not None,
        points_forced_first=bool(barred),
        no_trick=bool(bonus),
        moon_without_bonus=bool(bonus) and deal.shooter is not None,
        lone_queen=leads_with_a_lone_queen(deal),
    )


def leads_with_a_lone_queen(deal: Deal) -> int:
    """How often a player led from Q♠ and hearts alone while hearts were not broken."""
    found = 0
    for number, trick in enumerate(deal.tricks):
        if any(earlier.cards_set & deal.rules.heart_breakers for earlier in deal.tricks[:number]):
            break
        hand = sum(later.played_by(trick.leader) for later in deal.tricks[number:])
        found += hand & ~ALL_HEARTS == QUEEN and hand != QUEEN
    return found


@pytest.mark.parametrize(
    "flipped", COMBINATIONS, ids=lambda flipped: "+".join(flipped) or "default"
)
def test_every_option_plays_as_in_openspiel(flipped):
    game = pyspiel.load_game("hearts", {name: not DEFAULTS[name] for name in flipped})
    rules, rng = our_rules(flipped), np.random.default_rng(len(flipped))
    seen: Counter[str] = Counter()
    for number in range(GAMES + SKEWED):
        hands = random_hands(rng) if number < GAMES else skewed_hands(rng)
        direction = PassDirection(number % 4 if rules.do_pass_cards else 0)
        seen += seen_in(play_both(game, Deal.of(rules, hands, direction), rng))
    assert seen["moon"] >= 3
    assert seen["points_forced_first"] >= 3 or not rules.barred_first
    assert seen["no_trick"] >= 3 or not rules.no_trick_bonus
    assert seen["moon_without_bonus"] >= 1 or not rules.no_trick_bonus
    assert seen["lone_queen"] >= 3 or not (
        rules.hearts_instead_of_queen and rules.must_break_hearts
    )


def test_every_option_of_openspiel_is_covered():
    assert set(OPTIONS) == set(DEFAULTS)


def flipped_for(rules: Rules) -> tuple[str, ...] | None:
    """The options to flip for these rules, None where OpenSpiel does not know them."""
    flipped = tuple(
        option
        for option, changes in OPTIONS.items()
        if all(getattr(rules, name) == value for name, value in changes.items())
    )
    return flipped if our_rules(flipped) == rules else None


def test_the_golden_hands_score_as_in_openspiel():
    compared = 0
    for record in read_records(GOLDEN):
        deal, flipped = record.deal, flipped_for(record.deal.rules)
        if flipped is None:
            continue
        compared += 1
        game = pyspiel.load_game("hearts", {name: not DEFAULTS[name] for name in flipped})
        state = their_start(game, deal)
        for passes in deal.passes:
            for card in members(passes):
                state.apply_action(their_card(card))
        for seat, card in deal.plays:
            assert state.current_player() == seat
            assert their_card(card) in state.legal_actions()
            state.apply_action(their_card(card))
        assert [26 - points for points in record.points] == state.returns()
    assert compared >= 16

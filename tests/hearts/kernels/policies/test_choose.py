"""Every policy against the player of the same name, which is its oracle: cards and passes."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from hearts.arena.referee import Referee
from hearts.engine.bridge.network import seen_by
from hearts.engine.bridge.playouts import playout_code
from hearts.engine.bridge.policies import POLICIES
from hearts.engine.bridge.state import rules_word, state_of
from hearts.engine.playouts import Playout
from hearts.game.cards import SEATS, Card
from hearts.game.deal import Deal, moments
from hearts.game.rules import PASSING, STANDARD, PassDirection, Rules
from hearts.kernels.core import bits
from hearts.kernels.core.state import unpack_meta
from hearts.kernels.policies.choose import choose, choose_pass
from hearts.players.player import Player
from hearts.players.registry import shared_player
from hearts.players.spec import RULE_BASED, Spec
from hearts.views.view import View
from tests.hearts.games import VARIANTS, new_deal, random_hands, skewed_hands, steps
from tests.hearts.kernels.playouts.test_playouts import strong_deal

PLAYERS = [name for name in POLICIES if name in RULE_BASED]
# Every rule that a policy considers, on and off; the variants bar different cards at first.
RULES = [
    *VARIANTS.values(),
    replace(PASSING, jack_bonus=True),
    replace(PASSING, jack_bonus=True, shooting_needs_jack=True),
    replace(STANDARD, queen_penalty=False),
    replace(STANDARD, queen_penalty=False, jack_bonus=True, shooting_needs_jack=True),
    replace(STANDARD, hearts_arent_points=True, jack_bonus=True),
    replace(STANDARD, no_shooting=True),
    Rules.from_mask(0x3FFF),
]
# The other ways to compile (tests/hearts/kernels/test_modes.py) differ in a few functions only.
HANDS = 4 if bits.JIT and bits.HAS_BMI2 else 1  # under each set of rules
NO_BITS = (np.uint64(0),) * 3  # random bits, stream and ε of a policy that is not random


def player(name: str) -> Player:
    return shared_player(Spec(name))


def knowledge(deal: Deal, view: View) -> tuple[np.uint64, ...]:
    """The arguments of `choose` between the policy and the random bits."""
    state, (_, voids) = state_of(deal), seen_by(view)
    trick, best, taken = state[4], state[5], state[7]
    turn, winner, count, first, broken = map(np.uint64, unpack_meta(state[6]))
    hand, out, rules = np.uint64(view.hand), np.uint64(view.unseen), rules_word(deal.rules)
    return turn, hand, out, trick, best, winner, count, first, broken, taken, voids, rules


def new_hands() -> Iterator[Deal]:
    """Deals of all kinds before the pass, in every direction, under all rules."""
    for number in range(HANDS * len(RULES)):
        hands = strong_deal(number).dealt
        if number % 3:
            hands = (random_hands, skewed_hands)[number % 2](np.random.default_rng(number))
        rules, direction = RULES[number % len(RULES)], PassDirection(number % SEATS)
        yield Deal.of(rules, hands, direction, leader=number % SEATS)


@cache
def played_hands() -> list[tuple[tuple[str, ...], Deal]]:
    """Finished hands, each with the names of its players; seat 0, often strong, may shoot."""
    rng, found = np.random.default_rng(5), []
    for deal in new_hands():
        names = ("shooter", *(PLAYERS[i] for i in rng.integers(0, len(PLAYERS), SEATS - 1)))
        found.append((names, Referee([player(name) for name in names]).play(deal, 0)))
    return found


@cache
def choices() -> list[tuple[View, tuple[np.uint64, ...]]]:
    """Positions with a choice, of hands of the players and of hands of random cards."""
    found = [now for _, deal in played_hands() for now, _, _ in moments(deal) if not now.passing]
    for number in range(HANDS * len(RULES)):
        rng, rules = np.random.default_rng(number), RULES[number % len(RULES)]
        direction = PassDirection(number % SEATS)
        found += list(steps(new_deal(rules, direction, rng, skewed=number % 3 == 0), rng))[:-1]
    several = [deal for deal in found if deal.legal & (deal.legal - 1)]
    views = [View.of(deal, deal.turn or 0, checked=False) for deal in several]
    return [(view, knowledge(deal, view)) for deal, view in zip(several, views, strict=True)]


@cache
def cards_of_player(name: str) -> list[Card]:
    return [player(name).choose_card(view, 0) for view, _ in choices()]


@pytest.mark.parametrize("name", PLAYERS)
def test_a_policy_plays_the_card_of_its_player(name):
    code = POLICIES[name].code
    for (view, known), expected in zip(choices(), cards_of_player(name), strict=True):
        card, _ = choose(code, *known, *NO_BITS)
        assert int(card).bit_length() - 1 == expected, view


@pytest.mark.parametrize("name", PLAYERS)
def test_a_policy_passes_the_cards_of_its_player(name):
    code, oracle = POLICIES[name].code, player(name)
    for deal in new_hands():
        for seat in range(SEATS) if deal.passing else ():
            hand, direction = np.uint64(deal.dealt[seat]), np.uint64(deal.direction)
            passed = choose_pass(code, hand, direction, rules_word(deal.rules))
            assert int(passed) == oracle.choose_pass(View.of(deal, seat, checked=False), 0)


def test_every_kind_of_choice_is_tested():
    """The oracle is of no use where no position has a suspect or a promising hand."""
    for other in ("duck", "guard", "shooter"):
        pairs = zip(cards_of_player("cautious"), cards_of_player(other), strict=True)
        assert sum(a != b for a, b in pairs) > 20 * HANDS


def test_policies_and_playouts_share_their_names_and_numbers():
    assert len({policy.code for policy in POLICIES.values()}) == len(POLICIES)
    for playout in Playout:
        if playout is not Playout.SHOOT_AWARE:
            assert POLICIES[playout.value].code == playout_code(playout)
    assert set(POLICIES) <= {*RULE_BASED, *(playout.value for playout in Playout)}

"""What `encode_state` writes, `decode_state` reads back."""

import json
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.game.cards import SEATS
from hearts.game.deal import Deal
from hearts.game.rules import MoonScoring, PassDirection
from hearts.game.trick import taken_in
from hearts.views.codec import decode_state, encode_state, is_before_pass
from hearts.views.view import View
from tests.hearts.game.rule_sets import rule_sets
from tests.hearts.games import choose, finish, random_hands, steps

RULES = rule_sets(
    moon=st.sampled_from(MoonScoring),
    target_score=st.integers(1, 1000),
    pass_cycle=st.lists(st.sampled_from(PassDirection), min_size=1, max_size=5).map(tuple),
)
DIRECTIONS = st.sampled_from(PassDirection)
SEEDS = st.integers(0, 2**32)


def through_json(view, seat=None):
    """A view after both directions of the codec, with the text of JSON between them."""
    state = json.loads(json.dumps(encode_state(view, seat)))
    decoded = decode_state(state, passing=view.passing)
    assert decoded.warnings == []
    assert decoded.match_known
    return decoded.view


def positions(rules, direction, rng):
    """Every position of a random hand, those of the pass included."""
    deal = Deal.of(rules, random_hands(rng), direction, leader=int(rng.integers(SEATS)))
    while deal.passing:
        yield deal
        seat = deal.passes.index(0)
        deal = deal.give(seat, sum(1 << card for card in choose(deal.dealt[seat], rng, 3)))
    yield from steps(deal, rng)


def random_view(rules, direction, seed):
    """What some seat knows at some moment of a hand, of the first of a match or of a later one."""
    rng = np.random.default_rng(seed)
    played = list(positions(rules, direction, rng))
    deal = played[int(rng.integers(len(played)))]
    earlier = (finish(Deal.of(rules, random_hands(rng)), rng).tricks,) * int(rng.integers(2))
    scores = tuple(map(int, rng.integers(-20, 90, SEATS)))
    return View.of(deal, int(rng.integers(SEATS)), scores, earlier)


def with_claims(view):
    """The view, claiming what its history shows: clients always send that too."""
    return replace(view, hearts_broken=view.broken, points_claim=view.points)


def turned(view, shift):
    """The view of the same hand at a table where everybody sits `shift` seats further on."""

    def trick(each):
        return replace(each, leader=(each.leader + shift) % SEATS)

    def per_seat(values):
        return values and tuple(values[(seat - shift) % SEATS] for seat in range(SEATS))

    return replace(
        view,
        seat=(view.seat + shift) % SEATS,
        trick=trick(view.trick),
        tricks=tuple(map(trick, view.tricks)),
        match_scores=per_seat(view.match_scores),
        earlier=tuple(tuple(map(trick, tricks)) for tricks in view.earlier),
        won=per_seat(view.won),
        points_claim=per_seat(view.points_claim),
    )


@settings(max_examples=150, deadline=None)
@given(RULES, DIRECTIONS, SEEDS)
def test_a_view_comes_back_with_its_claims(rules, direction, seed):
    view = random_view(rules, direction, seed)
    claimed = with_claims(view)
    assert through_json(view) == through_json(claimed) == claimed


@settings(max_examples=60, deadline=None)
@given(RULES, DIRECTIONS, SEEDS, st.integers(0, SEATS - 1))
def test_a_view_comes_back_turned_to_another_seat(rules, direction, seed, seat):
    view = with_claims(random_view(rules, direction, seed))
    if view.passing:  # nobody leads, so that the leader is not turned
        return
    assert through_json(view, seat) == turned(view, seat - view.seat)


@settings(max_examples=100, deadline=None)
@given(RULES, DIRECTIONS, SEEDS, st.booleans(), st.booleans(), st.booleans())
def test_a_partial_view_comes_back_with_the_claims_that_it_makes(
    rules, direction, seed, won, points, broken
):
    view = random_view(rules, direction, seed)
    partial = replace(
        view,
        tricks=(),
        won=taken_in(view.tricks) if won and view.tricks else None,
        points_claim=view.points if points or not view.tricks else None,
        hearts_broken=view.broken if broken or not view.tricks else None,
    )
    assert through_json(partial) == partial


@settings(max_examples=60, deadline=None)
@given(RULES, DIRECTIONS, SEEDS)
def test_a_state_says_that_its_player_is_still_to_pass(rules, direction, seed):
    view = random_view(rules, direction, seed)
    assert is_before_pass(encode_state(view)) == (view.passing and not view.passed)

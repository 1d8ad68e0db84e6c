"""The chain over deals against every deal there is, each weighed by the oracle."""

import math
from collections import Counter
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from hearts.cards import members, set_of
from hearts.kernels.chain import POWER, explain_pass
from hearts.rules import PASSING, STANDARD, PassDirection
from models.behaviour import BehaviourBelief, Effort, Inquiry
from models.styles import FEATURES, PHASES, Style, StyleBook
from tests.hearts.kernels.behaviour_oracle import at, pass_probability, play_probability
from tests.hearts.play import positions, random_deal
from tests.hearts.worlds import all_worlds

U = np.uint64


def random_book(styles: int = 2, spread: float = 0.7) -> StyleBook:
    """Styles that nobody has, with strong opinions; the last one is sharp."""
    rng = np.random.default_rng(3)
    return StyleBook(
        tuple(
            Style(
                str(i),
                1 / styles,
                tuple(rng.normal(0, spread, len(names)) for names in FEATURES.values()),
                surprise=math.inf if i < styles - 1 else 0.2,
            )
            for i in range(styles)
        )
    )


BOOK = random_book()
POWERS = np.array([POWER, 1.0, POWER, POWER])


def plays_by_style(deal, view, hands) -> np.ndarray:
    """P(plays) of each of the others by style (3, styles), by the oracle."""
    result = np.ones((3, len(BOOK.columns)))
    for number, (seat, card) in enumerate(view_plays(view)):
        if seat == view.seat or number == 0:
            continue
        before = at(deal, hands, number)
        for style, weights in enumerate(BOOK.columns):
            by_phase = dict(zip(PHASES, weights, strict=True))
            place = view.others.index(seat)
            result[place, style] *= play_probability(before, card, FEATURES, by_phase)
    return result


def view_plays(view):
    return [(play.seat, play.card) for play in view.plays]


def weighed(view, by_style: np.ndarray) -> np.ndarray:
    """What each player's plays count for, by style: sharp styles get a bonus with every card."""
    seats = [seat for seat, _ in view_plays(view)[1:]]
    seen = np.array([seats.count(seat) for seat in view.others])
    bonus = np.array([0, 0.5 * 0.2, 0, 0])
    return BOOK.shares * np.exp(np.outer(seen, bonus)) * by_style**POWERS


def summed(view, by_style: np.ndarray) -> float:
    """The likelihood of a world, whatever the style of each player."""
    return float(np.prod(weighed(view, by_style).sum(axis=1)))


def endings(rules, wanted: int, direction=PassDirection.HOLD):
    """Views with some worlds, not too many, in which the others had choices."""
    found = []
    for seed in range(200):
        deal = random_deal(rules, 36 + seed % 5, seed, direction, skew=0.1)
        view = deal.view(deal.trick.turn)
        worlds = []
        for world in all_worlds(view):
            worlds.append(world)
            if len(worlds) > 30:
                break
        if 8 <= len(worlds) <= 30:
            found.append((deal, view, worlds))
        if len(found) == wanted:
            return found
    raise AssertionError("too few endings")


@pytest.mark.parametrize("rules", [STANDARD, PASSING])
def test_likelihoods_are_those_of_the_oracle(rules):
    belief = BehaviourBelief(book=BOOK)
    for deal, view, worlds in endings(rules, 2):
        hands = np.array(worlds, dtype=U)
        found = Inquiry.of(view, belief).likelihoods(hands[:, list(view.others)].copy())
        expected = [summed(view, plays_by_style(deal, view, world)) for world in worlds]
        assert found == pytest.approx(expected)
        assert max(expected) > 2 * min(expected)  # evidence speaks


def test_likelihoods_are_those_of_the_oracle_all_along_a_hand():
    belief = BehaviourBelief(book=BOOK)
    for deal in list(positions(PASSING, 3, skew=0.3))[3:40:7]:
        view = deal.view(deal.trick.turn)
        hands = np.array([deal.hands], dtype=U)
        found = Inquiry.of(view, belief).likelihoods(hands[:, list(view.others)].copy())
        assert found == pytest.approx([summed(view, plays_by_style(deal, view, deal.hands))])


def test_a_pass_is_as_likely_as_among_all_triples():
    rng = np.random.default_rng(1)
    for seed in range(10):
        dealt = random_deal(PASSING, 0, seed).dealt[0]
        hand = list(members(dealt))
        given = [int(card) for card in rng.choice(hand, 3, replace=False)]
        inverse = np.empty(len(BOOK.columns))
        explain_pass(U(dealt), U(set_of(given)), BOOK.kernel, inverse)
        expected = [
            1 / pass_probability(hand, given, FEATURES, dict(zip(PHASES, weights, strict=True)))
            for weights in BOOK.columns
        ]
        assert inverse == pytest.approx(expected, rel=1e-5)


def total_variation(drawn: Counter, weights: dict) -> float:
    total, draws = sum(weights.values()), drawn.total()
    return sum(abs(drawn[world] / draws - w / total) for world, w in weights.items()) / 2


def walked(view, n: int, between: int = 4) -> Counter:
    effort = Effort(steps=n * between + 1000, settling=500, chains=2)
    inquiry = Inquiry.of(view, BehaviourBelief(book=BOOK))
    walk = inquiry.walk(effort, n, np.random.default_rng(2))
    assert 0.05 < walk.acceptance < 1
    return Counter(tuple(hands) for hands in walk.hands.tolist())


def test_the_chain_meets_each_deal_as_often_as_it_is_likely():
    for deal, view, worlds in endings(PASSING, 2):
        weights = {
            tuple(world[seat] for seat in view.others): summed(
                view, plays_by_style(deal, view, world)
            )
            for world in worlds
        }
        drawn = walked(view, 30_000)
        assert set(drawn) <= set(weights)
        flat = dict.fromkeys(weights, 1.0)
        assert total_variation(drawn, weights) < 0.02
        assert total_variation(drawn, flat) > 0.05  # so OM-1 would be noticed


@pytest.mark.parametrize("direction", [PassDirection.LEFT, PassDirection.ACROSS])
def test_hidden_passes_are_summed_over(direction):
    """Each deal counts with every pair of passes that others may have made among themselves."""
    deal, view, worlds = endings(PASSING, 1, direction)[0]
    weights = {}
    for world in worlds[:3]:
        began = at(deal, world, 0).hands
        plays = weighed(view, plays_by_style(deal, view, world))
        weights[tuple(world[s] for s in view.others)] = summed_passes(view, began, plays)
    drawn = walked(view, 60_000)
    some = Counter({world: times for world, times in drawn.items() if world in weights})
    assert some.total() > 1000
    assert total_variation(some, weights) < 0.05


def summed_passes(view, began, plays) -> float:
    """Σ over hidden passes of Π player Σ style."""
    to_me = (view.seat - view.direction) % 4
    one, two = (seat for seat in view.others if seat != to_me)
    given = {view.seat: view.passed, to_me: view.received}
    inverse, kernel = np.empty(len(BOOK.columns)), BOOK.kernel

    @cache
    def player(place: int, dealt: int, given: int) -> float:
        explain_pass(U(dealt), U(given), kernel, inverse)
        return float(plays[place] @ inverse**-POWERS)

    total = 0.0
    pairs = product(*(triples(began[(seat + view.direction) % 4]) for seat in (one, two)))
    for given[one], given[two] in pairs:
        likelihood = 1.0
        for place, seat in enumerate(view.others):
            got = given[(seat - view.direction) % 4]
            likelihood *= player(place, began[seat] & ~got | given[seat], given[seat])
        total += likelihood
    return total


def triples(cards: int) -> list[int]:
    return [set_of(three) for three in combinations(members(cards), 3)]

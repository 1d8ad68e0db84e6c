"""The chain over deals against every deal there is, each weighed by the oracle."""

from collections import Counter
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from hearts.game.cards import members, set_of
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.kernels.beliefs.likelihood import Evidence, Memory, explain_pass
from hearts.kernels.beliefs.mcmc import run_chain
from hearts.kernels.beliefs.moments import WIDTH
from hearts.kernels.beliefs.raking import herd, rake
from hearts.kernels.core.jit import kernel
from hearts.views.view import View
from models.behaviour import BehaviourBelief, Effort, Inquiry
from models.styles import FEATURES, PHASES, Style, StyleBook
from tests.hearts.kernels.beliefs.behaviour_oracle import (
    Table,
    at,
    pass_probability,
    play_probability,
)
from tests.hearts.play import positions, random_deal
from tests.hearts.worlds import all_worlds

U = np.uint64


def random_book(styles: int = 2, spread: float = 0.7) -> StyleBook:
    """Styles that nobody has, with strong opinions, and two kinds of table; the last is sharp."""
    rng = np.random.default_rng(3)
    return StyleBook(
        tuple(
            Style(
                str(i),
                1 / styles,
                tuple(rng.normal(0, spread, len(names)) for names in FEATURES.values()),
                surprise=np.array([0.9, 0.5, 0.6, 3.0]) if i < styles - 1 else np.full(4, 0.2),
            )
            for i in range(styles)
        ),
        tables={"these": np.array([0.9, 0.1]), "those": np.array([0.2, 0.8])},
        common=np.array([1.0, 0.4, 0.6, 4.0]),
        hands=100,
    )


BOOK = random_book()
# Two styles fitted to 200 players each, the second a sharp one; the softened one; the neutral one.
POWERS = np.array([1.0 * 200 / 250, 1.5 * 200 / 250, 0.75, 1.0])
SURPRISES = np.array([[0.9, 0.5, 0.6, 3.0], [0.2] * 4, [1.0, 0.4, 0.6, 4.0], [0.0] * 4])


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


def weighed(deal, view, by_style: np.ndarray) -> np.ndarray:
    """What each player's plays count for, by style: with a power, and an allowance for it."""
    result = by_style**POWERS
    for number, (seat, _) in enumerate(view_plays(view)):
        if seat == view.seat or number == 0:
            continue
        phase = PHASES.index(Table(at(deal, deal.hands, number)).phase)
        result[view.others.index(seat)] *= np.exp((POWERS - 1) * SURPRISES[:, phase])
    if view.direction is not PassDirection.HOLD:
        result *= np.exp((POWERS - 1) * SURPRISES[:, -1])
    return result


def over_tables(by_player: np.ndarray) -> float:
    """Σ kind of table Π player Σ style."""
    return float((by_player @ BOOK.kinds.T).prod(axis=0).sum())


def summed(deal, view, by_style: np.ndarray) -> float:
    """The likelihood of a world, whatever the table and the style of each player."""
    return over_tables(weighed(deal, view, by_style))


def endings(rules, wanted: int, direction=PassDirection.HOLD):
    """Views with some worlds, not too many, in which the others had choices."""
    found = []
    for seed in range(200):
        deal = random_deal(rules, 36 + seed % 5, seed, direction, skew=0.1)
        view = View.of(deal, deal.trick.turn)
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
        expected = [summed(deal, view, plays_by_style(deal, view, world)) for world in worlds]
        assert found == pytest.approx(expected)
        assert max(expected) > 2 * min(expected)  # evidence speaks


def test_likelihoods_are_those_of_the_oracle_all_along_a_hand():
    belief = BehaviourBelief(book=BOOK)
    for deal in list(positions(PASSING, 3, skew=0.3))[3:40:7]:
        view = View.of(deal, deal.trick.turn)
        hands = np.array([deal.hands], dtype=U)
        found = Inquiry.of(view, belief).likelihoods(hands[:, list(view.others)].copy())
        assert found == pytest.approx([summed(deal, view, plays_by_style(deal, view, deal.hands))])


def test_a_pass_is_as_likely_as_among_all_triples():
    rng = np.random.default_rng(1)
    for seed in range(10):
        dealt = random_deal(PASSING, 0, seed).dealt[0]
        hand = list(members(dealt))
        given = [int(card) for card in rng.choice(hand, 3, replace=False)]
        for style, weights in enumerate(BOOK.columns):
            by_phase = dict(zip(PHASES, weights, strict=True))
            expected = pass_probability(hand, given, FEATURES, by_phase)
            found = explain_pass(U(dealt), U(set_of(given)), style, BOOK.kernel)
            assert found == pytest.approx(expected, rel=1e-5)


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
                deal, view, plays_by_style(deal, view, world)
            )
            for world in worlds
        }
        drawn = walked(view, 30_000)
        assert set(drawn) <= set(weights)
        flat = dict.fromkeys(weights, 1.0)
        assert total_variation(drawn, weights) < 0.02
        assert total_variation(drawn, flat) > 0.05  # so OM-1 would be noticed


def test_cards_go_round_where_no_two_players_can_swap():
    """Three players, a card each, of two that each may hold: two deals, no swap between them."""
    one, two, three = U(1), U(1 << 16), U(1 << 32)
    nothing, none = np.zeros(3, dtype=U), np.full(3, -1)
    evidence = Evidence(
        moments=np.zeros((0, WIDTH), dtype=np.int64),
        held=np.zeros(0, dtype=U),
        start=np.zeros(4, dtype=np.int64),
        opened=np.zeros(3, dtype=np.int64),
        possible=np.array([one | two, two | three, three | one]),
        played=nothing,
        prior=np.ones((3, len(BOOK.columns))),
        source=none,
        given=nothing,
        received=nothing,
    )
    memory = Memory(
        base=np.arange(12).reshape(3, 4) * 2,
        places=np.full(24, -1, dtype=np.int32),
        rows=np.empty((24, len(BOOK.columns), 1)),
        used=np.zeros(1, dtype=np.int64),
    )
    start, worlds = np.array([one, two, three]), np.empty((1000, 3), dtype=U)
    free, steps, counts = np.array([0, 16, 32]), np.array([0, 4, 24]), np.zeros((64, 3))
    run_chain(evidence, BOOK.kernel, memory, free, 2, start, steps, U(5), worlds, counts)
    deals = Counter(tuple(world) for world in worlds.tolist())
    assert set(deals) == {(one, two, three), (two, three, one)}
    assert 350 < deals[one, two, three] < 650
    assert counts[0] / counts[0].sum() == pytest.approx([0.5, 0, 0.5], abs=0.15)


@pytest.mark.parametrize("direction", [PassDirection.LEFT, PassDirection.ACROSS])
def test_hidden_passes_are_summed_over(direction):
    """Each deal counts with every pair of passes that others may have made among themselves."""
    deal, view, worlds = endings(PASSING, 1, direction)[0]
    weights = {}
    for world in worlds[:3]:
        began = at(deal, world, 0).hands
        plays = weighed(deal, view, plays_by_style(deal, view, world))
        weights[tuple(world[s] for s in view.others)] = summed_passes(view, began, plays)
    drawn = walked(view, 60_000)
    some = Counter({world: times for world, times in drawn.items() if world in weights})
    assert some.total() > 1000
    assert total_variation(some, weights) < 0.05


@kernel
def explain_by_style(dealt, given, styles, result):
    for style in range(result.shape[0]):
        result[style] = explain_pass(dealt, given, style, styles)


def summed_passes(view, began, plays) -> float:
    """Σ over hidden passes of the likelihood."""
    to_me = (view.seat - view.direction) % 4
    one, two = (seat for seat in view.others if seat != to_me)
    given = {view.seat: view.passed, to_me: view.received}
    passes = np.empty(len(BOOK.columns))

    @cache
    def player(place: int, dealt: int, given: int) -> np.ndarray:
        explain_by_style(U(dealt), U(given), BOOK.kernel, passes)
        return plays[place] * passes**POWERS

    total = 0.0
    pairs = product(*(triples(began[(seat + view.direction) % 4]) for seat in (one, two)))
    for given[one], given[two] in pairs:
        by_player = []
        for place, seat in enumerate(view.others):
            got = given[(seat - view.direction) % 4]
            by_player.append(player(place, began[seat] & ~got | given[seat], given[seat]))
        total += over_tables(np.stack(by_player))
    return total


def triples(cards: int) -> list[int]:
    return [set_of(three) for three in combinations(members(cards), 3)]


def test_raked_worlds_say_what_is_wanted_and_no_more():
    """Shares as wanted, and weights that are a product of one factor for each place of a card."""
    rng = np.random.default_rng(4)
    cards = np.array([3, 20, 37])
    places = rng.integers(3, size=(400, 3))
    hands = np.zeros((400, 3), dtype=U)
    for world, holders in enumerate(places):
        for card, holder in zip(cards, holders, strict=True):
            hands[world, holder] |= U(1) << U(card)
    wanted = np.array([[0.2, 0.3, 0.5], [0.4, 0.4, 0.2], [0.1, 0.6, 0.3]])
    weights = np.empty(400)
    rake(hands, cards, wanted, 20, 10.0, weights, np.empty(400))
    shares = [[weights[places[:, c] == p].sum() for p in range(3)] for c in range(3)]
    assert np.array(shares) == pytest.approx(wanted, abs=1e-6)
    indicators = np.stack([places[:, c] == p for c in range(3) for p in range(3)], axis=1)
    factors = np.linalg.lstsq(indicators.astype(float), np.log(weights), rcond=None)[0]
    assert indicators @ factors == pytest.approx(np.log(weights), abs=1e-6)


def test_raking_stops_before_few_worlds_speak_for_all():
    hands = np.array([[1, 2, 4]] * 99 + [[2, 1, 4]], dtype=U)
    weights, even = np.empty(100), np.full(100, 0.01)
    rake(hands, np.array([0]), np.array([[0.1, 0.9, 0.0]]), 5, 50.0, weights, np.empty(100))
    assert weights == pytest.approx(even)


def test_chosen_worlds_make_up_for_each_other():
    """30 of 600 worlds come far closer to what is wanted than 30 that are drawn."""
    rng = np.random.default_rng(5)
    cards = np.arange(12)
    wanted = rng.dirichlet(np.ones(3), size=12)
    places = np.stack([rng.choice(3, size=600, p=chances) for chances in wanted], axis=1)
    hands = np.zeros((600, 3), dtype=U)
    for world, holders in enumerate(places):
        for card, holder in enumerate(holders):
            hands[world, holder] |= U(1) << U(card)
    chosen = np.empty(30, dtype=np.int64)
    herd(hands, cards, wanted, np.empty((12, 3)), np.zeros(600, dtype=np.bool_), chosen)
    assert chosen[0] == 0
    assert len(set(chosen.tolist())) == 30

    def off(some) -> float:
        found = np.array([[(places[some, c] == p).mean() for p in range(3)] for c in range(12)])
        return float(np.sqrt(np.mean((found - wanted) ** 2)))

    drawn = np.mean([off(rng.choice(600, 30, replace=False)) for _ in range(50)])
    assert off(chosen) < drawn / 3

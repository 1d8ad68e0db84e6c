"""The chain over deals, against an enumeration of all deals weighted by the oracle."""

from collections import Counter
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from hearts.game.cards import members, set_of
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.kernels.beliefs import situations
from hearts.kernels.beliefs.contexts import WIDTH
from hearts.kernels.beliefs.likelihood import Evidence, SuitCache, pass_likelihood
from hearts.kernels.beliefs.mcmc import begin_chain, continue_chain, style_likelihoods
from hearts.kernels.core.jit import kernel
from hearts.views.view import View
from models.behaviour import BehaviourBelief
from models.player_types import TypeBook
from models.posterior import ChainConfig
from models.styles import FEATURES, PHASES, Style, StyleBook
from tests.hearts.kernels.beliefs.behaviour_oracle import (
    Table,
    at,
    pass_probability,
    play_probability,
)
from tests.hearts.kernels.beliefs.test_policy_types import (
    play_probability as policy_play_probability,
)
from tests.hearts.play import positions, random_deal
from tests.hearts.worlds import all_worlds

U = np.uint64


def random_book(styles: int = 2, spread: float = 0.7) -> StyleBook:
    """Random styles with strong preferences, the last one sharp, and two kinds of table."""
    rng = np.random.default_rng(3)
    return StyleBook(
        tuple(
            Style(
                str(i),
                1 / styles,
                tuple(rng.normal(0, spread, len(names)) for names in FEATURES.values()),
                mean_nll=np.array([0.9, 0.5, 0.6, 3.0]) if i < styles - 1 else np.full(4, 0.2),
            )
            for i in range(styles)
        ),
        tables={"these": np.array([0.9, 0.1]), "those": np.array([0.2, 0.8])},
        shrunk_nll=np.array([1.0, 0.4, 0.6, 4.0]),
        hands=100,
    )


BOOK = random_book()
# Two styles fitted to 200 players each, the second one sharp; the shrunk one; the neutral one.
POWERS = np.array([1.0 * 200 / 250, 1.5 * 200 / 250, 0.75, 1.0])
MEAN_NLL = np.array([[0.9, 0.5, 0.6, 3.0], [0.2] * 4, [1.0, 0.4, 0.6, 4.0], [0.0] * 4])


def plays_by_style(deal, view, hands) -> np.ndarray:
    """P(plays) of each of the others by style (3, styles), by the oracle."""
    result = np.ones((3, len(BOOK.weights)))
    for number, (seat, card) in enumerate(view_plays(view)):
        if seat == view.seat or number == 0:
            continue
        before = at(deal, hands, number)
        for style, weights in enumerate(BOOK.weights):
            by_phase = dict(zip(PHASES, weights, strict=True))
            place = view.others.index(seat)
            result[place, style] *= play_probability(before, card, FEATURES, by_phase)
    return result


def view_plays(view):
    return [(play.seat, play.card) for play in view.plays]


def powered(deal, view, by_style: np.ndarray) -> np.ndarray:
    """The likelihoods (3, styles) with the powers of the styles and their corrections."""
    result = by_style**POWERS
    for number, (seat, _) in enumerate(view_plays(view)):
        if seat == view.seat or number == 0:
            continue
        phase = PHASES.index(Table(at(deal, deal.hands, number)).phase)
        result[view.others.index(seat)] *= np.exp((POWERS - 1) * MEAN_NLL[:, phase])
    if view.direction is not PassDirection.HOLD:
        result *= np.exp((POWERS - 1) * MEAN_NLL[:, -1])
    return result


def over_tables(by_player: np.ndarray) -> float:
    """Σ kind of table Π player Σ style of the weighted likelihoods (3, styles)."""
    return float((by_player @ BOOK.table_weights.T).prod(axis=0).sum())


def marginal(deal, view, by_style: np.ndarray) -> float:
    """The likelihood of a world, with tables and styles summed out."""
    return over_tables(powered(deal, view, by_style))


def endings(rules, wanted: int, direction=PassDirection.HOLD):
    """Views with 8 to 30 worlds."""
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
def test_likelihoods_match_the_oracle(rules):
    belief = BehaviourBelief(book=BOOK)
    for deal, view, worlds in endings(rules, 2):
        hands = np.array(worlds, dtype=U)
        found = belief.posterior(view).likelihoods(hands[:, list(view.others)].copy())
        expected = [marginal(deal, view, plays_by_style(deal, view, world)) for world in worlds]
        assert found == pytest.approx(expected)
        assert max(expected) > 2 * min(expected)  # the evidence is informative


def test_likelihoods_match_the_oracle_throughout_a_hand():
    belief = BehaviourBelief(book=BOOK)
    for deal in list(positions(PASSING, 3, skew=0.3))[3:40:7]:
        view = View.of(deal, deal.trick.turn)
        hands = np.array([deal.hands], dtype=U)
        found = belief.posterior(view).likelihoods(hands[:, list(view.others)].copy())
        assert found == pytest.approx(
            [marginal(deal, view, plays_by_style(deal, view, deal.hands))]
        )


def test_plays_by_weighted_styles_match_the_oracle():
    belief, weights = BehaviourBelief(book=BOOK), np.random.default_rng(1).random((3, 4))
    for deal in list(positions(PASSING, 3, skew=0.3))[8:40:9]:
        view = View.of(deal, deal.trick.turn)
        posterior = belief.posterior(view)
        hands, found = np.array([deal.hands], dtype=U)[:, list(view.others)], np.empty((1, 3))
        style_likelihoods(
            posterior.evidence, posterior.book.arrays, posterior.cache, weights, hands, found
        )
        expected = (weights * plays_by_style(deal, view, deal.hands) ** POWERS).sum(axis=1)
        assert found[0] == pytest.approx(expected)


def test_pass_likelihoods_match_the_oracle():
    rng = np.random.default_rng(1)
    for seed in range(10):
        dealt = random_deal(PASSING, 0, seed).dealt[0]
        hand = list(members(dealt))
        given = [int(card) for card in rng.choice(hand, 3, replace=False)]
        for style, weights in enumerate(BOOK.weights):
            by_phase = dict(zip(PHASES, weights, strict=True))
            expected = pass_probability(hand, given, FEATURES, by_phase)
            found = pass_likelihood(U(dealt), U(set_of(given)), style, TypeBook(BOOK).arrays)
            assert found == pytest.approx(expected, rel=1e-5)


def total_variation(drawn: Counter, weights: dict) -> float:
    total, draws = sum(weights.values()), drawn.total()
    return sum(abs(drawn[world] / draws - w / total) for world, w in weights.items()) / 2


def chain_worlds(view, n: int, thinning: int = 4) -> Counter:
    config = ChainConfig(steps=n * thinning + 1000, burn_in=500, chains=2)
    posterior = BehaviourBelief(book=BOOK).posterior(view)
    samples = posterior.run_chains(config, n, np.random.default_rng(2))
    assert 0.05 < samples.acceptance < 1
    return Counter(tuple(hands) for hands in samples.hands.tolist())


def test_the_chain_samples_the_posterior():
    for deal, view, worlds in endings(PASSING, 2):
        weights = {
            tuple(world[seat] for seat in view.others): marginal(
                deal, view, plays_by_style(deal, view, world)
            )
            for world in worlds
        }
        drawn = chain_worlds(view, 30_000)
        assert set(drawn) <= set(weights)
        flat = dict.fromkeys(weights, 1.0)
        assert total_variation(drawn, weights) < 0.02
        assert total_variation(drawn, flat) > 0.05  # so OM-1 would be detected


class PolicyBelief(BehaviourBelief):
    """OM-2 with two types that follow a policy."""

    policies = ("duck", "cautious")


def test_the_chain_samples_deals_and_types_together():
    """Types that follow a policy, against an enumeration of all deals and types."""
    belief = PolicyBelief(book=BOOK)
    book = belief.types
    for deal, view, worlds in endings(PASSING, 2):
        weights, duck = {}, 0.0
        for world in worlds:
            styles = powered(deal, view, plays_by_style(deal, view, world))
            by_type = np.hstack([styles, plays_by_policy(deal, view, world, book)])
            tables = book.table_weights * by_type[:, None]  # (players, tables, types)
            weight = tables.sum(axis=2).prod(axis=0)
            weights[tuple(world[seat] for seat in view.others)] = weight.sum()
            first = tables[0][:, [name == "duck" for name in book.policy_of]].sum(axis=1)
            duck += (weight * first / tables[0].sum(axis=1)).sum()
        config = ChainConfig(steps=121_000, burn_in=500, chains=2)
        samples = belief.posterior(view).run_chains(config, 30_000, np.random.default_rng(2))
        drawn = Counter(tuple(hands) for hands in samples.hands.tolist())
        assert total_variation(drawn, weights) < 0.02
        named = np.array([name == "duck" for name in book.policy_of])
        share = named[samples.types[:, 0]].mean()
        assert share == pytest.approx(duck / sum(weights.values()), abs=0.02)


def plays_by_policy(deal, view, hands, book) -> np.ndarray:
    """P(plays) of each of the others by type with a policy (3, types), by the oracle."""
    result = np.ones((3, len(book.policies) * len(book.noises)))
    for number, (seat, card) in enumerate(view_plays(view)):
        if seat == view.seat or number == 0:
            continue
        before = at(deal, hands, number)
        kinds = product(book.policies, book.noises)
        result[view.others.index(seat)] *= [
            policy_play_probability(before, card, *kind) for kind in kinds
        ]
    return result


def test_rotations_reach_deals_that_swaps_cannot():
    """Three players with a card each and two possible ones: two deals, with no swap from one to the
    other.
    """
    one, two, three = U(1), U(1 << 16), U(1 << 32)
    nothing, none = np.zeros(3, dtype=U), np.full(3, -1)
    evidence = Evidence(
        contexts=np.zeros((0, WIDTH), dtype=np.int64),
        held=np.zeros(0, dtype=U),
        start=np.zeros(4, dtype=np.int64),
        opened=np.zeros(3, dtype=np.int64),
        possible=np.array([one | two, two | three, three | one]),
        played=nothing,
        situations=np.zeros((0, situations.WIDTH), dtype=U),
        type_prior=np.ones((3, len(BOOK.weights))),
        source=none,
        given=nothing,
        received=nothing,
        direction=0,
        rules=U(0),
    )
    suit_cache = SuitCache(
        base=np.arange(12).reshape(3, 4) * 2,
        lookup=np.full(24, -1, dtype=np.int32),
        entries=np.empty((24, len(BOOK.weights), 1)),
        used=np.zeros(1, dtype=np.int64),
    )
    start, worlds = np.array([one, two, three]), np.empty((1000, 3), dtype=U)
    types = np.empty((1000, 3), dtype=np.int64)
    free, steps, counts = np.array([0, 16, 32]), np.array([0, 4, 24]), np.zeros((64, 3))
    model = evidence, TypeBook(BOOK).arrays, suit_cache
    chain, stream = begin_chain(*model, start, U(5))
    for span in ((0, 1500), (1500, 4000)):  # in two parts, as under a deadline
        stream, done, *_ = continue_chain(
            *model,
            free,
            2,
            steps,
            span,
            U(stream),
            chain,
            worlds,
            types,
            counts,
            np.zeros(1, np.uint8),
        )
    assert done == 4000
    deals = Counter(tuple(world) for world in worlds.tolist())
    assert set(deals) == {(one, two, three), (two, three, one)}
    assert 350 < deals[one, two, three] < 650
    assert counts[0] / counts[0].sum() == pytest.approx([0.5, 0, 0.5], abs=0.15)


@pytest.mark.parametrize("direction", [PassDirection.LEFT, PassDirection.ACROSS])
def test_hidden_passes_are_summed_out(direction):
    """The weight of a deal is the sum over all passes that others may have made to each other."""
    deal, view, worlds = endings(PASSING, 1, direction)[0]
    weights = {}
    for world in worlds[:3]:
        began = at(deal, world, 0).hands
        plays = powered(deal, view, plays_by_style(deal, view, world))
        weights[tuple(world[s] for s in view.others)] = sum_over_passes(view, began, plays)
    drawn = chain_worlds(view, 60_000)
    some = Counter({world: times for world, times in drawn.items() if world in weights})
    assert some.total() > 1000
    assert total_variation(some, weights) < 0.05


@kernel
def pass_likelihoods(dealt, given, styles, result):
    for style in range(result.shape[0]):
        result[style] = pass_likelihood(dealt, given, style, styles)


def sum_over_passes(view, began, plays) -> float:
    """The likelihood, summed over hidden passes."""
    to_me = (view.seat - view.direction) % 4
    one, two = (seat for seat in view.others if seat != to_me)
    given = {view.seat: view.passed, to_me: view.received}
    passes = np.empty(len(BOOK.weights))

    @cache
    def player(place: int, dealt: int, given: int) -> np.ndarray:
        pass_likelihoods(U(dealt), U(given), TypeBook(BOOK).arrays, passes)
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

"""Rollouts: counts, reproducibility, and racing that eliminates only worse moves."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.engine.aggregation import scores, votes
from hearts.engine.beliefs import Worlds, load_belief
from hearts.engine.bridge.network import LEAST_PROBABILITY, seen_by, shipped
from hearts.engine.clock import no_stop
from hearts.engine.config import MAX_SIMULATIONS, SearchConfig
from hearts.engine.decide import decide
from hearts.engine.explain import explain
from hearts.engine.passing.choose import choose_pass
from hearts.engine.search.dispatch import search
from hearts.engine.search.rollouts import is_clear
from hearts.game.cards import count, name, parse_cards, set_of
from hearts.game.rules import PASSING, PassDirection, Rules
from hearts.kernels.core.random import open_stream
from hearts.kernels.core.statistics import POINTS, REWARD, VISITS
from hearts.views.view import View
from tests.hearts.games import trick
from tests.hearts.kernels.network import network_oracle
from tests.hearts.kernels.oracle import Stream
from tests.hearts.play import random_deal

QUICK = SearchConfig(
    algorithm="rollouts", worlds=12, simulations=120, reward="difference", endgame=0
)


def view_of(seed: int, cards: int = 20) -> View:
    """A view with at least two moves that are not equal in play."""
    while True:
        deal = random_deal(PASSING, cards, seed, PassDirection(seed % 4))
        if len(network_oracle.moves(deal)) > 1:
            return View.of(deal, deal.turn or 0)
        seed += 1000


def result(view: View, config: SearchConfig):
    rng = np.random.default_rng(config.seed)
    return search(view, load_belief("OM-1").sample(view, config.worlds, rng), config)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 500), st.integers(1, 300), st.integers(1, 40), st.integers(1, 47))
def test_every_rollout_is_counted_and_none_is_spent_twice(seed, simulations, worlds, cards):
    config = replace(QUICK, simulations=simulations, worlds=worlds, seed=seed)
    found = result(view_of(seed, cards), config)
    assert found.simulations == found.statistics[..., VISITS].sum()
    assert 0 < found.simulations <= max(simulations, len(found.moves))
    assert (found.statistics[0, :, VISITS] > 0).all()  # all moves, in the same worlds


def test_statistics_are_those_of_the_oracle():
    """With one world and one rollout, points are those of a hand played in plain Python."""
    deal = random_deal(PASSING, 23, 8, PassDirection.LEFT)
    seat = deal.turn
    assert seat is not None
    view, moves = View.of(deal, seat), network_oracle.moves(deal)
    worlds = Worlds(np.array([deal.hands], dtype=np.uint64), np.ones(1))
    config = replace(QUICK, worlds=1, simulations=len(moves))
    found = search(view, worlds, config)
    stream = int(open_stream(np.uint64(config.seed), np.uint64(0)))
    for place, card in enumerate(moves):
        end = network_oracle.play_on(shipped(), deal.play(card), Stream.at(stream), me=seat)
        assert found.statistics[0, place, POINTS] == end.final_points()[seat]


def test_the_same_seed_gives_the_same_decision_with_any_number_of_threads():
    for seed in range(5):
        view = view_of(seed, 12)
        one, two = (decide(view, replace(QUICK, seed=seed, threads=n)) for n in (1, 2))
        assert [vars(card) for card in one.cards] == [vars(card) for card in two.cards]
        assert one.simulations == two.simulations


def test_another_seed_gives_other_statistics():
    view = view_of(3, 12)
    one, other = (result(view, replace(QUICK, seed=seed)) for seed in (1, 2))
    assert (one.statistics != other.statistics).any()


def test_a_stopped_search_says_what_it_has():
    stop = no_stop()
    stop[0] = 1
    view = view_of(1, 8)
    worlds = load_belief("OM-1").sample(view, 5, np.random.default_rng(0))
    assert search(view, worlds, QUICK, stop=stop).simulations == 0


def test_time_ends_it():
    decision = decide(view_of(2, 4), replace(QUICK, time_ms=5.0, worlds=30))
    assert decision.simulations > 0


def test_a_clear_difference_ends_the_racing_early():
    """The seat on the right leads Q♠: taking it costs 13 points in every world."""
    hand = parse_cards("AS KS 3S 7H 2H JD 9D 8D 10C 6C 5C 4C")
    tricks = (trick(1, "2C 9C KC 3C"),)
    view = View(0, hand, trick(3, "QS"), tricks, rules=PASSING)
    decision = decide(view, replace(QUICK, worlds=30, simulations=100_000))
    assert name(decision.card) == "3S"
    assert decision.simulations < 2_000


@pytest.mark.parametrize(
    ("gaps", "clear"),
    [
        ([1.0] * 20, True),
        ([0.0] * 20, False),
        ([1.0, -1.0] * 10, False),
        ([1.0, 0.9] * 10, True),
        ([-1.0] * 20, False),
        ([10.0] + [0.0] * 19, False),
    ],
)
def test_a_move_leaves_only_when_it_is_clearly_worse(gaps, clear):
    weights = np.full(len(gaps), 1 / len(gaps))
    assert is_clear(np.array(gaps), weights) is clear


def test_rollouts_are_played_by_rule_where_the_network_does_not_know_the_penalties():
    rules = Rules.from_mask(0)
    deal = random_deal(rules, 8, 3)
    decision = decide(View.of(deal, deal.turn or 0), QUICK)
    assert decision.config.algorithm == "rollouts"
    assert 0 < decision.simulations <= QUICK.simulations
    assert decision.result is not None
    assert not decision.result.bonus.any()  # the network has no say


def test_the_jack_is_taken_where_it_is_a_bonus():
    """Last to play, with K♦ and 3♦: the trick has J♦ and a heart."""
    hand = parse_cards("KD 3D 7S 6S 5S 2H 10C 9C 8C 7C 6C 5C")
    tricks = (trick(1, "2C AC KC QC"),)
    view = View(1, hand, trick(2, "4D JD 8H"), tricks, rules=replace(PASSING, jack_bonus=True))
    played, other = decide(view, QUICK).cards
    assert (name(played.card), name(other.card)) == ("KD", "3D")
    assert other.points - played.points > 5


def test_only_the_own_pass_is_known():
    deal = random_deal(PASSING, 15, 4, PassDirection.ACROSS)
    for seat in range(4):
        seen, _ = seen_by(View.of(deal, seat))
        known = [other for other in range(4) if seen[other, 1:].any()]
        assert known == [seat]
        assert seen[seat, 1] == deal.passes[seat]
        assert seen[seat, 2] == deal.passes[(seat - 2) % 4]


def test_mixed_worlds_are_searched_too():
    """Counterfactual worlds have statistics for the moves that both hands have."""
    decision = decide(view_of(6, 16), replace(QUICK, belief="mixture:0.5", worlds=40))
    assert decision.simulations > 0


@pytest.mark.parametrize("seed", [148, 238])
def test_racing_ends_when_no_world_has_a_remaining_move(seed):
    deal = random_deal(PASSING, 32, seed, PassDirection(seed % 4))
    config = replace(QUICK, belief="mixture:0.5", worlds=60, simulations=600, seed=seed)
    assert 0 < decide(View.of(deal, deal.turn or 0), config).simulations <= 600


def test_votes_are_those_of_the_worlds_that_tried_all_moves():
    config = replace(QUICK, worlds=60, simulations=3_000)
    found = result(view_of(4, 12), config)
    visits, rewards = found.statistics[..., VISITS], found.statistics[..., REWARD]
    assert len(set(visits.sum(axis=0))) > 1  # some moves were eliminated
    whole = (visits > 0).all(axis=1)
    assert 0 < whole.sum() < len(whole)
    best = (rewards[whole] / visits[whole]).argmax(axis=1)
    expected = np.bincount(best, weights=found.weights[whole], minlength=len(found.moves))
    assert votes(found, config) == pytest.approx(60 * expected / found.weights[whole].sum())


def test_nothing_is_dropped_before_what_is_rare_can_have_shown_itself():
    view = view_of(4, 12)
    few = result(view, replace(QUICK, worlds=20, simulations=2 * 20 * 13 - 1))
    visits = few.statistics[..., VISITS].sum(axis=0)
    assert visits.min() >= 40


def test_the_policy_is_that_of_the_own_hand():
    """Also in the counterfactual worlds of a mixture."""
    view = view_of(6, 16)
    priors = []
    for belief in ("OM-1", "mixture:1.0"):
        worlds = load_belief(belief).sample(view, 20, np.random.default_rng(1))
        priors.append(search(view, worlds, QUICK).bonus)
    assert (priors[0] == priors[1]).all()
    assert priors[0].max() > priors[0].min()


def test_hearts_break_for_the_network_at_the_end_of_a_trick():
    """In self-play, hearts break only at the end of a trick."""
    found = 0
    for seed in range(400):
        deal = random_deal(PASSING, 20 + seed % 12, seed, PassDirection.HOLD)
        view = View.of(deal, deal.turn or 0)
        finished = set_of(card for trick in view.tricks for card in trick.cards)
        if not view.broken or finished & PASSING.heart_breakers or count(view.legal) < 2:
            continue
        worlds = Worlds(np.array([deal.hands], dtype=np.uint64), np.ones(1))
        log_policy = search(view, worlds, replace(QUICK, worlds=1, policy_weight=1.0)).bonus
        moves = network_oracle.moves(deal)
        seat = view.seat
        seen = network_oracle.known(deal, seat) | network_oracle.on_the_table(deal, seat)
        expected = np.log(network_oracle.probabilities(shipped(), seen, moves) + LEAST_PROBABILITY)
        assert log_policy == pytest.approx(expected, abs=1e-6)
        found += len(moves) > 1
    assert found > 3


def test_a_tree_is_heard_beside_the_rollouts():
    """Its values are those of the same tree alone on the same worlds."""
    heard, config = 0, replace(QUICK, simulations=60, auxiliary_simulations=500)
    for seed in range(20):
        view = view_of(seed, 8)
        worlds = load_belief("OM-1").sample(view, 12, np.random.default_rng(seed))
        with_tree = search(view, worlds, config)
        without = search(view, worlds, replace(config, auxiliary_simulations=0))
        tree = search(view, worlds, replace(config, algorithm="ismcts", simulations=500))
        means = tree.statistics[0, :, REWARD] / tree.statistics[0, :, VISITS]
        assert with_tree.bonus - without.bonus == pytest.approx(means - means.mean())
        assert with_tree.simulations == with_tree.statistics[..., VISITS].sum() + 500
        heard += scores(with_tree, config).argmax() != scores(without, config).argmax()
    assert heard > 2


def test_it_is_said_where_the_tree_turns_the_scale():
    config = replace(QUICK, worlds=30, auxiliary_simulations=2_000)
    decisions = [decide(view_of(seed, 8), config) for seed in range(30)]
    told = [each for each in decisions if "a second search" in explain(each)]
    assert told
    for each in told:
        played = each.cards[0]
        rival = next(other for other in each.cards if other.score != played.score)
        assert rival.points < played.points
        assert rival.score - rival.auxiliary_value > played.score - played.auxiliary_value
        assert played.as_object()["advice"] == round(played.auxiliary_value, 4)
    alone = replace(config, auxiliary_simulations=0)
    for each in (decide(view_of(seed, 8), alone) for seed in range(5)):
        assert {card.auxiliary_value for card in each.cards} == {0.0}
        assert "second search" not in explain(each)


def test_a_tree_beside_rollouts_keeps_to_the_clock_and_to_the_stop():
    view = view_of(2, 4)
    config = replace(QUICK, time_ms=10.0, clock="cpu", worlds=30)
    config = replace(config, auxiliary_simulations=MAX_SIMULATIONS)
    found = result(view, config)
    assert found.statistics[..., VISITS].sum() > 0
    assert 0 < found.simulations - found.statistics[..., VISITS].sum() < 100_000
    stopped = search(
        view,
        load_belief("OM-1").sample(view, 4, np.random.default_rng(1)),
        replace(QUICK, auxiliary_simulations=500),
        stop=np.ones(1, dtype=np.uint8),
    )
    assert stopped.simulations == 0


def test_a_pass_is_chosen_by_rollouts():
    deal = random_deal(PASSING, 0, 3)
    view = View.of(type(deal).of(PASSING, deal.dealt, PassDirection.LEFT), 1)
    decision = choose_pass(view, replace(QUICK, simulations=400))
    assert count(decision.cards) == 3
    assert decision.simulations == sum(each.playouts for each in decision.candidates)
    assert decision.simulations > 200
    again = choose_pass(view, replace(QUICK, simulations=400))
    assert again.candidates == decision.candidates

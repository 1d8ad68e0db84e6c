"""The search: budgets, consistent statistics, one scale of rewards, exact play in the limit."""

import threading
import time
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts.engine.aggregation import best_children
from hearts.engine.beliefs import Worlds
from hearts.engine.bridge.state import pack_state, rules_word
from hearts.engine.bridge.worlds import equal_cards, root_moves, world_states
from hearts.engine.config import ALGORITHMS, OPPONENTS, REWARDS, SearchConfig
from hearts.engine.decide import decide
from hearts.engine.decision import Decision
from hearts.engine.explain import explain
from hearts.engine.levels import PLAIN
from hearts.engine.rewards import reward_scale
from hearts.engine.search.dispatch import search
from hearts.engine.search.result import SearchResult, no_stop
from hearts.engine.search.trees import world_order
from hearts.game.cards import DECK, SEATS, bit, count, lowest, members, parse_cards
from hearts.game.deal import Deal
from hearts.game.errors import IllegalMove, InvalidConfig
from hearts.game.rules import (
    ALL_HEARTS,
    JACK,
    PASSING,
    STANDARD,
    PassDirection,
    Rules,
    hand_points,
    lowest_score,
)
from hearts.game.rules import QUEEN as QUEEN_CARD
from hearts.game.trick import Hands, Trick
from hearts.kernels.core.reward import DIFFERENCE, rewards
from hearts.kernels.core.state import final_points
from hearts.kernels.core.statistics import (
    AGAINST,
    COLUMNS,
    MATCH,
    MOON,
    POINTS,
    QUEEN,
    REWARD,
    VISITS,
)
from hearts.kernels.search.solver import TABLE_SIZE, solve_moves
from hearts.views.view import View
from models.voids import VoidBelief
from tests.golden.proofs import best_play
from tests.hearts.kernels.playouts.test_playouts import RULES, SEEDS, SKEWS
from tests.hearts.kernels.search.test_solver import solved
from tests.hearts.play import positions, random_deal
from tests.hearts.worlds import all_worlds

TREES = tuple(one for one in ALGORITHMS if one != "rollouts")  # racing may end early
QUICK = SearchConfig(worlds=12, simulations=300, endgame=0)
SOLVING = SearchConfig(reward="difference", endgame=5)
SCORES = st.lists(st.integers(-60, 140), min_size=4, max_size=4).map(tuple)


def choices(rules: Rules, cards: range, seeds: range) -> list[View]:
    """Views in which the seat is to play and has a choice."""
    deals = [random_deal(rules, n, seed) for n in cards for seed in seeds]
    views = [View.of(deal, deal.turn) for deal in deals if deal.turn is not None]
    return [view for view in views if count(root_moves(view)) > 1]


def one_world(hands: Hands) -> Worlds:
    return Worlds(np.array([hands], dtype=np.uint64), np.ones(1))


def sample(view: View, n: int) -> Worlds:
    return VoidBelief().sample(view, n, np.random.default_rng(1))


def without_time(decision: Decision) -> Decision:
    """The decision without what may differ: seconds, and the number of threads."""
    config = replace(decision.config, threads=1)
    return replace(decision, seconds=0.0, config=config)


VIEWS = choices(STANDARD, range(1, 48, 5), range(2))
EARLY = next(view for view in VIEWS if view.round_size == 13)


# Budgets


@pytest.mark.parametrize("algorithm", TREES)
@pytest.mark.parametrize("opponents", OPPONENTS)
@pytest.mark.parametrize("simulations", [1, 7, 100, 1000])
def test_as_many_simulations_are_done_as_the_config_says(algorithm, opponents, simulations):
    config = replace(QUICK, algorithm=algorithm, opponents=opponents, simulations=simulations)
    for view in VIEWS:
        decision = decide(view, config)
        assert decision.simulations == simulations
        leaders = {lowest(cards) for cards in equal_cards(view)}
        visits = [row.visits for row in decision.cards if row.card in leaders]
        assert sum(visits) == simulations


@pytest.mark.parametrize("algorithm", TREES)
@pytest.mark.parametrize("threads", [1, 3])
def test_the_number_holds_with_fewer_different_worlds(algorithm, threads):
    view, fitting = few_worlds()
    config = replace(QUICK, algorithm=algorithm, worlds=200, simulations=1001, threads=threads)
    decision = decide(view, config)
    assert len(fitting) < 200
    assert decision.simulations == 1001
    assert decision.worlds == (200 if algorithm == "pimc" else 1001)


@cache
def few_worlds() -> tuple[View, list[Hands]]:
    """A view with a choice, which a few worlds fit."""
    for view in choices(STANDARD, range(44, 46), range(40)):
        fitting = list(all_worlds(view))
        if 2 < len(fitting) < 12:
            return view, fitting
    raise AssertionError("no such view")


def test_worlds_share_the_simulations_evenly():
    view, config = EARLY, replace(QUICK, simulations=100)
    result = search(view, sample(view, 12), config)
    each = result.statistics[..., VISITS].sum(axis=1)
    assert set(each) == {8, 9}
    assert each.sum() == 100


def test_a_single_legal_card_is_answered_at_once():
    deal = next(deal for deal in positions(STANDARD, 3) if count(deal.legal) == 1 and deal.tricks)
    decision = decide(View.of(deal, deal.turn or 0), SearchConfig(simulations=1_000_000))
    assert (decision.simulations, decision.worlds, decision.cards) == (0, 0, ())
    assert bit(decision.card) == deal.legal
    assert decision.forced
    assert decision.exact


@pytest.mark.parametrize(
    ("deal", "message"),
    [
        (random_deal(STANDARD, 6, 1), "seat 0 is not to play: seat . is"),
        (random_deal(STANDARD, 52, 1), "seat 0 is not to play: the hand is over"),
        (
            Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(1)),
            "seat 0 is not to play: cards are to be passed",
        ),
    ],
)
def test_who_is_not_to_play_is_told_so(deal, message):
    assert deal.turn != 0
    with pytest.raises(IllegalMove, match=message):
        decide(View.of(deal, 0), QUICK)


# Time and the stop flag


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("threads", [1, 2])
def test_more_time_is_more_simulations(algorithm, threads):
    done = []
    for time_ms in (2, 150):
        config = replace(QUICK, algorithm=algorithm, threads=threads, time_ms=time_ms)
        decision = decide(EARLY, config)
        assert decision.view.legal & bit(decision.card)
        done.append(decision.simulations)
    assert 0 < done[0] < done[1]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_stop_flag_ends_a_search_by_time(algorithm):
    stop = no_stop()
    timer = threading.Timer(0.05, stop.fill, [1])
    timer.start()
    started = time.monotonic()
    decision = decide(EARLY, replace(QUICK, algorithm=algorithm, time_ms=60_000), stop=stop)
    timer.join()
    assert time.monotonic() - started < 30  # half of its budget
    assert decision.simulations > 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_stop_flag_ends_a_search_by_simulations(algorithm):
    stop = no_stop()
    timer = threading.Timer(0.01, stop.fill, [1])
    timer.start()
    config = replace(QUICK, algorithm=algorithm, simulations=1_000_000, playout="shoot-aware")
    decision = decide(EARLY, config, stop=stop)
    timer.join()
    assert decision.simulations < 1_000_000


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_flag_that_is_set_before_leaves_a_legal_card(algorithm):
    decision = decide(EARLY, replace(QUICK, algorithm=algorithm), stop=np.ones(1, dtype=np.uint8))
    assert decision.simulations == 0
    assert EARLY.legal & bit(decision.card)


# Repeatability


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("opponents", OPPONENTS)
@pytest.mark.parametrize("endgame", [0, 5])
def test_threads_and_repetition_change_nothing(algorithm, opponents, endgame):
    config = replace(QUICK, algorithm=algorithm, opponents=opponents, endgame=endgame, seed=3)
    for view in VIEWS:
        first = without_time(decide(view, config))
        for threads in (1, 2, 3):
            again = decide(view, replace(config, threads=threads))
            assert without_time(again) == first


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_seeds_make_a_difference(algorithm):
    decisions = [decide(EARLY, replace(QUICK, algorithm=algorithm, seed=s)) for s in range(8)]
    assert len({decision.cards for decision in decisions}) == 8


def test_a_blunder_is_a_legal_card_and_says_so():
    config = replace(QUICK, simulations=20, blunder=0.5)
    decisions = [decide(EARLY, replace(config, seed=seed)) for seed in range(60)]
    blunders = [decision for decision in decisions if decision.blunder]
    assert 15 <= len(blunders) <= 45
    assert all(EARLY.legal & bit(decision.card) for decision in blunders)
    assert any(decision.card != decision.cards[0].card for decision in blunders)
    assert all(d.card == d.cards[0].card for d in decisions if not d.blunder)


# Statistics


CONFIGS = st.builds(
    SearchConfig,
    algorithm=st.sampled_from(ALGORITHMS),
    opponents=st.sampled_from(OPPONENTS),
    reward=st.sampled_from(REWARDS),
    endgame=st.integers(0, 5),
    worlds=st.just(9),
    simulations=st.just(200),
)


@given(RULES, st.integers(0, 47), SEEDS, SKEWS, CONFIGS, SCORES)
def test_statistics_are_consistent(rules, cards, seed, skew, config, scores):
    deal = random_deal(rules, cards, seed, skew=skew)
    view = View.of(deal, deal.turn or 0, scores)
    decision = decide(view, config)
    assert view.legal & bit(decision.card)
    if decision.forced:
        return
    assert sorted(row.card for row in decision.cards) == list(members(view.legal))
    assert decision.card == decision.cards[0].card
    assert decision.best == max(decision.cards, key=lambda row: row.score)
    for row in decision.cards:
        assert lowest_score(rules) - 1e-9 <= row.points <= rules.total + 1e-9  # rounding
        assert row.points_error >= 0
        for chance in (row.queen, row.moon, row.moon_against, row.match_value):
            assert 0 <= chance <= 1 + 1e-9
        assert row.moon + row.moon_against <= 1 + 1e-9
    by_card = {row.card: row for row in decision.cards}
    for group in equal_cards(view):
        alike = {replace(by_card[card], card=0) for card in members(group)}
        assert len(alike) == 1


@pytest.mark.parametrize("endgame", [0, 5])
def test_votes_sum_to_the_worlds(endgame):
    for view in VIEWS:
        config = replace(QUICK, worlds=40, endgame=endgame)
        leaders = {lowest(cards) for cards in equal_cards(view)}
        votes = [row.votes for row in decide(view, config).cards if row.card in leaders]
        assert sum(votes) == pytest.approx(40)
        assert votes == pytest.approx(np.round(votes))  # whole worlds: their weights are equal


def test_weights_of_equal_worlds_add_up():
    view, (one, other, *_) = few_worlds()
    hands = np.array([one, other, one, one], dtype=np.uint64)
    weights = np.array([0.1, 0.6, 0.2, 0.1])
    result = search(view, Worlds(hands, weights), replace(QUICK, simulations=101))
    assert sorted(result.weights) == pytest.approx([0.4, 0.6])
    assert (result.worlds, result.voters, result.simulations) == (4, 4, 101)


def test_one_tree_takes_worlds_by_their_weight():
    weights = np.array([0.5, 0.25, 0.0, 0.125, 0.125, 0, 0, 0])
    order = world_order(weights, seed=1)
    assert np.bincount(order, minlength=8).tolist() == [4, 2, 0, 1, 1, 0, 0, 0]
    assert world_order(weights, seed=1).tolist() == order.tolist()


def known_hands(rules: Rules, sizes: range) -> tuple[View, Hands]:
    """A view with a choice in which all hands are known, and the hands."""
    for seed in range(1000):
        for deal in positions(rules, seed, skew=0.6):
            view = View.of(deal, deal.turn or 0)
            known = view.round_size in sizes and view.known == deal.hands
            if known and count(root_moves(view)) > 1:
                return view, deal.hands
    raise AssertionError("no such hand")


@pytest.mark.parametrize("endgame", [0, 5])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_known_hands_are_one_world(algorithm, endgame):
    view, hands = known_hands(STANDARD, range(3, 6))
    config = replace(QUICK, algorithm=algorithm, endgame=endgame)
    result = search(view, sample(view, 12), config)
    assert len(result.statistics) == len(result.weights) == 1
    assert result.exact == bool(endgame)
    if endgame:
        exact = best_play(view, hands)
        decision = decide(view, config)
        assert decision.exact
        assert exact[decision.card] == max(exact.values())


# One scale for rewards


def final_rewards(kind: str, rules: Rules, taken: np.uint64, scores: Hands) -> list[float]:
    scale = reward_scale(kind, rules, scores)
    points, reward = np.zeros(4, dtype=np.int64), np.zeros(4)
    rewards(
        taken, rules_word(rules), scale.kind, scale.scale, scale.scores, scale.target,
        scale.ahead, points, reward,
    )  # fmt: skip
    return reward.tolist()


def taken_word(taken: Hands) -> np.uint64:
    empty = (0,) * SEATS
    return pack_state(empty, Trick(0), taken, first_trick=False, broken=True)[7]


@given(RULES, SEEDS, SKEWS, st.sampled_from(REWARDS), SCORES)
def test_tree_and_playout_value_a_hand_alike(rules, seed, skew, kind, scores):
    """The last trick is forced: it is first valued by a playout, then inside the tree."""
    deal = random_deal(rules, 48, seed, skew=skew)
    seat = deal.turn or 0
    view, world = View.of(deal, seat, scores), one_world(deal.hands)
    means = []
    for simulations in (1, 2, 3, 4, 5, 20):
        config = SearchConfig(reward=kind, simulations=simulations, worlds=1, endgame=0)
        row = search(view, world, config).statistics[0, 0]
        assert row[VISITS] == simulations
        means.append(row / simulations)
    end = deal
    while not end.finished:
        end = end.play(lowest(end.legal))
    expected = final_rewards(kind, rules, taken_word(end.taken), scores)[seat]
    assert [mean[REWARD] for mean in means] == pytest.approx([expected] * 6, abs=1e-12)
    assert [mean[POINTS] for mean in means] == [end.final_points(rules.moon)[seat]] * 6


@given(RULES, SEEDS, SKEWS, st.sampled_from(REWARDS), SCORES)
def test_rewards_are_from_0_to_1(rules, seed, skew, kind, scores):
    end = random_deal(rules, 52, seed, skew=skew)
    reward = final_rewards(kind, rules, taken_word(end.taken), scores)
    assert all(-1e-12 <= value <= 1 + 1e-12 for value in reward)


@given(RULES, st.integers(0, 3), st.integers(0, 3), st.sampled_from(REWARDS), SCORES)
def test_rewards_of_one_who_takes_everything_are_too(rules, shooter, jack_to, kind, scores):
    """All penalties to one seat, the jack to any."""
    taken = [0] * SEATS
    taken[shooter] = DECK & ~JACK if jack_to != shooter else DECK
    taken[jack_to] |= JACK
    word = int(taken_word(tuple(taken)))
    if jack_to != shooter:
        word |= 1 << 16 * jack_to + 8  # the card came with a trick
    reward = final_rewards(kind, rules, np.uint64(word), scores)
    points = hand_points(rules, taken, rules.moon)
    assert all(-1e-12 <= value <= 1 + 1e-12 for value in reward)
    if kind != "match":
        by_points = sorted(range(SEATS), key=lambda seat: (points[seat], seat))
        assert by_points == sorted(range(SEATS), key=lambda seat: (-round(reward[seat], 9), seat))


def test_a_moon_is_the_best_and_the_worst_there_is():
    moon = taken_word((DECK, 0, 0, 0))
    for kind in ("points", "difference"):
        assert final_rewards(kind, STANDARD, moon, (0,) * 4)[0] == pytest.approx(1)
    assert final_rewards("relative", STANDARD, moon, (0,) * 4) == pytest.approx([1, 0, 0, 0])
    lost = taken_word((ALL_HEARTS & ~bit(48) | QUEEN_CARD, bit(48), 0, 0))
    for kind in ("points", "relative", "difference"):
        assert final_rewards(kind, STANDARD, lost, (0,) * 4)[0] < 0.1
    # The match is decided: the seat with the most points is over the target, and last.
    assert final_rewards("match", STANDARD, moon, (0, 80, 85, 90))[0] == 1
    assert final_rewards("match", STANDARD, moon, (0, 80, 85, 90))[3] == 0


@pytest.mark.parametrize("kind", REWARDS)
def test_moons_are_counted_in_the_tree(kind):
    """The last trick of a hand in which one seat has all the rest."""
    hearts = list(members(ALL_HEARTS))
    hands = tuple(bit(card) for card in (hearts[12], *hearts[:3]))
    rest = DECK & ~sum(hands)
    view = View(seat=0, hand=hands[0], trick=Trick(0), won=(rest, 0, 0, 0), hearts_broken=True)
    row = search(view, one_world(hands), replace(QUICK, reward=kind, worlds=1)).statistics[0, 0]
    assert row[[VISITS, POINTS, QUEEN, MOON, AGAINST]].tolist() == [300, 0, 300, 300, 0]
    expected = final_rewards(kind, STANDARD, taken_word((DECK, 0, 0, 0)), (0,) * 4)[0]
    assert row[REWARD] == pytest.approx(300 * expected)
    assert len(row) == COLUMNS
    assert row[MATCH] == pytest.approx(
        300 * final_rewards("match", STANDARD, taken_word((DECK, 0, 0, 0)), (0,) * 4)[0]
    )


# UCT with open cards against exact play


@dataclass(frozen=True)
class Agreement:
    """The accuracy of UCT over many endings."""

    share: float  # of cards whose exact value is within half a point of the best
    error: float  # mean distance of the tree's value from the exact one, in points


ENDINGS = 120  # 500 give 84, 86 and 92 of 100, and an error of 1.77, 1.47 and 0.92 points


@cache
def endings() -> list[tuple[View, Hands, dict[int, float]]]:
    """Random positions of five cards a seat with a choice, and the exact gain of each move."""
    found = []
    for seed in range(3 * ENDINGS):
        deal = random_deal(STANDARD, 32 + seed % 4, seed)
        view = View.of(deal, deal.turn or 0)
        if count(root_moves(view)) > 1 and len(found) < ENDINGS:
            found.append((view, deal.hands, best_play(view, deal.hands)))
    return found


def agreement(simulations: int) -> Agreement:
    config = replace(PLAIN, worlds=1, simulations=simulations, seed=1)
    right, error = 0, 0.0
    for view, hands, exact in endings():
        result = search(view, one_world(hands), config)
        move = best_children(result, config.best_child)[0]
        best = max(exact.values())
        right += exact[lowest(result.moves[move])] >= best - 0.5
        error += abs(gain(result, move) - best)
    return Agreement(right / ENDINGS, error / ENDINGS)


def gain(result: SearchResult, move: int) -> float:
    """The mean reward of a move in points: the mean of the others minus one's own."""
    row = result.statistics[0, move]
    return float(2 * STANDARD.total * (row[REWARD] / row[VISITS] - 0.5))


def test_uct_comes_near_exact_play():
    assert len(endings()) == ENDINGS
    few, more, many = (agreement(simulations) for simulations in (100, 1_000, 20_000))
    assert many.share >= 0.85
    assert few.share <= more.share <= many.share
    assert few.share < many.share
    assert few.error > more.error > many.error


def test_one_world_with_endgame_is_exact():
    for seed in range(40):
        deal = random_deal(STANDARD, 32 + seed % 4, seed)
        seat = deal.turn or 0
        result = search(View.of(deal, seat), one_world(deal.hands), SOLVING)
        lines = solved(deal, DIFFERENCE, TABLE_SIZE)
        assert result.exact
        assert result.simulations == len(result.moves) == len(lines)
        for move, points in enumerate(lines):
            assert gain(result, move) == pytest.approx((sum(points) - 4 * points[seat]) / 3)


def test_a_search_that_is_stopped_before_it_begins_says_so():
    deal = list(positions(STANDARD, 3, skew=0.2))[9]
    stopped = np.ones(1, dtype=np.uint8)
    decision = decide(View.of(deal, deal.turn or 0), SearchConfig(simulations=300), stop=stopped)
    assert decision.simulations == 0
    assert not any(statistics.votes for statistics in decision.cards)
    assert "without a search" in explain(decision)


def test_claimed_points_that_cannot_be_are_not_believed():
    """A client that sends match scores as the points of the hand does not change the search."""
    hand = parse_cards("2C 5C 9C 8D JH 4S AS")
    honest = View(0, hand, Trick(0), hearts_broken=True)
    claimed = replace(honest, points_claim=(80, 90, 99, 70))
    assert claimed.contradictions
    config = SearchConfig(simulations=600, seed=5)
    assert decide(claimed, config).cards == decide(honest, config).cards


def test_claimed_points_count_where_they_can_be():
    hand = parse_cards("2C 5C 9C 8D JH 4S AS")
    view = View(0, hand, Trick(0), hearts_broken=True, points_claim=(0, 5, 0, 0))
    worlds = VoidBelief().sample(view, 20, np.random.default_rng(1))
    assert {int(taken) >> 16 & 0xF for taken in world_states(view, worlds)[:, 7]} == {5}


# Counterfactual worlds


def counterfactual_hands(view: View, hands: Hands) -> Hands:
    """A deal in which the viewer has swapped one of its moves for a card of another seat."""
    seat, other = view.seat, next(s for s in view.others if hands[s] & ~view.denied[s])
    given = view.legal & -view.legal
    got = hands[other] & -hands[other]
    changed = list(hands)
    changed[seat] ^= given | got
    changed[other] ^= given | got
    return tuple(changed)


def swapped(cards: range) -> list[tuple[View, Hands, int]]:
    """Views with a choice, a counterfactual deal without the lowest move, and its moves."""
    found = []
    for n in cards:
        for seed in range(8):
            deal = random_deal(Rules.from_mask(0), n, seed)
            view = View.of(deal, deal.turn or 0)
            if view.trick.cards or count(root_moves(view)) < 2:
                continue  # on lead every card is legal by these rules: the swap takes one move away
            hands = counterfactual_hands(view, deal.hands)
            found.append((view, hands, root_moves(view) & hands[view.seat]))
    return found


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_world_speaks_for_the_moves_that_its_hand_has(algorithm):
    for view, hands, left in swapped(range(4, 32, 4)):
        config = SearchConfig(algorithm=algorithm, simulations=64, worlds=1, endgame=0)
        result = search(view, one_world(hands), config)
        tried = result.statistics[0, :, VISITS] > 0
        moves = [root_moves(view) & cards for cards in result.moves]
        assert tried.tolist() == [bool(cards & left) for cards in moves]
        assert result.simulations == result.statistics[..., VISITS].sum()
        assert result.simulations == 64 or algorithm not in TREES


def test_an_ending_is_solved_for_the_moves_that_its_hand_has():
    tried = 0
    for view, hands, left in swapped(range(36, 45, 4)):
        result = search(view, one_world(hands), SOLVING)
        assert result.exact
        state = world_states(view, one_world(hands))[0]
        for row, cards in zip(result.statistics[0], result.moves, strict=True):
            card = root_moves(view) & cards
            assert row[VISITS] == bool(card & left)
            if card & left:
                keys, values = np.zeros((2, TABLE_SIZE), dtype=np.uint64)
                lines = np.zeros(13, dtype=np.uint64)
                word = rules_word(view.rules)
                solve_moves(state, np.uint64(card), word, DIFFERENCE, keys, values, lines)
                points = np.empty(4, dtype=np.int64)
                final_points(lines[0], word, points)
                assert row[POINTS] == points[view.seat]
                tried += 1
    assert tried > 10


def test_worlds_without_a_move_of_the_hand_are_left_out():
    view, hands, _ = swapped(range(20, 21))[0]
    useless, other = list(hands), view.others[2]
    useless[view.seat], useless[other] = useless[other], useless[view.seat]
    assert not useless[view.seat] & view.legal
    both = Worlds(np.array([hands, useless], dtype=np.uint64), np.array([0.25, 0.75]))
    for algorithm in ALGORITHMS:
        config = SearchConfig(algorithm=algorithm, simulations=50, worlds=2)
        result = search(view, both, config)
        assert len(result.statistics) == len(result.weights) == 1
        assert result.weights.tolist() == [1.0]
        assert result.simulations == 50 or algorithm not in TREES
    with pytest.raises(InvalidConfig, match="belief: it gave no world"):
        search(view, one_world(tuple(useless)), SearchConfig())

"""Exact endings against a search in plain Python that looks at every line."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.engine.bridge.state import rules_word, state_of
from hearts.game.cards import (
    DIAMONDS,
    SPADES,
    Card,
    bit,
    card_of,
    members,
    rank_of,
    suit_of,
)
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, STANDARD, MoonScoring, Rules
from hearts.kernels.core.reward import DIFFERENCE, POINTS
from hearts.kernels.core.state import distinct, final_points
from hearts.kernels.search.solver import TABLE_SIZE, _past, solve_moves
from tests.hearts.kernels.playouts.test_playouts import RULES, SEEDS, SKEWS
from tests.hearts.play import positions, random_deal

QUEEN, JACK = card_of(SPADES, 10), card_of(DIAMONDS, 9)
U = np.uint64


@dataclass(frozen=True)
class Line:
    """Best play from a position: the points, and whether a seat had another card as good for it."""

    points: tuple[int, ...]
    tied: bool


def moves_of(deal: Deal) -> list[Card]:
    """The legal cards, without those that equal a lower one; written without bit tricks."""
    legal = list(members(deal.legal))
    others = [card for hand in deal.hands for card in members(hand)] + list(deal.trick.cards)
    result = []
    for card in legal:
        in_suit = [c for c in others if suit_of(c) == suit_of(card) and c < card]
        below = max(in_suit, default=None)
        special = {QUEEN, JACK} & {card, below}
        if special or below is None or below not in legal:
            result.append(card)
    return result


def utility(points: tuple[int, ...], seat: int, mode: int) -> int:
    return -points[seat] if mode == POINTS else sum(points) - 4 * points[seat]


def order(deal: Deal, moves: list[Card]) -> list[Card]:
    """The order in which the solver looks at cards: of equally good ones the first is kept."""
    by_rank = sorted(moves, key=lambda card: (rank_of(card), suit_of(card)))
    takers = [seat for seat in range(4) if costs_so_far(deal, seat)]
    may_shoot = bool(deal.rules.moon_cards) and not deal.rules.no_shooting
    plain = not (deal.rules.jack_bonus or deal.rules.no_trick_bonus) and (
        not may_shoot or len(takers) > 1
    )
    shoots = not plain and takers == [deal.turn]
    if not deal.trick.cards:
        return by_rank[::-1] if shoots else by_rank
    if suit_of(moves[0]) == deal.trick.led:
        best = max(card for card in deal.trick.cards if suit_of(card) == deal.trick.led)
        ducking = [card for card in moves if card < best and not shoots]
        rest = [card for card in moves if card not in ducking]
        return sorted(ducking, reverse=True) + sorted(rest, reverse=True)
    return sorted(moves, key=lambda card: (card != QUEEN, -card))


def costs_so_far(deal: Deal, seat: int) -> bool:
    hearts = any(suit_of(card) == 3 for card in members(deal.taken[seat]))
    return hearts or (deal.rules.queen_penalty and bool(deal.taken[seat] & bit(QUEEN)))


def best_line(deal: Deal, mode: int) -> Line:
    if deal.finished:
        return Line(deal.final_points(deal.rules.moon), False)
    seat, best, tied = deal.turn or 0, None, False
    for card in order(deal, moves_of(deal)):
        line = best_line(deal.play(card), mode)
        gain = (
            1
            if best is None
            else utility(line.points, seat, mode) - utility(best.points, seat, mode)
        )
        tied |= line.tied or (gain == 0 and best is not None and line.points != best.points)
        best = line if gain > 0 else best
    assert best is not None
    return Line(best.points, tied)


def solved(deal: Deal, mode: int, table: int) -> list[tuple[int, ...]]:
    """The points after each of the moves, from the lowest card, as the kernel finds them."""
    rules, moves = rules_word(deal.rules), U(sum(map(bit, moves_of(deal))))
    keys, values = np.zeros((2, table), dtype=U)
    lines, points = np.zeros(13, dtype=U), np.zeros(4, dtype=np.int64)
    solve_moves(state_of(deal), moves, rules, mode, keys, values, lines)
    result = []
    for line in lines[: len(moves_of(deal))]:
        final_points(line, rules, points)
        result.append(tuple(points.tolist()))
    return result


ENDINGS = st.builds(
    random_deal, RULES, st.integers(41, 48), SEEDS, skew=SKEWS
)  # two to three cards a seat


@settings(max_examples=100)
@given(ENDINGS, st.sampled_from([POINTS, DIFFERENCE]))
def test_endings_agree_with_a_search_of_every_line(deal, mode):
    lines = [best_line(deal.play(card), mode) for card in moves_of(deal)]
    assert solved(deal, mode, 0) == [line.points for line in lines]
    if not any(line.tied for line in lines):
        assert solved(deal, mode, TABLE_SIZE) == [line.points for line in lines]


@pytest.mark.parametrize("rules", [STANDARD, replace(PASSING, moon=MoonScoring.SHOOTER_SUBTRACTS)])
def test_longer_endings_agree_too(rules):
    unique = 0
    for seed in range(12):
        deal = random_deal(rules, 37, seed, skew=0.5)
        lines = [best_line(deal.play(card), DIFFERENCE) for card in moves_of(deal)]
        assert solved(deal, DIFFERENCE, 0) == [line.points for line in lines]
        if not any(line.tied for line in lines):
            unique += 1
            assert solved(deal, DIFFERENCE, TABLE_SIZE) == [line.points for line in lines]
    assert unique  # else the table was not tested


def test_moons_are_found_and_stopped():
    """Where one seat has all the points, some endings end in a moon and some do not."""
    results = set()
    for seed in range(150):
        deal = list(positions(STANDARD, seed))[40]
        takers = [seat for seat in range(4) if costs_so_far(deal, seat)]
        if len(takers) == 1:
            results |= {sum(points) for points in solved(deal, DIFFERENCE, TABLE_SIZE)}
    assert results == {26, 78}


@given(RULES, st.integers(0, 51), SEEDS)
def test_equal_cards_are_merged_as_in_plain_python(rules: Rules, cards, seed):
    deal = random_deal(rules, cards, seed)
    in_play = sum(deal.hands) | deal.trick.cards_set
    assert list(members(int(distinct(U(deal.legal), U(in_play))))) == moves_of(deal)


def test_the_table_tells_apart_who_has_a_trick_where_that_counts():
    """Two seats have hearts, and seat 0 has a trick or none: not the same past under the bonus."""
    bonus = rules_word(replace(STANDARD, no_trick_bonus=True))
    hearts = (0x0101 << 16) | (0x0101 << 32)  # seats 1 and 2: a heart and a trick each
    pasts = [_past(U(hearts), bonus), _past(U(hearts | 0x0100), bonus)]
    assert pasts[0] != pasts[1]
    plain = rules_word(STANDARD)
    assert _past(U(hearts), plain) == _past(U(hearts | 0x0100), plain)

"""Hands that the network plays against itself, every decision kept to learn from.

At some tables each seat is, with even chances, one that follows the ducking heuristic instead, with
some random cards: so that the network meets players of another kind. Some seats play as if they had
forgotten what was passed, as rollouts have it of the others.
"""

import math

import numpy as np

from hearts.kernels.core.bits import LANE, ONE, ZERO, U, lowest_place, pick, popcount
from hearts.kernels.core.jit import fast, fast_inlined, kernel
from hearts.kernels.core.random import advance, mix, open_stream
from hearts.kernels.core.state import (
    DECK,
    QUEEN,
    THREE,
    after_card,
    distinct,
    final_points,
    heart_breakers,
    lane_of,
    legal_plays,
    penalty_cards,
)
from hearts.kernels.network.forward import (
    PASS_HEAD,
    PASSING,
    SEEN_DIRECTION,
    SEEN_GAVE,
    SEEN_GOT,
    SEEN_PLAYED,
    known_rows,
    trick_rows,
    void_bit,
)
from hearts.kernels.network.gradients import chances, critic_rows, output, think
from hearts.kernels.playouts.greedy import greedy_card
from hearts.kernels.search.passing import hands_after, opening_seat, pass_by_rule

MOST_DECISIONS = 52 + 12  # of a hand
NETWORK, HEURISTIC = range(2)  # what sits at a seat
_FORGETFUL = U(19661)  # of 65536 seats, how many forget what was passed
_NOISE = 12.0  # of heuristic passes, in tenths of a point
_RANDOM_CARDS = np.array([0, 3277, 6554, 13107, 19661], dtype=np.uint64)  # their share, of 65536


@fast_inlined
def deal_hands(stream, hands):
    """Deal 52 cards to four hands; the stream after it."""
    left = DECK
    for seat in range(4):
        hands[seat] = ZERO
    for dealt in range(52):
        stream = advance(stream)
        card = pick(left, mix(stream) & LANE)
        left ^= card
        hands[dealt & 3] |= card
    return stream


@fast
def _decide(
    k, seat, moves, head, direction, laid, hands, seen, voids, trick, best, winner, count, taken,
    first, broken, word, hand, player, critic, player_room, critic_room, samples,
):  # fmt: skip
    """Choose one of several moves by the network and keep the decision as number `k`."""
    rows, sight = samples.rows[k], samples.sight[k]
    n = known_rows(seat, hands[seat], seen, voids, taken, first, broken, rows)
    if direction >= 0:
        rows[n] = PASSING
        n += 1
    else:
        n = trick_rows(seat, trick, best, winner, count, rows, n)
    inner, outer, _, _, odds, cards = player_room
    think(rows, n, player, inner, outer)
    size = chances(moves, head, player, outer, cards, odds)
    point, i = np.float32(np.float64(word >> U(40)) * 2.0**-24), 0
    while i < size - 1 and point >= odds[i]:
        point -= odds[i]
        i += 1
    m = critic_rows(
        seat, hands, laid, direction, trick, best, winner, count, taken, first, broken, sight
    )
    inner, outer, _, _, _, _ = critic_room
    think(sight, m, critic, inner, outer)
    samples.sizes[k, 0], samples.sizes[k, 1] = n, m
    samples.moves[k], samples.head[k], samples.chosen[k] = moves, head, cards[i]
    samples.log_odds[k], samples.value[k] = math.log(odds[i]), output(0, critic, outer)
    samples.seat[k], samples.hand[k] = seat, hand
    return ONE << U(cards[i])


@fast
def _pass_cards(
    k, hand, direction, kinds, hands, seen, passes, stream,
    rules, player, critic, player_room, critic_room, samples,
):  # fmt: skip
    """Writes what each seat passes to `passes`; the number of decisions so far, and the stream."""
    for seat in range(4):
        seen[seat, SEEN_DIRECTION] = direction
        if kinds[seat] == HEURISTIC:
            stream = advance(stream)
            passes[seat] = pass_by_rule(hands[seat], direction, rules, _NOISE, mix(stream))
            continue
        passes[seat] = ZERO
        for _ in range(3):
            stream = advance(stream)
            seen[seat, SEEN_GAVE] = passes[seat]
            card = _decide(
                k, seat, hands[seat], PASS_HEAD, np.int64(direction), passes[seat], hands, seen,
                ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, mix(stream), hand,
                player, critic, player_room, critic_room, samples,
            )  # fmt: skip
            hands[seat] ^= card
            passes[seat] |= card
            k += 1
        hands[seat] |= passes[seat]
        seen[seat, SEEN_GAVE] = ZERO
    return k, stream


@fast_inlined
def _seat_players(stream, mixed, kinds, random_cards):
    """Choose who sits at a table: networks, or a mixture; the stream after it."""
    stream = advance(stream)
    heuristic = mix(stream) & LANE < mixed
    for seat in range(4):
        stream = advance(stream)
        word = mix(stream)
        kinds[seat] = HEURISTIC if heuristic and word & ONE else NETWORK
        random_cards[seat] = _RANDOM_CARDS[(word >> U(8)) % U(_RANDOM_CARDS.shape[0])]
    return stream


@kernel
def play_hands(
    seed, start, mixed, rules, player, critic, player_room, critic_room, samples, kinds, points
):
    """Play hands `start` …, as many as `points` (n, 4) has rows; how many decisions were made.

    Writes the points and the kind of each seat. Of 65536 tables `mixed` have heuristic players.
    """
    hands, dealt = np.empty(4, dtype=np.uint64), np.empty(4, dtype=np.uint64)
    seen, passes = np.zeros((4, 4), dtype=np.uint64), np.zeros(4, dtype=np.uint64)
    random_cards, nothing = np.zeros(4, dtype=np.uint64), ZERO
    breakers, k = heart_breakers(rules), 0
    for number in range(points.shape[0]):
        stream = deal_hands(open_stream(seed, U(start + number)), dealt)
        stream = _seat_players(stream, mixed, kinds[number], random_cards)
        direction = U(number & 3)
        seen[:], passes[:] = ZERO, ZERO
        if direction:
            k, stream = _pass_cards(
                k, number, direction, kinds[number], dealt, seen, passes, stream,
                rules, player, critic, player_room, critic_room, samples,
            )  # fmt: skip
        hands_after(passes[0], dealt, passes, 0, direction, hands)
        for each in range(4):
            stream = advance(stream)
            seen[each, SEEN_GAVE] = passes[each]
            seen[each, SEEN_GOT] = passes[(U(each) - direction) & THREE]
            seen[each, SEEN_DIRECTION] = ZERO if mix(stream) & LANE < _FORGETFUL else direction
        turn = opening_seat(hands, rules)
        winner, count, trick, best = turn, ZERO, ZERO, ZERO
        first, broken, taken, voids = ONE, ZERO, ZERO, ZERO
        for _ in range(52):
            seat = np.int64(turn)
            stream = advance(stream)
            word = mix(stream)
            in_play = hands[0] | hands[1] | hands[2] | hands[3]
            if kinds[number, seat] == HEURISTIC:
                card, stream = greedy_card(
                    hands[seat], best, count, trick, first, broken,
                    in_play & penalty_cards(rules) & QUEEN, rules, word & LANE, stream,
                    random_cards[seat],
                )  # fmt: skip
            else:
                legal = legal_plays(hands[seat], best, count, first, broken, rules)
                card = distinct(legal, in_play | trick)
                if popcount(card) > ONE:
                    card = _decide(
                        k, seat, card, 0, -1, nothing, hands, seen, voids, trick, best, winner,
                        count, taken, first, broken, word, number,
                        player, critic, player_room, critic_room, samples,
                    )  # fmt: skip
                    k += 1
            if count and not card & lane_of(best):
                voids |= void_bit(seat, np.int64(lowest_place(best)) >> 4)
            hands[seat] ^= card
            seen[seat, SEEN_PLAYED] |= card
            turn, winner, count, trick, best, first, broken, taken = after_card(
                card, turn, winner, count, trick, best, first, broken, taken, breakers
            )
        final_points(taken, rules, points[number])
    return k

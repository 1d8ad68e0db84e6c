"""Self-play: hands that the network plays against itself; every decision becomes a sample.

So that the network also meets other opponents, at some tables each seat has probability 1/2 of
being played by the ducking heuristic, with a share of random cards. Some seats forget what was
passed, because in rollouts the other seats do not know it either.
"""

import math

import numpy as np

from hearts.kernels.core.bits import LANE, ONE, ZERO, U, lowest_bit_index, pick, popcount
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
    void_bit,
)
from hearts.kernels.network.critic import critic_features
from hearts.kernels.network.features import (
    PASSING,
    SEEN_DIRECTION,
    SEEN_GAVE,
    SEEN_GOT,
    SEEN_PLAYED,
    known_features,
    trick_features,
)
from hearts.kernels.network.gradients import forward, output, softmax
from hearts.kernels.network.inference import PASS_HEAD
from hearts.kernels.playouts.greedy import greedy_card
from hearts.kernels.policies.passing import pass_by_rule
from hearts.kernels.search.passing import hands_after, opening_seat

MAX_DECISIONS = 52 + 12  # of a hand: plays and passes
NETWORK, HEURISTIC = range(2)  # kinds of players
_FORGETFUL = U(19661)  # share of seats that forget what was passed, in 1/65536
_NOISE = 12.0  # of heuristic passes, in tenths of a point
# Shares of random cards that heuristic players may have, in 1/65536.
_RANDOM_CARDS = np.array([0, 3277, 6554, 13107, 19661], dtype=np.uint64)


@fast_inlined
def deal_hands(stream, hands):
    """Deal 52 cards to four hands; return the advanced stream."""
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
    k, seat, moves, head, direction, chosen, hands, seen, voids, trick, best, winner, count, taken,
    first, broken, word, hand, player, critic, player_scratch, critic_scratch, samples,
):  # fmt: skip
    """Draw one of several moves from the player's policy and write it as sample `k`."""
    active, critic_active = samples.features[k], samples.critic_features[k]
    n = known_features(seat, hands[seat], seen, voids, taken, first, broken, active)
    if direction >= 0:
        active[n] = PASSING
        n += 1
    else:
        n = trick_features(seat, trick, best, winner, count, active, n)
    hidden1, hidden2, _, _, policy, cards = player_scratch
    forward(active, n, player, hidden1, hidden2)
    size = softmax(moves, head, player, hidden2, cards, policy)
    point, i = np.float32(np.float64(word >> U(40)) * 2.0**-24), 0
    while i < size - 1 and point >= policy[i]:
        point -= policy[i]
        i += 1
    m = critic_features(
        seat, hands, chosen, direction, trick, best, winner, count, taken, first, broken,
        critic_active,
    )  # fmt: skip
    hidden1, hidden2, _, _, _, _ = critic_scratch
    forward(critic_active, m, critic, hidden1, hidden2)
    samples.sizes[k, 0], samples.sizes[k, 1] = n, m
    samples.moves[k], samples.head[k], samples.chosen[k] = moves, head, cards[i]
    samples.log_policy[k], samples.value[k] = math.log(policy[i]), output(0, critic, hidden2)
    samples.seat[k], samples.hand[k] = seat, hand
    return ONE << U(cards[i])


@fast
def _pass_cards(
    k, hand, direction, kinds, hands, seen, passes, stream,
    rules, player, critic, player_scratch, critic_scratch, samples,
):  # fmt: skip
    """Write what each seat passes to `passes`; return the number of samples and the stream."""
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
                player, critic, player_scratch, critic_scratch, samples,
            )  # fmt: skip
            hands[seat] ^= card
            passes[seat] |= card
            k += 1
        hands[seat] |= passes[seat]
        seen[seat, SEEN_GAVE] = ZERO
    return k, stream


@fast_inlined
def _seat_players(stream, heuristic_share, kinds, random_cards):
    """Draw the kinds of a table's players and their shares of random cards; return the stream."""
    stream = advance(stream)
    heuristic = mix(stream) & LANE < heuristic_share
    for seat in range(4):
        stream = advance(stream)
        word = mix(stream)
        kinds[seat] = HEURISTIC if heuristic and word & ONE else NETWORK
        random_cards[seat] = _RANDOM_CARDS[(word >> U(8)) % U(_RANDOM_CARDS.shape[0])]
    return stream


@kernel
def play_hands(
    seed, start, heuristic_share, rules, player, critic, player_scratch, critic_scratch,
    samples, kinds, points,
):  # fmt: skip
    """Play hands `start` … `start` + n − 1 of a seed; return the number of samples.

    Writes the points and the kind of each seat to `points` and `kinds` (n, 4). The share of
    tables with heuristic players is in 1/65536.
    """
    hands, dealt = np.empty(4, dtype=np.uint64), np.empty(4, dtype=np.uint64)
    seen, passes = np.zeros((4, 4), dtype=np.uint64), np.zeros(4, dtype=np.uint64)
    random_cards, nothing = np.zeros(4, dtype=np.uint64), ZERO
    breakers, k = heart_breakers(rules), 0
    for number in range(points.shape[0]):
        stream = deal_hands(open_stream(seed, U(start + number)), dealt)
        stream = _seat_players(stream, heuristic_share, kinds[number], random_cards)
        direction = U(number & 3)
        seen[:], passes[:] = ZERO, ZERO
        if direction:
            k, stream = _pass_cards(
                k, number, direction, kinds[number], dealt, seen, passes, stream,
                rules, player, critic, player_scratch, critic_scratch, samples,
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
                        player, critic, player_scratch, critic_scratch, samples,
                    )  # fmt: skip
                    k += 1
            if count and not card & lane_of(best):
                voids |= void_bit(seat, np.int64(lowest_bit_index(best)) >> 4)
            hands[seat] ^= card
            seen[seat, SEEN_PLAYED] |= card
            turn, winner, count, trick, best, first, broken, taken = after_card(
                card, turn, winner, count, trick, best, first, broken, taken, breakers
            )
        final_points(taken, rules, points[number])
    return k

"""Self-play: hands among a network that learns and a population of other players.

A table has a *kind* of player at each seat. Kind 0 is the network that learns: its decisions become
samples. Kind i plays by `policies[i]` (see hearts.kernels.policies.choose), and by the network
`networks[i]` of a stack if that is a network. Some seats forget what was passed, because in
rollouts the other seats do not know it either.
"""

import math

import numpy as np

from hearts.kernels.core.bits import LANE, ONE, ZERO, U, lowest_bit_index, pick, popcount
from hearts.kernels.core.jit import bare, bare_inlined, kernel
from hearts.kernels.core.random import advance, mix, open_stream
from hearts.kernels.core.state import (
    DECK,
    after_card,
    distinct,
    final_points,
    heart_breakers,
    lane_of,
    legal_plays,
    void_bit,
)
from hearts.kernels.network.decisions import learn_passes, player_features, write_sample
from hearts.kernels.network.features import SEEN_DIRECTION, SEEN_GAVE, SEEN_PLAYED
from hearts.kernels.network.inference import PASS_HEAD, draw, features_policy, most_probable
from hearts.kernels.network.stack import network_at
from hearts.kernels.playouts.batch import SOFTMAX
from hearts.kernels.policies.choose import NETWORK, NETWORK_BEST, choose, choose_pass
from hearts.kernels.policies.passing import pass_by_rule
from hearts.kernels.search.passing import hands_after, opening_seat

LEARNER = 0  # the kind of player whose decisions are kept
_NOISE = 12.0  # of the passes of random policies, in tenths of a point


@bare_inlined
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


@bare
def _decide(
    k, kind, seat, moves, head, direction, laid, hands, seen, voids, trick, best, winner, count,
    taken, first, broken, word, hand, policies, networks, stack, hidden1, hidden2, policy, samples,
):  # fmt: skip
    """The move of a network; that of the learner is also written as sample `k`."""
    # Row k is free: what another network sees is overwritten by the next sample.
    n = player_features(
        seat, direction, hands, seen, voids, trick, best, winner, count, taken, first, broken,
        samples.features[k],
    )  # fmt: skip
    layers = network_at(stack, networks[kind])
    total = features_policy(
        samples.features[k], n, moves, head, layers, hidden1, hidden2, policy
    )  # fmt: skip
    if policies[kind] == NETWORK_BEST:
        return most_probable(moves, policy)
    card = draw(moves, policy, total, word)
    if kind == LEARNER:
        write_sample(
            k, n, seat, moves, head, direction, laid, hands, trick, best, winner, count, taken,
            first, broken, hand, samples,
        )  # fmt: skip
        chosen = policy[np.int64(popcount(moves & (card - ONE)))]
        samples.chosen[k], samples.log_policy[k] = card, math.log(chosen / total)
    return card


@bare
def _pass_cards(
    k, hand, direction, kinds, hands, seen, passes, stream,
    rules, policies, networks, stack, hidden1, hidden2, policy, samples,
):  # fmt: skip
    """Write what each seat passes to `passes`; return the number of samples and the stream."""
    for seat in range(4):
        kind = kinds[seat]
        stream = advance(stream)
        seen[seat, SEEN_DIRECTION] = direction
        if policies[kind] <= SOFTMAX:
            passes[seat] = pass_by_rule(hands[seat], direction, rules, _NOISE, mix(stream))
            continue
        if policies[kind] < NETWORK:
            passes[seat] = choose_pass(policies[kind], hands[seat], direction, rules)
            continue
        passes[seat] = ZERO
        for _ in range(3):
            stream = advance(stream)
            seen[seat, SEEN_GAVE] = passes[seat]
            card = _decide(
                k, kind, seat, hands[seat], PASS_HEAD, np.int64(direction), passes[seat], hands,
                seen, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, mix(stream), hand,
                policies, networks, stack, hidden1, hidden2, policy, samples,
            )  # fmt: skip
            hands[seat] ^= card
            passes[seat] |= card
            k += kind == LEARNER
        hands[seat] |= passes[seat]
        seen[seat, SEEN_GAVE] = ZERO
    return k, stream


@kernel
def play_hands(
    seed, deals, kinds, epsilons, policies, networks, stack, forgetful, rules, samples, points
):
    """Play a hand of each of `deals` (n,); return the number of samples.

    The number of a deal and the seed give its cards, its pass and all random numbers. `kinds`
    (n, 4) are the players; ε-greedy ones have `epsilons` (n, 4), in 1/65536, as is the share of
    `forgetful` seats. Writes the `points` (n, 4).
    """
    hands, dealt = np.empty(4, dtype=np.uint64), np.empty(4, dtype=np.uint64)
    seen, passes = np.zeros((4, 4), dtype=np.uint64), np.zeros(4, dtype=np.uint64)
    hidden1 = np.empty(stack.bias.shape[1], dtype=np.float32)
    hidden2 = np.empty(stack.hidden_bias.shape[1], dtype=np.float32)
    policy, nothing = np.empty(13), ZERO
    breakers, k = heart_breakers(rules), 0
    for number in range(deals.shape[0]):
        stream = deal_hands(open_stream(seed, deals[number]), dealt)
        direction = deals[number] & U(3)
        seen[:], passes[:] = ZERO, ZERO
        if direction:
            k, stream = _pass_cards(
                k, number, direction, kinds[number], dealt, seen, passes, stream,
                rules, policies, networks, stack, hidden1, hidden2, policy, samples,
            )  # fmt: skip
        hands_after(passes[0], dealt, passes, 0, direction, hands)
        forgets = ZERO
        for each in range(4):
            stream = advance(stream)
            forgets |= U(mix(stream) & LANE < forgetful) << U(each)
        learn_passes(seen, passes, direction, forgets)
        turn = opening_seat(hands, rules)
        winner, count, trick, best = turn, ZERO, ZERO, ZERO
        first, broken, taken, voids = ONE, ZERO, ZERO, ZERO
        for _ in range(52):
            seat = np.int64(turn)
            kind = kinds[number, seat]
            stream = advance(stream)
            word = mix(stream)
            in_play = hands[0] | hands[1] | hands[2] | hands[3]
            if policies[kind] < NETWORK:
                card, stream = choose(
                    policies[kind], turn, hands[seat], in_play ^ hands[seat], trick, best, winner,
                    count, first, broken, taken, voids, rules, word & LANE, stream,
                    epsilons[number, seat],
                )  # fmt: skip
            else:
                legal = legal_plays(hands[seat], best, count, first, broken, rules)
                card = distinct(legal, in_play | trick)
                if popcount(card) > ONE:
                    card = _decide(
                        k, kind, seat, card, 0, -1, nothing, hands, seen, voids, trick, best,
                        winner, count, taken, first, broken, word, number,
                        policies, networks, stack, hidden1, hidden2, policy, samples,
                    )  # fmt: skip
                    k += kind == LEARNER
            if count and not card & lane_of(best):
                voids |= void_bit(seat, np.int64(lowest_bit_index(best)) >> 4)
            hands[seat] ^= card
            seen[seat, SEEN_PLAYED] |= card
            turn, winner, count, trick, best, first, broken, taken = after_card(
                card, turn, winner, count, trick, best, first, broken, taken, breakers
            )
        final_points(taken, rules, points[number])
    return k

"""Hands played to their end by the network, which sees in each seat only what that seat knows.

All moves of a world meet the same random numbers, so that luck cancels out between them.
"""

import numpy as np

from hearts.kernels.core.bits import ONE, ZERO, U, popcount
from hearts.kernels.core.jit import exact, kernel
from hearts.kernels.core.random import advance, fork, mix
from hearts.kernels.core.state import (
    THREE,
    after_card,
    distinct,
    heart_breakers,
    legal_plays,
    unpack_meta,
)
from hearts.kernels.core.statistics import add_outcome
from hearts.kernels.network.forward import (
    MOST_ROWS,
    SEEN_DIRECTION,
    SEEN_GAVE,
    SEEN_GOT,
    chooses,
    draw,
    open_sums,
    see_card,
    see_trick,
    weigh_moves,
    weigh_passes,
)
from hearts.kernels.search.passing import hands_after, opening_seat


@exact
def rollout(move, state, seen, voids, rules, stream, network, hands, sums, inner, outer, odds):
    """What each seat has taken at the end, after `move` (0: none) in a state.

    `sums` are those of the state, and are used up; `hands` (4), `inner`, `outer` and `odds` (13)
    are room to work in.
    """
    turn, winner, count, first, broken = unpack_meta(state[6])
    trick, best, taken = state[4], state[5], state[7]
    breakers = heart_breakers(rules)
    for place in range(4):
        hands[place] = state[place]
    in_play = hands[0] | hands[1] | hands[2] | hands[3]
    while in_play:
        seat = np.int64(turn)
        card, move = move, ZERO
        if card == ZERO:
            legal = legal_plays(hands[seat], best, count, first, broken, rules)
            card = distinct(legal, in_play | trick)
        if card & (card - ONE):
            stream = advance(stream)
            total = weigh_moves(
                seat, card, trick, best, winner, count, network, sums, inner, outer, odds
            )
            card = draw(card, odds, total, mix(stream))
        voids = see_card(card, seat, hands, best, count, seen, voids, network, sums)
        hands[seat] ^= card
        in_play ^= card
        last, first_before, broken_before, taken_before = count == THREE, first, broken, taken
        turn, winner, count, trick, best, first, broken, taken = after_card(
            card, turn, winner, count, trick, best, first, broken, taken, breakers
        )
        if last and chooses(hands[seat]):
            see_trick(taken, taken_before, first_before, broken, broken_before, network, sums)
    return taken


@kernel
def refresh_worlds(states, seen, voids, network, sums):
    """Writes to `sums` (n, 4, width) what the seats know in each world (n, 8)."""
    rows = np.empty(MOST_ROWS, dtype=np.int64)
    for world in range(states.shape[0]):
        state = states[world]
        _, _, _, first, broken = unpack_meta(state[6])
        open_sums(state[:4], seen, voids, state[7], first, broken, network, rows, sums[world])


@kernel
def move_probabilities(state, sums, moves, network, odds):
    """Writes the probability of each of `moves` for the seat that is to play in a state."""
    turn, winner, count, _, _ = unpack_meta(state[6])
    inner = np.empty(sums.shape[1], dtype=np.float32)
    outer = np.empty(network[4].shape[0], dtype=np.float32)
    total = weigh_moves(
        np.int64(turn), moves, state[4], state[5], winner, count, network, sums, inner, outer, odds
    )
    for i in range(odds.shape[0]):
        odds[i] /= total


@kernel
def roll_out(
    states, opened, seen, voids, start, seed, root_moves, world_moves, moves,
    rules, kind, scale, scores, target, ahead, network, figures, stop,
):  # fmt: skip
    """Try `moves` once in each world (n, 8), outcomes to `figures` (n, 13, 8); rollouts done.

    Row i of a world's figures belongs to the i-th card of `root_moves`, from the lowest;
    `world_moves` are those that each world allows. World w draws from stream `start` + w.
    """
    me, done = np.int64(states[0, 6] & THREE), 0
    hands, odds = np.empty(4, dtype=np.uint64), np.empty(13)
    points, reward = np.empty(4, dtype=np.int64), np.empty(4)
    sums = np.empty(opened.shape[1:], dtype=np.float32)
    inner = np.empty(sums.shape[1], dtype=np.float32)
    outer = np.empty(network[4].shape[0], dtype=np.float32)
    for world in range(states.shape[0]):
        left = moves & world_moves[world]
        while left:
            if stop[0]:
                return done
            move = left & (ZERO - left)
            left ^= move
            sums[:] = opened[world]
            taken = rollout(
                move, states[world], seen, voids, rules, fork(seed, U(start + world)), network,
                hands, sums, inner, outer, odds,
            )  # fmt: skip
            slot = np.int64(popcount(root_moves & (move - ONE)))
            add_outcome(
                figures[world, slot], me, taken, rules,
                kind, scale, scores, target, ahead, points, reward,
            )  # fmt: skip
            done += 1
    return done


@kernel
def pass_probabilities(hand, direction, network, odds):
    """Writes to `odds` (13) how likely each card of a hand is to be passed first."""
    seen, rows = np.zeros((4, 4), dtype=np.uint64), np.empty(MOST_ROWS, dtype=np.int64)
    inner = np.empty(network[2].shape[0], dtype=np.float32)
    outer = np.empty(network[4].shape[0], dtype=np.float32)
    total = weigh_passes(hand, ZERO, direction, network, seen, rows, inner, outer, odds)
    for i in range(odds.shape[0]):
        odds[i] /= total


@kernel
def network_passes(hands, seat, direction, seed, network, passes):
    """Writes to `passes` (n, 4) what the other seats give in each world; 0 for `seat`."""
    seen, rows = np.zeros((4, 4), dtype=np.uint64), np.empty(MOST_ROWS, dtype=np.int64)
    inner = np.empty(network[2].shape[0], dtype=np.float32)
    outer = np.empty(network[4].shape[0], dtype=np.float32)
    odds = np.empty(13)
    for world in range(hands.shape[0]):
        stream = fork(seed, U(world))
        for other in range(4):
            passes[world, other] = ZERO
            for _ in range(0 if other == seat else 3):
                stream = advance(stream)
                laid = passes[world, other]
                left = hands[world, other] & ~laid
                total = weigh_passes(left, laid, direction, network, seen, rows, inner, outer, odds)
                passes[world, other] |= draw(left, odds, total, mix(stream))


@kernel
def roll_out_passes(
    triples, hands, passes, seat, direction, seed,
    rules, kind, scale, scores, target, ahead, network, figures,
):  # fmt: skip
    """As `hearts.kernels.search.passing.try_passes`, with hands played by the network.

    Every seat knows what it gave and got.
    """
    points, reward = np.empty(4, dtype=np.int64), np.empty(4)
    state, room, odds = np.empty(8, dtype=np.uint64), np.empty(4, dtype=np.uint64), np.empty(13)
    seen = np.zeros((4, 4), dtype=np.uint64)
    rows = np.empty(MOST_ROWS, dtype=np.int64)
    sums = np.empty((4, network[2].shape[0]), dtype=np.float32)
    inner = np.empty(sums.shape[1], dtype=np.float32)
    outer = np.empty(network[4].shape[0], dtype=np.float32)
    for world in range(hands.shape[0]):
        for i in range(triples.shape[0]):
            for giver in range(4):
                given = triples[i] if giver == seat else passes[world, giver]
                seen[giver, SEEN_GAVE] = given
                seen[(U(giver) + direction) & THREE, SEEN_GOT] = given
                seen[giver, SEEN_DIRECTION] = direction
            hands_after(triples[i], hands[world], passes[world], seat, direction, state)
            turn = opening_seat(state, rules)
            state[4] = state[5] = state[7] = ZERO
            state[6] = turn | (turn << U(2)) | (ONE << U(6))
            open_sums(state, seen, ZERO, ZERO, ONE, ZERO, network, rows, sums)
            taken = rollout(
                ZERO, state, seen, ZERO, rules, fork(seed, U(world)), network,
                room, sums, inner, outer, odds,
            )  # fmt: skip
            add_outcome(
                figures[i], seat, taken, rules, kind, scale, scores, target, ahead, points, reward
            )

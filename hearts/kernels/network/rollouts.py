"""Rollouts: the network plays hands to their end, each seat by what it knows.

All moves of a world use the same random numbers (common random numbers), so that luck cancels out
when their results are compared.
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
from hearts.kernels.network.accumulator import has_choice, refresh, update, update_trick
from hearts.kernels.network.features import MAX_ACTIVE, SEEN_DIRECTION, SEEN_GAVE, SEEN_GOT
from hearts.kernels.network.inference import draw, pass_policy, play_policy
from hearts.kernels.search.passing import hands_after, opening_seat


@exact
def rollout(
    move, state, seen, voids, rules, stream, layers, hands, accumulator, hidden1, hidden2, policy
):
    """Play `move` (0: none) and then the rest of the hand; return what each seat has taken.

    `accumulator` is that of the state and is changed. `hands` (4), `hidden1`, `hidden2` and
    `policy` (13) are scratch space.
    """
    turn, winner, count, first, broken = unpack_meta(state[6])
    trick, best, taken = state[4], state[5], state[7]
    breakers = heart_breakers(rules)
    for i in range(4):
        hands[i] = state[i]
    in_play = hands[0] | hands[1] | hands[2] | hands[3]
    while in_play:
        seat = np.int64(turn)
        card, move = move, ZERO
        if card == ZERO:
            legal = legal_plays(hands[seat], best, count, first, broken, rules)
            card = distinct(legal, in_play | trick)
        if card & (card - ONE):
            stream = advance(stream)
            total = play_policy(
                seat, card, trick, best, winner, count, layers, accumulator, hidden1, hidden2,
                policy,
            )  # fmt: skip
            card = draw(card, policy, total, mix(stream))
        voids = update(card, seat, hands, best, count, seen, voids, layers, accumulator)
        hands[seat] ^= card
        in_play ^= card
        last, first_before, broken_before, taken_before = count == THREE, first, broken, taken
        turn, winner, count, trick, best, first, broken, taken = after_card(
            card, turn, winner, count, trick, best, first, broken, taken, breakers
        )
        if last and has_choice(hands[seat]):
            update_trick(
                taken, taken_before, first_before, broken, broken_before, layers, accumulator
            )
    return taken


@kernel
def refresh_worlds(states, seen, voids, layers, accumulators):
    """Write the accumulators (n, 4, hidden1) of some worlds (n, 8)."""
    active = np.empty(MAX_ACTIVE, dtype=np.int64)
    for world in range(states.shape[0]):
        state = states[world]
        _, _, _, first, broken = unpack_meta(state[6])
        refresh(
            state[:4], seen, voids, state[7], first, broken, layers, active, accumulators[world]
        )


@kernel
def move_probabilities(state, accumulator, moves, layers, probabilities):
    """Write the probability of each of `moves` for the seat that is to play in a state."""
    turn, winner, count, _, _ = unpack_meta(state[6])
    hidden1 = np.empty(accumulator.shape[1], dtype=np.float32)
    hidden2 = np.empty(layers.hidden_bias.shape[0], dtype=np.float32)
    total = play_policy(
        np.int64(turn), moves, state[4], state[5], winner, count, layers, accumulator,
        hidden1, hidden2, probabilities,
    )  # fmt: skip
    for i in range(probabilities.shape[0]):
        probabilities[i] /= total


@kernel
def roll_out(
    states, accumulators, seen, voids, start, seed, root_moves, world_moves, moves,
    rules, kind, scale, scores, target, ahead, layers, statistics, stop,
):  # fmt: skip
    """Try `moves` once in each world (n, 8); return the number of rollouts.

    Adds to `statistics` (n, 13, 8); row i of a world belongs to the i-th card of `root_moves`, from
    the lowest. `world_moves` are those that each world allows. World w draws from stream `start` +
    w.
    """
    me, done = np.int64(states[0, 6] & THREE), 0
    hands, policy = np.empty(4, dtype=np.uint64), np.empty(13)
    points, reward = np.empty(4, dtype=np.int64), np.empty(4)
    accumulator = np.empty(accumulators.shape[1:], dtype=np.float32)
    hidden1 = np.empty(accumulator.shape[1], dtype=np.float32)
    hidden2 = np.empty(layers.hidden_bias.shape[0], dtype=np.float32)
    for world in range(states.shape[0]):
        left = moves & world_moves[world]
        while left:
            if stop[0]:
                return done
            move = left & (ZERO - left)
            left ^= move
            accumulator[:] = accumulators[world]
            taken = rollout(
                move, states[world], seen, voids, rules, fork(seed, U(start + world)), layers,
                hands, accumulator, hidden1, hidden2, policy,
            )  # fmt: skip
            slot = np.int64(popcount(root_moves & (move - ONE)))
            add_outcome(
                statistics[world, slot], me, taken, rules,
                kind, scale, scores, target, ahead, points, reward,
            )  # fmt: skip
            done += 1
    return done


@kernel
def pass_probabilities(hand, direction, layers, probabilities):
    """Write the probability (13) of each card of a hand to be the first one passed."""
    seen, active = np.zeros((4, 4), dtype=np.uint64), np.empty(MAX_ACTIVE, dtype=np.int64)
    hidden1 = np.empty(layers.bias.shape[0], dtype=np.float32)
    hidden2 = np.empty(layers.hidden_bias.shape[0], dtype=np.float32)
    total = pass_policy(
        hand, ZERO, direction, layers, seen, active, hidden1, hidden2, probabilities
    )
    for i in range(probabilities.shape[0]):
        probabilities[i] /= total


@kernel
def network_passes(hands, seat, direction, seed, layers, passes):
    """Write what the other seats pass in each world to `passes` (n, 4); 0 for `seat`."""
    seen, active = np.zeros((4, 4), dtype=np.uint64), np.empty(MAX_ACTIVE, dtype=np.int64)
    hidden1 = np.empty(layers.bias.shape[0], dtype=np.float32)
    hidden2 = np.empty(layers.hidden_bias.shape[0], dtype=np.float32)
    policy = np.empty(13)
    for world in range(hands.shape[0]):
        stream = fork(seed, U(world))
        for other in range(4):
            passes[world, other] = ZERO
            for _ in range(0 if other == seat else 3):
                stream = advance(stream)
                chosen = passes[world, other]
                left = hands[world, other] & ~chosen
                total = pass_policy(
                    left, chosen, direction, layers, seen, active, hidden1, hidden2, policy
                )
                passes[world, other] |= draw(left, policy, total, mix(stream))


@kernel
def roll_out_passes(
    triples, hands, passes, seat, direction, seed,
    rules, kind, scale, scores, target, ahead, layers, statistics,
):  # fmt: skip
    """As `hearts.kernels.search.passing.try_passes`, but with rollouts by the network.

    Every seat knows what it gave and got.
    """
    points, reward = np.empty(4, dtype=np.int64), np.empty(4)
    state, scratch = np.empty(8, dtype=np.uint64), np.empty(4, dtype=np.uint64)
    seen, policy = np.zeros((4, 4), dtype=np.uint64), np.empty(13)
    active = np.empty(MAX_ACTIVE, dtype=np.int64)
    accumulator = np.empty((4, layers.bias.shape[0]), dtype=np.float32)
    hidden1 = np.empty(accumulator.shape[1], dtype=np.float32)
    hidden2 = np.empty(layers.hidden_bias.shape[0], dtype=np.float32)
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
            refresh(state, seen, ZERO, ZERO, ONE, ZERO, layers, active, accumulator)
            taken = rollout(
                ZERO, state, seen, ZERO, rules, fork(seed, U(world)), layers,
                scratch, accumulator, hidden1, hidden2, policy,
            )  # fmt: skip
            add_outcome(
                statistics[i], seat, taken, rules,
                kind, scale, scores, target, ahead, points, reward,
            )  # fmt: skip

"""Rollouts: hands are played to their end, each seat by its policy and by what it knows.

All moves of a world use the same random numbers (common random numbers), so that luck cancels out
when their results are compared.
"""

import numpy as np

from hearts.kernels.core.bits import LANE, ONE, ZERO, U, popcount
from hearts.kernels.core.jit import exact, inlined, kernel
from hearts.kernels.core.random import advance, fork, mix
from hearts.kernels.core.state import (
    JACK_BONUS,
    THREE,
    after_card,
    distinct,
    final_points,
    heart_breakers,
    legal_plays,
    unpack_meta,
)
from hearts.kernels.core.statistics import add_outcome
from hearts.kernels.network.accumulator import has_choice, refresh, update, update_trick
from hearts.kernels.network.features import MAX_ACTIVE, SEEN_DIRECTION, SEEN_GAVE, SEEN_GOT
from hearts.kernels.network.inference import draw, most_probable, pass_policy, play_policy
from hearts.kernels.network.jack import keep_jack, prefer_jack
from hearts.kernels.network.stack import network_of
from hearts.kernels.policies.choose import NETWORK, choose, choose_pass
from hearts.kernels.search.passing import hands_after, opening_seat


@exact
def rollout(
    move, policies, state, seen, voids, rules, stream, epsilon, networks, hands, accumulator,
    hidden1, hidden2, policy,
):  # fmt: skip
    """Play `move` (0: none) and then the rest of the hand; return what each seat has taken.

    Seat s plays by `policies[s]` (4,): see hearts.kernels.policies.choose. `accumulator` is that of
    the state and is changed. `hands` (4), `hidden1`, `hidden2` and `policy` (13) are scratch space.
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
        if card == ZERO and policies[seat] < NETWORK:
            stream = advance(stream)
            card, stream = choose(
                policies[seat], turn, hands[seat], in_play ^ hands[seat], trick, best, winner,
                count, first, broken, taken, voids, rules, mix(stream) & LANE, stream, epsilon,
            )  # fmt: skip
        elif card == ZERO:
            legal = legal_plays(hands[seat], best, count, first, broken, rules)
            card = distinct(legal, in_play | trick)
        if card & (card - ONE):
            layers = network_of(networks, policies[seat])
            total = play_policy(
                seat, card, trick, best, winner, count, layers, accumulator, hidden1, hidden2,
                policy,
            )  # fmt: skip
            if rules & JACK_BONUS:
                total = prefer_jack(
                    card, in_play ^ hands[seat], trick, best, count == THREE, policy
                )
            if policies[seat] & 1 == NETWORK & 1:
                stream = advance(stream)
                card = draw(card, policy, total, mix(stream))
            else:
                card = most_probable(card, policy)
        voids = update(card, seat, policies, hands, best, count, seen, voids, networks, accumulator)
        hands[seat] ^= card
        in_play ^= card
        last, first_before, broken_before, taken_before = count == THREE, first, broken, taken
        turn, winner, count, trick, best, first, broken, taken = after_card(
            card, turn, winner, count, trick, best, first, broken, taken, breakers
        )
        if last and has_choice(hands[seat]):
            update_trick(
                taken, taken_before, first_before, broken, broken_before, policies, networks,
                accumulator,
            )  # fmt: skip
    return taken


@kernel
def refresh_worlds(policies, states, seen, voids, networks, accumulators):
    """Write the accumulators (n, 4, hidden1) of some worlds (n, 8) with their policies (n, 4).

    `seen` (n, 4, 4) is what the seats of each world have seen.
    """
    active = np.empty(MAX_ACTIVE, dtype=np.int64)
    for world in range(states.shape[0]):
        state = states[world]
        _, _, _, first, broken = unpack_meta(state[6])
        refresh(
            policies[world], state[:4], seen[world], voids, state[7], first, broken, networks,
            active, accumulators[world],
        )  # fmt: skip


@kernel
def move_probabilities(state, accumulator, moves, rules, layers, probabilities):
    """Write the probability of each of `moves` for the seat that is to play in a state."""
    turn, winner, count, _, _ = unpack_meta(state[6])
    hidden1 = np.empty(accumulator.shape[1], dtype=np.float32)
    hidden2 = np.empty(layers.hidden_bias.shape[0], dtype=np.float32)
    total = play_policy(
        np.int64(turn), moves, state[4], state[5], winner, count, layers, accumulator,
        hidden1, hidden2, probabilities,
    )  # fmt: skip
    if rules & JACK_BONUS:
        out = (state[0] | state[1] | state[2] | state[3]) & ~state[np.int64(turn)]
        total = prefer_jack(moves, out, state[4], state[5], count == THREE, probabilities)
    for i in range(probabilities.shape[0]):
        probabilities[i] /= total


@kernel
def roll_out(
    policies, states, accumulators, seen, voids, start, seed, epsilon, root_moves, world_moves,
    moves, rules, kind, scale, scores, target, tables, networks, statistics, stop,
):  # fmt: skip
    """Try `moves` once in each world (n, 8); return the number of rollouts.

    In world w the seats play by `policies[w]` (n, 4), and have seen `seen[w]` (n, 4, 4). Adds to
    `statistics` (n, 13, 8); row i of a world belongs to the i-th card of `root_moves`, from the
    lowest. `world_moves` are those that each world allows. World w draws from stream `start` + w.
    """
    me, done = np.int64(states[0, 6] & THREE), 0
    hands, policy = np.empty(4, dtype=np.uint64), np.empty(13)
    points, reward = np.empty(4, dtype=np.int64), np.empty(4)
    accumulator = np.empty(accumulators.shape[1:], dtype=np.float32)
    hidden1 = np.empty(accumulator.shape[1], dtype=np.float32)
    hidden2 = np.empty(networks.hidden_bias.shape[1], dtype=np.float32)
    for world in range(states.shape[0]):
        left = moves & world_moves[world]
        while left:
            if stop[0]:
                return done
            move = left & (ZERO - left)
            left ^= move
            accumulator[:] = accumulators[world]
            taken = rollout(
                move, policies[world], states[world], seen[world], voids, rules,
                fork(seed, U(start + world)), epsilon, networks, hands, accumulator, hidden1,
                hidden2, policy,
            )  # fmt: skip
            slot = np.int64(popcount(root_moves & (move - ONE)))
            add_outcome(
                statistics[world, slot], me, taken, rules,
                kind, scale, scores, target, tables, points, reward,
            )  # fmt: skip
            done += 1
    return done


@kernel
def pass_probabilities(hand, direction, rules, layers, probabilities):
    """Write the probability (13) of each card of a hand to be the first one passed."""
    seen, active = np.zeros((4, 4), dtype=np.uint64), np.empty(MAX_ACTIVE, dtype=np.int64)
    hidden1 = np.empty(layers.bias.shape[0], dtype=np.float32)
    hidden2 = np.empty(layers.hidden_bias.shape[0], dtype=np.float32)
    total = pass_policy(
        hand, ZERO, direction, layers, seen, active, hidden1, hidden2, probabilities
    )
    if rules & JACK_BONUS:
        total = keep_jack(hand, probabilities)
    for i in range(probabilities.shape[0]):
        probabilities[i] /= total


@exact
def pass_policy_of(kind, hand, chosen, direction, networks, seen, active, hidden1, hidden2, policy):
    """`pass_policy` of the network that the policy `kind` asks."""
    layers = network_of(networks, kind)
    return pass_policy(hand, chosen, direction, layers, seen, active, hidden1, hidden2, policy)


@kernel
def network_passes(policies, hands, seat, direction, seed, rules, networks, passes):
    """Write what the other seats pass in each world to `passes` (n, 4); 0 for `seat`.

    They pass by `policies` (n, 4).
    """
    seen, active = np.zeros((4, 4), dtype=np.uint64), np.empty(MAX_ACTIVE, dtype=np.int64)
    hidden1 = np.empty(networks.bias.shape[1], dtype=np.float32)
    hidden2 = np.empty(networks.hidden_bias.shape[1], dtype=np.float32)
    policy = np.empty(13)
    for world in range(hands.shape[0]):
        stream = fork(seed, U(world))
        for other in range(4):
            passes[world, other] = ZERO
            kind = policies[world, other]
            if other != seat and kind < NETWORK:
                passes[world, other] = choose_pass(kind, hands[world, other], direction, rules)
                continue
            for _ in range(0 if other == seat else 3):
                stream = advance(stream)
                chosen = passes[world, other]
                left = hands[world, other] & ~chosen
                total = pass_policy_of(
                    kind, left, chosen, direction, networks, seen, active, hidden1, hidden2, policy
                )
                if rules & JACK_BONUS:
                    total = keep_jack(left, policy)
                passes[world, other] |= draw(left, policy, total, mix(stream))


@inlined
def open_hand(given, hands, direction, rules, seen, state):
    """Write the state (8) after seat s gave `given[s]`, and what the seats know of it."""
    for giver in range(4):
        seen[giver, SEEN_GAVE] = given[giver]
        seen[(U(giver) + direction) & THREE, SEEN_GOT] = given[giver]
        seen[giver, SEEN_DIRECTION] = direction
    hands_after(given[0], hands, given, 0, direction, state)
    turn = opening_seat(state, rules)
    state[4] = state[5] = state[7] = ZERO
    state[6] = turn | (turn << U(2)) | (ONE << U(6))


@kernel
def roll_out_passes(
    policies, triples, hands, passes, seat, direction, seed, epsilon,
    rules, kind, scale, scores, target, tables, networks, statistics,
):  # fmt: skip
    """As `hearts.kernels.search.passing.try_passes`, but with rollouts by `policies` (n, 4).

    Every seat knows what it gave and got.
    """
    points, reward = np.empty(4, dtype=np.int64), np.empty(4)
    state, scratch = np.empty(8, dtype=np.uint64), np.empty(4, dtype=np.uint64)
    seen, policy = np.zeros((4, 4), dtype=np.uint64), np.empty(13)
    given, active = np.empty(4, dtype=np.uint64), np.empty(MAX_ACTIVE, dtype=np.int64)
    accumulator = np.empty((4, networks.bias.shape[1]), dtype=np.float32)
    hidden1 = np.empty(accumulator.shape[1], dtype=np.float32)
    hidden2 = np.empty(networks.hidden_bias.shape[1], dtype=np.float32)
    for world in range(hands.shape[0]):
        given[:] = passes[world]
        for i in range(triples.shape[0]):
            given[seat] = triples[i]
            open_hand(given, hands[world], direction, rules, seen, state)
            refresh(
                policies[world], state, seen, ZERO, ZERO, ONE, ZERO, networks, active, accumulator
            )
            taken = rollout(
                ZERO, policies[world], state, seen, ZERO, rules, fork(seed, U(world)), epsilon,
                networks, scratch, accumulator, hidden1, hidden2, policy,
            )  # fmt: skip
            add_outcome(
                statistics[i], seat, taken, rules,
                kind, scale, scores, target, tables, points, reward,
            )  # fmt: skip


@kernel
def play_hands(policies, hands, passes, direction, seed, epsilon, rules, networks, points):
    """Play hands (n, 4) to their end after `passes` (n, 4), and write the points (n, 4).

    In hand i the seats play by `policies[i]`, and know what they gave and got.
    """
    state, scratch = np.empty(8, dtype=np.uint64), np.empty(4, dtype=np.uint64)
    seen, policy = np.zeros((4, 4), dtype=np.uint64), np.empty(13)
    active = np.empty(MAX_ACTIVE, dtype=np.int64)
    accumulator = np.empty((4, networks.bias.shape[1]), dtype=np.float32)
    hidden1 = np.empty(accumulator.shape[1], dtype=np.float32)
    hidden2 = np.empty(networks.hidden_bias.shape[1], dtype=np.float32)
    for i in range(hands.shape[0]):
        open_hand(passes[i], hands[i], direction, rules, seen, state)
        refresh(policies[i], state, seen, ZERO, ZERO, ONE, ZERO, networks, active, accumulator)
        taken = rollout(
            ZERO, policies[i], state, seen, ZERO, rules, fork(seed, U(i)), epsilon,
            networks, scratch, accumulator, hidden1, hidden2, policy,
        )  # fmt: skip
        final_points(taken, rules, points[i])

"""How well policies predict the plays of recorded hands: log P(card | what its seat knew)."""

import math

import numpy as np

from hearts.kernels.core.bits import ONE, ZERO, U, popcount
from hearts.kernels.core.jit import exact, kernel
from hearts.kernels.core.state import (
    after_card,
    distinct,
    heart_breakers,
    legal_plays,
    lowest_of_run,
    run_of,
)
from hearts.kernels.network.accumulator import refresh, update, update_trick
from hearts.kernels.network.features import MAX_ACTIVE
from hearts.kernels.network.inference import play_policy
from hearts.kernels.network.stack import network_of
from hearts.kernels.policies.choose import NETWORK, choose


@exact
def _chance(
    card, seat, kind, moves, trick, best, winner, count, networks, sharpness, accumulator, hidden1,
    hidden2, policy,
):  # fmt: skip
    """P(card) of the network that the policy `kind` asks; equivalent cards are one move."""
    layers = network_of(networks, kind)
    play_policy(
        seat, moves, trick, best, winner, count, layers, accumulator, hidden1, hidden2, policy
    )
    total = 0.0
    for i in range(np.int64(popcount(moves))):
        policy[i] = policy[i] ** sharpness
        total += policy[i]
    return policy[np.int64(popcount(moves & (lowest_of_run(card, moves) - ONE)))] / total


@kernel
def replay(dealt, seats, cards, rules, skipped, networks, sharpness, heuristic, noise, logs):
    """Add the log-probability of every seat's plays in worlds (n, 4) to `logs` (n, N + 1, 4).

    Row i belongs to network i of N, whose probabilities are raised to the power `sharpness[i]`, the
    last one to the policy `heuristic` with a share `noise` of random moves. Equivalent cards are
    one move, shared equally. `dealt` are the hands before the first card. No seat knows a pass. The
    seat `skipped` is left out; -1: none.
    """
    count_networks = networks.bias.shape[0]
    hands, policies = np.empty(4, dtype=np.uint64), np.empty(4, dtype=np.int64)
    seen, active = np.zeros((4, 4), dtype=np.uint64), np.empty(MAX_ACTIVE, dtype=np.int64)
    accumulator = np.zeros((4, networks.bias.shape[1]), dtype=np.float32)
    hidden1 = np.empty(networks.bias.shape[1], dtype=np.float32)
    hidden2 = np.empty(networks.hidden_bias.shape[1], dtype=np.float32)
    policy, breakers = np.empty(13), heart_breakers(rules)
    for world in range(dealt.shape[0]):
        for number in range(count_networks):
            for seat in range(4):
                hands[seat] = dealt[world, seat]
                policies[seat] = 0 if seat == skipped else NETWORK + 2 * number
            last = number == count_networks - 1
            turn = winner = U(seats[0])
            count, first, broken, trick, best, taken = ZERO, ONE, ZERO, ZERO, ZERO, ZERO
            voids, in_play = ZERO, hands[0] | hands[1] | hands[2] | hands[3]
            refresh(policies, hands, seen, ZERO, ZERO, ONE, ZERO, networks, active, accumulator)
            for i in range(seats.shape[0]):
                seat, card = seats[i], ONE << U(cards[i])
                turn = U(seat)
                legal = legal_plays(hands[seat], best, count, first, broken, rules)
                moves = distinct(legal, in_play | trick)
                if seat != skipped:
                    share = -math.log(np.float64(popcount(run_of(card, moves, legal))))
                    logs[world, number, seat] += share
                    if last:
                        logs[world, count_networks, seat] += share
                if seat != skipped and moves & (moves - ONE):
                    chance = _chance(
                        card, seat, policies[seat], moves, trick, best, winner, count, networks,
                        sharpness[number], accumulator, hidden1, hidden2, policy,
                    )  # fmt: skip
                    logs[world, number, seat] += math.log(max(chance, 1e-6))
                    if last:
                        chosen, _ = choose(
                            heuristic, turn, hands[seat], in_play ^ hands[seat], trick, best,
                            winner, count, first, broken, taken, voids, rules, ZERO, ZERO, ZERO,
                        )  # fmt: skip
                        chance = noise / np.float64(popcount(moves))
                        if lowest_of_run(chosen, moves) == lowest_of_run(card, moves):
                            chance += 1.0 - noise
                        logs[world, count_networks, seat] += math.log(chance)
                voids = update(
                    card, seat, policies, hands, best, count, seen, voids, networks, accumulator
                )
                hands[seat] ^= card
                in_play ^= card
                ends = count == U(3)
                first_before, broken_before, taken_before = first, broken, taken
                turn, winner, count, trick, best, first, broken, taken = after_card(
                    card, turn, winner, count, trick, best, first, broken, taken, breakers
                )
                if ends:
                    update_trick(
                        taken, taken_before, first_before, broken, broken_before, policies,
                        networks, accumulator,
                    )  # fmt: skip

"""What the choices of the focus player gained, by all that it knew, and the value of a new deal.

With a prediction u of the result, the result of a hand is

    u(deal) + Σ over choices (u after the choice and the others' answers − u before it).

The mean of u(deal) is estimated from other deals, and each difference is replaced by its mean over
the deals that are possible by what the focus player knows. Both keep the expectation.
"""

import numpy as np

from hearts.kernels.core.bits import ONE, ZERO, U
from hearts.kernels.core.jit import kernel
from hearts.kernels.core.random import advance, mix
from hearts.kernels.core.state import DECK, legal_plays, unpack_meta
from hearts.kernels.luck.deals import new_chain, shuffle, step
from hearts.kernels.luck.hand import open_hand, replay, to_next_choice
from hearts.kernels.luck.values import add_features, new_scratch
from hearts.kernels.network.inference import most_probable
from hearts.kernels.network.rollouts import pass_policy_of
from hearts.kernels.policies.choose import NETWORK, choose_pass


@kernel
def proxy_pass(policy, hand, direction, rules, networks, scratch):
    """What a focus seat passes in predictions: by its policy, the network's most probable cards."""
    if policy < NETWORK:
        return choose_pass(policy, hand, direction, rules)
    chosen, seen = ZERO, np.zeros((4, 4), dtype=np.uint64)
    for _ in range(3):
        left = hand & ~chosen
        pass_policy_of(
            policy, left, chosen, U(direction), networks, seen, scratch.active, scratch.hidden1,
            scratch.hidden2, scratch.policy,
        )  # fmt: skip
        chosen |= most_probable(left, scratch.policy)
    return chosen


@kernel
def _add_choice(
    sign, move, moons, focus, policies, rules, voids, stream, networks, state, seen, scratch,
    features,
):  # fmt: skip
    """Play `move` (0: none) up to the next choice, and add the features there."""
    voids, stream = to_next_choice(move, focus, policies, rules, voids, stream, state, seen)
    add_features(
        sign, moons, focus, policies, state, voids, seen, rules, stream, networks, scratch, features
    )


@kernel
def _add_deal(
    sign, dealt, passed, direction, leader, moons, focus, policies, rules, stream, networks, state,
    seen, scratch, features,
):  # fmt: skip
    """Add the features of a deal after the passes."""
    open_hand(dealt, passed, direction, leader, focus, rules, state, seen)
    _add_choice(
        sign, ZERO, moons, focus, policies, rules, ZERO, stream, networks, state, seen, scratch,
        features,
    )  # fmt: skip


@kernel
def _pass_all(dealt, direction, focus, policies, rules, networks, scratch, passed):
    """Write what all seats pass in predictions."""
    for seat in range(4):
        if focus[seat]:
            passed[seat] = proxy_pass(
                policies[seat], dealt[seat], direction, rules, networks, scratch
            )
        else:
            passed[seat] = choose_pass(policies[seat], dealt[seat], direction, rules)


@kernel
def deal_features(
    number, direction, leader, moons, focus, policies, rules, seed, networks, features
):
    """Add the features of `number` random deals to `features` (FEATURES,)."""
    scratch, state = new_scratch(networks), np.empty(8, dtype=np.uint64)
    seen = np.empty((4, 4), dtype=np.uint64)
    dealt, passed = np.zeros(4, dtype=np.uint64), np.zeros(4, dtype=np.uint64)
    nobody, stream = np.zeros(4, dtype=np.bool_), seed
    for _ in range(number):
        dealt[:] = ZERO
        dealt[0] = DECK
        stream = shuffle(nobody, dealt, stream)
        if direction:
            _pass_all(dealt, direction, focus, policies, rules, networks, scratch, passed)
        stream = advance(stream)
        _add_deal(
            1.0, dealt, passed, direction, leader, moons, focus, policies, rules, mix(stream),
            networks, state, seen, scratch, features,
        )  # fmt: skip


@kernel
def pass_advantage(
    dealt, passed, direction, leader, moons, focus, policies, rules, samples, seed, networks,
    features,
):  # fmt: skip
    """Add the gain in features by the passes of the focus, over `samples` deals of other cards."""
    scratch, state = new_scratch(networks), np.empty(8, dtype=np.uint64)
    seen = np.empty((4, 4), dtype=np.uint64)
    world, own, given = dealt.copy(), passed.copy(), passed.copy()
    same, stream = True, seed
    for seat in range(4):
        if focus[seat]:
            own[seat] = proxy_pass(policies[seat], dealt[seat], direction, rules, networks, scratch)
            same = same and own[seat] == passed[seat]
    for _ in range(0 if same else samples):
        stream = shuffle(focus, world, stream)
        for seat in range(4):
            if not focus[seat]:
                given[seat] = choose_pass(policies[seat], world[seat], direction, rules)
                own[seat] = given[seat]
        stream = advance(stream)
        for sign, cards in ((1.0, given), (-1.0, own)):
            _add_deal(
                sign, world, cards, direction, leader, moons, focus, policies, rules, mix(stream),
                networks, state, seen, scratch, features,
            )  # fmt: skip


@kernel
def play_advantages(
    dealt, passed, direction, leader, moons, focus, policies, rules, plays, samples, thinning, seed,
    networks, features,
):  # fmt: skip
    """Add the gains in features by all cards of the focus; return whether that is possible.

    It is not if another seat did not play by its policy. The gain by a card is added for `samples`
    deals of a chain that starts at the true deal and takes `thinning` steps between them.
    """
    scratch, chain = new_scratch(networks), new_chain()
    state, other = np.empty(8, dtype=np.uint64), np.empty(8, dtype=np.uint64)
    seen, other_seen = np.empty((4, 4), dtype=np.uint64), np.empty((4, 4), dtype=np.uint64)
    played, stream = ZERO, seed
    open_hand(dealt, passed, direction, leader, focus, rules, state, seen)
    possible, _ = replay(plays, len(plays), focus, policies, rules, state, seen)
    if not possible:
        return False
    for number in range(len(plays)):
        card = ONE << U(plays[number])
        open_hand(dealt, passed, direction, leader, focus, rules, state, seen)
        replay(plays, number, focus, policies, rules, state, seen)
        turn, _, count, first, broken = unpack_meta(state[6])
        legal = legal_plays(state[np.int64(turn)], state[5], count, first, broken, rules)
        if focus[np.int64(turn)] and legal & (legal - ONE):
            chain.dealt[:], chain.passed[:] = dealt, passed
            for _ in range(samples):
                for _ in range(thinning):
                    stream = step(
                        direction, leader, focus, policies, rules, plays, number, played, stream,
                        other, other_seen, chain,
                    )  # fmt: skip
                stream = advance(stream)
                open_hand(
                    chain.dealt, chain.passed, direction, leader, focus, rules, other, other_seen
                )
                _, voids = replay(plays, number, focus, policies, rules, other, other_seen)
                # First without a move, which leaves the state as it is.
                for sign, move in ((-1.0, ZERO), (1.0, card)):
                    _add_choice(
                        sign, move, moons, focus, policies, rules, voids, mix(stream), networks,
                        other, other_seen, scratch, features,
                    )  # fmt: skip
        played |= card
    return True

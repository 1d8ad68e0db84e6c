"""Decisions as samples: what the player and the critic see, and what was chosen.

`direction` is that of the pass while cards are being passed, otherwise −1. All else is as in
hearts.kernels.core.state.
"""

import numpy as np

from hearts.kernels.core.bits import ONE, ZERO, U, lowest_bit_index, pick, popcount
from hearts.kernels.core.jit import bare, exact, kernel
from hearts.kernels.core.random import advance, mix, open_stream
from hearts.kernels.core.state import (
    THREE,
    after_card,
    distinct,
    heart_breakers,
    lane_of,
    legal_plays,
    lowest_of_run,
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
from hearts.kernels.network.inference import PASS_HEAD
from hearts.kernels.search.passing import hands_after

MAX_DECISIONS = 52 + 12  # of a hand: plays and passes


@exact
def player_features(
    seat, direction, hands, seen, voids, trick, best, winner, count, taken, first, broken, active
):
    """Write the features of a seat that is to play or to pass; return their number."""
    n = known_features(seat, hands[seat], seen, voids, taken, first, broken, active)
    if direction >= 0:
        active[n] = PASSING
        return n + 1
    return trick_features(seat, trick, best, winner, count, active, n)


@bare
def write_sample(
    k, n, seat, moves, head, direction, laid, hands, trick, best, winner, count, taken, first,
    broken, hand, samples,
):  # fmt: skip
    """Write sample `k` except for what was chosen; its `n` features of the player are there.

    `laid` are the cards that the seat has chosen to pass.
    """
    m = critic_features(
        seat, hands, laid, direction, trick, best, winner, count, taken, first, broken,
        samples.critic_features[k],
    )  # fmt: skip
    samples.sizes[k, 0], samples.sizes[k, 1] = n, m
    samples.moves[k], samples.head[k] = moves, head
    samples.seat[k], samples.hand[k] = seat, hand


@bare
def learn_passes(seen, passes, direction, forgetful):
    """Write to `seen` what each seat gave and got; seats of the bits in `forgetful` forget it."""
    for seat in range(4):
        forgets = forgetful >> U(seat) & ONE
        seen[seat, SEEN_GAVE] = passes[seat]
        seen[seat, SEEN_GOT] = passes[(U(seat) - direction) & THREE]
        seen[seat, SEEN_DIRECTION] = ZERO if forgets else direction


@bare
def _list_passes(k, hand, direction, hands, seen, passes, stream, samples):
    """Write what each seat passes as three samples, in random order; return the next number."""
    for seat in range(4):
        left, laid = passes[seat], ZERO
        seen[seat, SEEN_DIRECTION] = direction
        while left:
            stream = advance(stream)
            seen[seat, SEEN_GAVE] = laid
            n = player_features(
                seat, np.int64(direction), hands, seen, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO,
                ZERO, samples.features[k],
            )  # fmt: skip
            write_sample(
                k, n, seat, hands[seat], PASS_HEAD, np.int64(direction), laid, hands, ZERO, ZERO,
                ZERO, ZERO, ZERO, ZERO, ZERO, hand, samples,
            )  # fmt: skip
            samples.chosen[k] = left
            card = pick(left, mix(stream) & U(65535))
            hands[seat] ^= card
            laid |= card
            left ^= card
            k += 1
        hands[seat] |= laid
        seen[seat, SEEN_GAVE] = ZERO
    return k


@kernel
def list_recorded(dealt, passes, directions, leaders, plays, forgetful, rules, seed, samples):
    """Write the decisions of recorded hands as samples; return their number.

    Hand h was `dealt[h]` (4,), has passed `passes[h]` (4,), or 0, and was then played card by card,
    `plays[h]` (52,), -1 after the last one, from the seat `leaders[h]`. Bit s of `forgetful[h]`:
    seat s does not remember its pass. The three cards of a pass are chosen in a random order.
    """
    hands, seen = np.empty(4, dtype=np.uint64), np.zeros((4, 4), dtype=np.uint64)
    breakers, k = heart_breakers(rules), 0
    for hand in range(dealt.shape[0]):
        direction, seen[:] = directions[hand], ZERO
        hands[:] = dealt[hand]
        if direction:
            stream = open_stream(seed, U(hand))
            k = _list_passes(k, hand, direction, hands, seen, passes[hand], stream, samples)
        hands_after(passes[hand, 0], dealt[hand], passes[hand], 0, direction, hands)
        learn_passes(seen, passes[hand], direction, forgetful[hand])
        turn = leaders[hand]
        winner, count, trick, best = turn, ZERO, ZERO, ZERO
        first, broken, taken, voids = ONE, ZERO, ZERO, ZERO
        for number in range(52):
            if plays[hand, number] < 0:
                break
            seat, card = np.int64(turn), ONE << U(plays[hand, number])
            in_play = hands[0] | hands[1] | hands[2] | hands[3]
            legal = legal_plays(hands[seat], best, count, first, broken, rules)
            moves = distinct(legal, in_play | trick)
            if popcount(moves) > ONE:
                n = player_features(
                    seat, -1, hands, seen, voids, trick, best, winner, count, taken, first, broken,
                    samples.features[k],
                )  # fmt: skip
                write_sample(
                    k, n, seat, moves, 0, -1, ZERO, hands, trick, best, winner, count, taken,
                    first, broken, hand, samples,
                )  # fmt: skip
                samples.chosen[k] = lowest_of_run(card, moves)
                k += 1
            if count and not card & lane_of(best):
                voids |= void_bit(seat, np.int64(lowest_bit_index(best)) >> 4)
            hands[seat] ^= card
            seen[seat, SEEN_PLAYED] |= card
            turn, winner, count, trick, best, first, broken, taken = after_card(
                card, turn, winner, count, trick, best, first, broken, taken, breakers
            )
    return k

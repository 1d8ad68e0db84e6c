"""Exact endings by max^n (Luckhardt & Irani 1986) with open cards; each seat plays for itself.

A seat minimises its own points (mode POINTS) or maximises the mean of the others' points minus its
own (mode DIFFERENCE); moons are scored. Ties keep the card tried first (`_next_move`), although the
other seats may fare differently. A node is pruned as soon as a card reaches the best possible
utility (immediate pruning: Sturtevant & Korf 2000).

A transposition table stores positions between tricks; its size is a power of two, or 0. Except for
moons and bonuses, the rest of a hand does not depend on what was taken. So the key has the hands,
the leader and only that part of the past that can matter (`_past`), and the value is what the seats
take from there on.
"""

import numpy as np

from hearts.kernels.core.bits import (
    ONE,
    ZERO,
    U,
    highest_bit,
    highest_rank,
    lowest_rank,
    multiply_fold,
    popcount,
    squeeze,
)
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.reward import POINTS
from hearts.kernels.core.state import (
    DECK,
    HEARTS,
    HEARTS_ARENT_POINTS,
    JACK,
    JACK_BONUS,
    NO_TRICK_BONUS,
    QUEEN,
    QUEEN_PENALTY,
    SHOOTER_SUBTRACTS,
    SHOOTING_NEEDS_JACK,
    THREE,
    after_card,
    bonus_jack,
    distinct,
    final_points,
    heart_breakers,
    lane_of,
    lanes_with,
    legal_plays,
    moon_lane,
    penalty_cards,
    taken_by_trick,
    total_points,
    unpack_meta,
)
from hearts.kernels.core.statistics import add_outcome

TABLE_SIZE = 1 << 16  # entries; 1 MB with keys and values

_HEARTS_TAKEN, _QUEEN_TAKEN = U(0x000F000F000F000F), U(0x0010001000100010)
_JACK_TAKEN, _TRICKS_TAKEN = U(0x0020002000200020), U(0x0F000F000F000F00)
_SALTS = (
    U(0x2D358DCCAA6C78A5),
    U(0x8BB84B93962EACC9),
    U(0x4B33A62ED433D4A3),
    U(0x4D5A2DA51DE1AA47),
)
_DIAMONDS_HEARTS, _SPADES_HEARTS = U(0x1FFF00001FFF0000), U(0x1FFF1FFF00000000)
_BEYOND = np.int64(1000)  # larger than any utility
_TOP_OF_FIRST = U(0x8000)
_NO_MOON = U(0x0FF0)  # two seats have penalty cards; differs from all sets of lane tops


@inlined
def _needed(rules):
    """The penalties that a shooter needs, in the lanes of taken."""
    return _HEARTS_TAKEN | (_QUEEN_TAKEN if rules & QUEEN_PENALTY else ZERO)


@inlined
def _past(taken, rules):
    """The part of what was taken that the rest of the hand can depend on."""
    past = ZERO
    if moon_lane(rules):
        takers = lanes_with(taken, _needed(rules))
        past = takers if popcount(takers) < U(2) else _NO_MOON
        if rules & SHOOTING_NEEDS_JACK:
            past |= lanes_with(taken, _JACK_TAKEN) >> ONE
    if rules & NO_TRICK_BONUS:
        past |= lanes_with(taken, _TRICKS_TAKEN) >> U(2)
    return past


@inlined
def _key(hands, in_play, turn, broken, past):
    """The hash of a position between tricks, in which only the order of unplayed cards counts."""
    diamonds_hearts = squeeze(_DIAMONDS_HEARTS, in_play)  # these two encode the suit of each card
    spades_hearts = squeeze(_SPADES_HEARTS, in_play)
    front = squeeze(hands[0], in_play) | (squeeze(hands[1], in_play) << U(32))
    back = squeeze(hands[2], in_play) | (diamonds_hearts << U(32))
    rest = spades_hearts | (squeeze(QUEEN | JACK, in_play) << U(32))
    mixed = multiply_fold(front ^ _SALTS[0], back ^ _SALTS[1])
    return multiply_fold(mixed ^ rest ^ _SALTS[2], past ^ (turn << U(1)) ^ broken ^ _SALTS[3])


@inlined
def _next_move(moves, best, count, shoots):
    """The card to try next: good cards first, so that pruning comes early.

    Low leads, high ducks and discards; a seat that has all penalties so far tries to win.
    """
    if count == ZERO:
        return highest_rank(moves) if shoots else lowest_rank(moves)
    if moves & lane_of(best):
        ducking = moves & (best - ONE)
        return highest_bit(ducking if ducking and not shoots else moves)
    return QUEEN if moves & QUEEN else highest_bit(moves)


@inlined
def _cost(taken, seat, rules):
    """The points of the penalty cards of one seat, without a moon."""
    lane = taken >> (seat << U(4))
    hearts = U(0) if rules & HEARTS_ARENT_POINTS else lane & U(0xF)
    queen = U(13) * ((lane >> U(4)) & ONE) if rules & QUEEN_PENALTY else U(0)
    return np.int64(hearts + queen)


@inlined
def _is_plain(taken, rules):
    """Whether only penalty cards count from here on: no moon is possible, there is no bonus."""
    if rules & (JACK_BONUS | NO_TRICK_BONUS):
        return False
    return moon_lane(rules) == ZERO or popcount(lanes_with(taken, _needed(rules))) > ONE


@inlined
def _utility(taken, seat, plain, mode, rules, points):
    """The utility of a finished hand for a seat.

    In a plain position the points of all seats have a fixed sum, so both modes rank results alike.
    """
    if plain:
        return -_cost(taken, seat, rules)
    final_points(taken, rules, points)
    own = points[np.int64(seat)]
    return -own if mode == POINTS else points[0] + points[1] + points[2] + points[3] - 4 * own


@inlined
def _ideal(taken, seat, left, plain, mode, rules):
    """An upper bound of the utility of a seat; a card that reaches it prunes the rest."""
    if plain:
        return -_cost(taken, seat, rules)
    others = lanes_with(taken, _needed(rules)) & ~(_TOP_OF_FIRST << (seat << U(4)))
    if rules & (JACK_BONUS | NO_TRICK_BONUS):
        return _BEYOND
    if others == ZERO:  # at best a moon of its own
        lost = total_points(rules) if rules & SHOOTER_SUBTRACTS else 0
        return np.int64(lost if mode == POINTS else 3 * total_points(rules))
    # One other seat has penalties: at best it takes the rest as well, without shooting the moon.
    if mode == POINTS:
        return np.int64(0)
    hearts = 0 if rules & HEARTS_ARENT_POINTS else np.int64(popcount(left & HEARTS))
    queen = 13 if rules & QUEEN_PENALTY and left & QUEEN else 0
    gone = _cost(taken, ZERO, rules) + _cost(taken, ONE, rules) + _cost(taken, U(2), rules)
    return gone + _cost(taken, U(3), rules) + hearts + queen


@inlined
def _last_trick(hands, turn, taken):
    """What every seat has taken after the last trick, whose cards are forced."""
    best = hands[turn]
    lane, winner, trick = lane_of(best), turn, best
    for step in range(1, 4):
        seat = (turn + U(step)) & THREE
        card = hands[seat]
        trick |= card
        if (card & lane) > best:
            best, winner = card, seat
    return taken + (taken_by_trick(trick) << (winner << U(4)))


@kernel
def _solve(
    hands, turn, winner, count, trick, best, broken, taken, rules, worth, mode, points, keys, values
):
    """What every seat has taken at the end of the max^n line."""
    in_play = hands[0] | hands[1] | hands[2] | hands[3]
    if in_play == ZERO or (in_play | trick) & worth == ZERO:
        return taken  # nothing that counts is left
    key, slot = ZERO, ZERO
    if count == ZERO and hands[turn] & (hands[turn] - ONE) == ZERO:
        return _last_trick(hands, turn, taken)
    if count == ZERO and keys.shape[0]:
        key = _key(hands, in_play, turn, broken, _past(taken, rules))
        slot = key & U(keys.shape[0] - 1)
        if keys[slot] == key:
            return taken + values[slot]
    legal = legal_plays(hands[turn], best, count, ZERO, broken, rules)
    moves = distinct(legal, in_play | trick)
    plain = _is_plain(taken, rules)
    ideal = _ideal(taken, turn, in_play | trick, plain, mode, rules)
    shoots = not plain and lanes_with(taken, _needed(rules)) == _TOP_OF_FIRST << (turn << U(4))
    result, result_utility = ZERO, -_BEYOND
    while moves and result_utility < ideal:
        card = _next_move(moves, best, count, shoots)
        moves ^= card
        hands[turn] ^= card
        turn_2, winner_2, count_2, trick_2, best_2, _, broken_2, taken_2 = after_card(
            card, turn, winner, count, trick, best, ZERO, broken, taken, heart_breakers(rules)
        )
        line = _solve(
            hands, turn_2, winner_2, count_2, trick_2, best_2, broken_2, taken_2,
            rules, worth, mode, points, keys, values,
        )  # fmt: skip
        hands[turn] ^= card
        utility = _utility(line, turn, plain, mode, rules, points)
        if utility > result_utility:
            result, result_utility = line, utility
    if count == ZERO and keys.shape[0]:
        keys[slot], values[slot] = key, result - taken
    return result


@kernel
def solve_moves(state, root_moves, rules, mode, keys, values, lines):
    """Write to `lines[i]` what is taken in the end after the i-th card of `root_moves`.

    Cards are counted from the lowest. `keys` and `values` (TABLE_SIZE) are the transposition table:
    zero at first, and valid for all worlds of the same rules and mode. The state must not be in the
    first trick.
    """
    hands = state[:4].copy()
    points = np.empty(4, dtype=np.int64)
    turn, winner, count, _, broken = unpack_meta(state[6])
    worth = penalty_cards(rules) | bonus_jack(rules)
    if rules & SHOOTING_NEEDS_JACK:
        worth |= JACK
    if rules & NO_TRICK_BONUS:
        worth = DECK  # every trick may count
    breakers, line = heart_breakers(rules), 0
    while root_moves:
        card = root_moves & (ZERO - root_moves)
        root_moves ^= card
        hands[turn] ^= card
        turn_2, winner_2, count_2, trick_2, best_2, _, broken_2, taken_2 = after_card(
            card, turn, winner, count, state[4], state[5], ZERO, broken, state[7], breakers
        )
        lines[line] = _solve(
            hands, turn_2, winner_2, count_2, trick_2, best_2, broken_2, taken_2,
            rules, worth, mode, points, keys, values,
        )  # fmt: skip
        hands[turn] ^= card
        line += 1


@kernel
def solve_worlds(
    states, root_moves, world_moves, mode,
    rules, kind, scale, scores, target, tables, keys, values, statistics,
):  # fmt: skip
    """Solve every world (n, 8) and add one result for each of its moves to `statistics`.

    Row i of `statistics` (n, 13, 8) belongs to the i-th card of `root_moves`, from the lowest;
    `world_moves` (n) are those that each world allows.
    """
    lines = np.empty(13, dtype=np.uint64)
    points, reward = np.empty(4, dtype=np.int64), np.empty(4)
    for world in range(states.shape[0]):
        seat = np.int64(states[world, 6] & THREE)
        moves, line = world_moves[world], 0
        solve_moves(states[world], moves, rules, mode, keys, values, lines)
        while moves:
            card = moves & (ZERO - moves)
            moves ^= card
            slot = np.int64(popcount(root_moves & (card - ONE)))
            add_outcome(
                statistics[world, slot], seat, lines[line],
                rules, kind, scale, scores, target, tables, points, reward,
            )  # fmt: skip
            line += 1

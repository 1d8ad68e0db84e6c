"""UCT (Kocsis & Szepesvári 2006): a tree of plays that grows by one node per simulation.

One kernel serves all algorithms:

- one world: UCT with open cards, used for each world of PIMC
- many worlds, one per simulation, with `availability`: single-observer ISMCTS (Cowling, Powley &
  Whitehouse 2012). Nodes are sequences of cards; only children that the drawn world allows count,
  and the exploration term uses how often a child was available
- many worlds without `availability`: open loop, where the term uses the parent's visits

With `by_policy` the other seats follow the playout policy inside the tree as well: softmax where
the playouts are softmax, otherwise ε-greedy. Without it they maximise their own reward, as if they
saw all cards. A seat with a policy of its own in a world follows that one, in the tree and in
playouts.

A node is a row in three arrays, 48 bytes in all:

    links (uint32)     visits, availability count, first child, next sibling; 0 for none
    stats (float64)    mean reward of the seat that played the card, 1 / sqrt(visits)
    cards (uint64)     the card that leads to the node, the set of cards that have children

Children form a linked list, the newest first.
"""

import math

import numpy as np

from hearts.kernels.core.bits import LANE, ONE, ZERO, U, pick, popcount, rotate_right
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.order import LANE_SHIFT
from hearts.kernels.core.random import advance, fork, mix, open_stream
from hearts.kernels.core.state import (
    QUEEN,
    THREE,
    after_card,
    distinct,
    heart_breakers,
    legal_plays,
    penalty_cards,
    unpack_meta,
)
from hearts.kernels.core.statistics import add_outcome
from hearts.kernels.playouts.batch import GREEDY, SHOOT, SOFTMAX, playout
from hearts.kernels.playouts.candidates import holders_of, stage_class
from hearts.kernels.playouts.greedy import greedy_card
from hearts.kernels.playouts.softmax import softmax_card
from hearts.kernels.policies.choose import choose
from hearts.kernels.policies.mixed import play_out, voids_after

VISITS, AVAILABLE, CHILD, SIBLING = range(4)
MEAN, INVERSE_ROOT = range(2)
CARD, TRIED = range(2)

_TABULATED = U(1 << 16)  # visit counts whose roots are looked up
_ROOT_OF_LOG = np.sqrt(np.log(np.maximum(np.arange(1 << 16), 1.0)))
_INVERSE_ROOT = 1.0 / np.sqrt(np.maximum(np.arange(1 << 16), 1.0))


@inlined
def _root_of_log(n):
    return _ROOT_OF_LOG[U(n)] if U(n) < _TABULATED else math.sqrt(math.log(n))


@inlined
def _best_child(node, moves, all_allowed, exploration, availability, links, stats, cards):
    """The child with the highest upper confidence bound (UCB1) among `moves`."""
    explore = exploration * _root_of_log(links[node, VISITS])
    best, best_score = ZERO, -1.0
    child = U(links[node, CHILD])
    while child != ZERO:
        if all_allowed or cards[child, CARD] & moves:
            if availability:
                links[child, AVAILABLE] += 1
                explore = exploration * _root_of_log(links[child, AVAILABLE])
            score = stats[child, MEAN] + explore * stats[child, INVERSE_ROOT]
            if score > best_score:
                best, best_score = child, score
        child = U(links[child, SIBLING])
    return best


@inlined
def _add_child(node, card, child, links, stats, cards):
    """Create node `child`, reached from `node` by a card."""
    links[child, VISITS], links[child, AVAILABLE] = 0, 1
    links[child, CHILD], links[child, SIBLING] = 0, links[node, CHILD]
    links[node, CHILD] = child
    stats[child, MEAN], stats[child, INVERSE_ROOT] = 0.0, 0.0
    cards[child, CARD], cards[child, TRIED] = card, ZERO
    cards[node, TRIED] |= card


@inlined
def _add_visit(node, reward, links, stats):
    visits = U(links[node, VISITS]) + ONE
    links[node, VISITS] = visits
    inverse_root = _INVERSE_ROOT[visits] if visits < _TABULATED else 1.0 / math.sqrt(visits)
    stats[node, MEAN] += (reward - stats[node, MEAN]) * inverse_root * inverse_root
    stats[node, INVERSE_ROOT] = inverse_root


@kernel
def clear_tree(links, cards):
    """Reduce a tree to its root; return the number of nodes."""
    links[0, VISITS], links[0, AVAILABLE] = 0, 0
    links[0, CHILD], links[0, SIBLING] = 0, 0
    cards[0, CARD], cards[0, TRIED] = ZERO, ZERO
    return 1


@kernel
def allowed_moves(states, root_moves, rules, moves):
    """Write to `moves[w]` those of `root_moves` that are legal in world w."""
    for world in range(states.shape[0]):
        state = states[world]
        turn, _, count, first, broken = unpack_meta(state[6])
        moves[world] = root_moves & legal_plays(state[turn], state[5], count, first, broken, rules)


@inlined
def _has_policy(policies):
    """Whether a seat of a world has a policy of its own."""
    return max(max(policies[0], policies[1]), max(policies[2], policies[3])) >= 0


@kernel
def _play_out_by_types(policies, policy, voids, rules, stream, epsilon, state, codes, hands, plays):
    """What the seats have taken after a playout in which some have policies of their own."""
    for seat in range(4):
        default = GREEDY if policy == SHOOT else policy
        codes[seat] = policies[seat] if policies[seat] >= 0 else default
    return play_out(ZERO, codes, state, voids, rules, stream, epsilon, hands, plays)


@kernel
def grow_tree(
    states, policies, voids, order, start, simulations, seed, root_moves, world_moves,
    rules, policy, epsilon, exploration, availability, by_policy,
    kind, scale, scores, target, tables, links, stats, cards, nodes, statistics, stop,
):  # fmt: skip
    """Run simulations `start` … and add to `statistics` (13, 8); return nodes, simulations.

    Simulation i starts from world `order[i % len(order)]`. Row i of `statistics` belongs to the
    i-th card of `root_moves`, from the lowest; `world_moves` are those that each world allows. The
    searching seat is the seat to play. `policies` (n, 4) are the seats' own policies in each world,
    -1 for none, and `voids` those shown so far. A search ends early when `stop[0]` is set.
    """
    final, codes = np.empty(8, dtype=np.uint64), np.empty(4, dtype=np.int64)
    scratch, plays = np.empty(4, dtype=np.uint64), np.empty(52, dtype=np.uint8)
    hands = np.empty(4, dtype=np.uint64)
    path = np.empty(53, dtype=np.uint64)
    seats = np.empty(53, dtype=np.uint64)
    points = np.empty(4, dtype=np.int64)
    reward = np.empty(4)
    breakers = heart_breakers(rules)
    me = np.int64(states[0, 6] & THREE)
    worlds, capacity = states.shape[0], U(links.shape[0])
    nodes = U(nodes)
    for simulation in range(start, start + simulations):
        if stop[0]:
            return nodes, simulation - start
        stream = fork(seed, U(simulation))
        world = order[simulation % order.shape[0]] if worlds > 1 else 0
        state = states[world]
        for seat in range(4):
            hands[seat] = state[seat]
        trick, best, taken = state[4], state[5], state[7]
        turn, winner, count, first, broken = unpack_meta(state[6])
        node, depth, slot = ZERO, 0, np.int64(0)
        own, shown = policies[world], voids
        typed = _has_policy(own)
        while True:
            in_play = hands[0] | hands[1] | hands[2] | hands[3]
            if in_play == ZERO:
                break
            if depth == 0:
                moves = world_moves[world]
            else:
                legal = legal_plays(hands[turn], best, count, first, broken, rules)
                moves = distinct(legal, in_play | trick)
            known = np.int64(turn) != me and own[turn] >= 0
            modelled = known or (by_policy and np.int64(turn) != me)
            if known:
                stream = advance(stream)
                moves, stream = choose(
                    own[turn], turn, hands[turn], in_play ^ hands[turn], trick, best, winner,
                    count, first, broken, taken, shown, rules, mix(stream) & LANE, stream, epsilon,
                )  # fmt: skip
            elif modelled:
                stream = advance(stream)
                queen_out = in_play & penalty_cards(rules) & QUEEN
                if policy == SOFTMAX:
                    moves = softmax_card(
                        hands[turn], best, count, trick, first, broken, in_play,
                        stage_class(popcount(hands[turn])),
                        rotate_right(holders_of(taken), turn << LANE_SHIFT),
                        ((winner - turn) & THREE) << LANE_SHIFT, queen_out, rules,
                        mix(stream) & LANE,
                    )  # fmt: skip
                else:
                    moves, stream = greedy_card(
                        hands[turn], best, count, trick, first, broken, queen_out, rules,
                        mix(stream) & LANE, stream, epsilon,
                    )  # fmt: skip
            untried = moves & ~cards[node, TRIED]
            grows = untried != ZERO
            if grows:
                if nodes == capacity:
                    break
                stream = advance(stream)
                card = pick(untried, mix(stream) & LANE)
                _add_child(node, card, nodes, links, stats, cards)
                node = nodes
                nodes += ONE
            else:
                node = _best_child(
                    node, moves, worlds == 1 and not modelled, exploration, availability,
                    links, stats, cards,
                )  # fmt: skip
                card = cards[node, CARD]
            if depth == 0:
                slot = np.int64(popcount(root_moves & (card - ONE)))
            path[depth], seats[depth] = node, turn
            depth += 1
            if typed:
                shown = voids_after(shown, turn, card, best, count)
            hands[turn] ^= card
            turn, winner, count, trick, best, first, broken, taken = after_card(
                card, turn, winner, count, trick, best, first, broken, taken, breakers
            )
            if grows:
                break
        if hands[0] | hands[1] | hands[2] | hands[3]:
            meta = turn | (winner << U(2)) | (count << U(4)) | (first << U(6)) | (broken << U(7))
            if typed:
                for seat in range(4):
                    final[seat] = hands[seat]
                final[4], final[5], final[6], final[7] = trick, best, meta, taken
                taken = _play_out_by_types(
                    own, policy, shown, rules, stream, epsilon, final, codes, scratch, plays
                )
            else:
                taken = playout(
                    policy, hands[0], hands[1], hands[2], hands[3],
                    trick, best, meta, taken, rules, advance(stream), epsilon,
                )  # fmt: skip
        add_outcome(
            statistics[slot], me, taken, rules, kind, scale, scores, target, tables, points, reward
        )
        links[0, VISITS] += 1
        for i in range(depth):
            _add_visit(path[i], reward[seats[i]], links, stats)
    return nodes, simulations


@kernel
def grow_forest(
    states, policies, voids, first, simulations, seed, root_moves, world_moves,
    rules, policy, epsilon, exploration, by_policy, kind, scale, scores, target, tables,
    links, stats, cards, statistics, stop,
):  # fmt: skip
    """Grow one tree for each world (n, 8), reusing the arrays; return the simulations done.

    The worlds have the numbers `first` … in the search, which choose their random streams.
    """
    order = np.zeros(1, dtype=np.int64)
    total = 0
    for world in range(states.shape[0]):
        clear_tree(links, cards)
        _, done = grow_tree(
            states[world : world + 1], policies[world : world + 1], voids, order, 0,
            simulations[world],
            open_stream(seed, U(first + world)), root_moves, world_moves[world : world + 1],
            rules, policy, epsilon, exploration, False, by_policy,
            kind, scale, scores, target, tables, links, stats, cards, 1, statistics[world], stop,
        )  # fmt: skip
        total += done
    return total

"""Playouts of many states, and the dispatch from a policy's number to its playout."""

from hearts.kernels.core.bits import U
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.random import open_stream
from hearts.kernels.core.state import final_points
from hearts.kernels.playouts.greedy import greedy_playout
from hearts.kernels.playouts.shoot import shoot_playout
from hearts.kernels.playouts.softmax import softmax_playout
from hearts.kernels.playouts.uniform import uniform_playout

# Policies are numbers: numba does not cache kernels that take functions as arguments.
UNIFORM, GREEDY, SHOOT, SOFTMAX = range(4)


@inlined
def playout(policy, h0, h1, h2, h3, trick, best, meta, taken, rules, stream, epsilon):
    """Play a hand to its end by `policy`; return what each seat has taken."""
    if policy == UNIFORM:
        return uniform_playout(h0, h1, h2, h3, trick, best, meta, taken, rules, stream)
    if policy == GREEDY:
        return greedy_playout(h0, h1, h2, h3, trick, best, meta, taken, rules, stream, epsilon)
    if policy == SHOOT:
        return shoot_playout(h0, h1, h2, h3, trick, best, meta, taken, rules, stream, epsilon)
    return softmax_playout(h0, h1, h2, h3, trick, best, meta, taken, rules, stream)


@inlined
def playout_of(policy, state, rules, stream, epsilon):
    """The playout of a state of eight words."""
    h0, h1, h2, h3 = state[0], state[1], state[2], state[3]
    trick, best, meta, taken = state[4], state[5], state[6], state[7]
    return playout(policy, h0, h1, h2, h3, trick, best, meta, taken, rules, stream, epsilon)


@kernel
def playouts(policy, states, rules, epsilon, seed, points):
    """Write to `points[i]` (n, 4) the points of a playout of `states[i]` (n, 8)."""
    for i in range(states.shape[0]):
        stream = open_stream(seed, U(i))
        final_points(playout_of(policy, states[i], rules, stream, epsilon), rules, points[i])


@kernel
def finish(policy, states, rules, epsilon, seed, taken):
    """Write to `taken[i]` what the seats have taken after a playout of `states[i]` (n, 8)."""
    for i in range(states.shape[0]):
        stream = open_stream(seed, U(i))
        taken[i] = playout_of(policy, states[i], rules, stream, epsilon)


@kernel
def count_penalties(policy, states, rules, epsilon, seed, repeats):
    """Play every state out `repeats` times and add up what was taken, for benchmarks."""
    total = U(0)
    for repeat in range(repeats):
        for i in range(states.shape[0]):
            stream = open_stream(seed, U(repeat * states.shape[0] + i))
            total += playout_of(policy, states[i], rules, stream, epsilon)
    return total

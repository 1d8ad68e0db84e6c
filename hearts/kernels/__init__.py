"""Compiled kernels: `@njit` functions on integers and arrays, without Python objects.

From the lowest package to the highest; each imports only those above it in this list:

    core      bit operations, random numbers, the state of a hand, rewards, move statistics
    playouts  policies that play a hand to its end: uniform, ε-greedy, shoot-aware, softmax
    policies  what a seat plays and passes, as a function of what it knows
    search    the UCT tree, the exact endgame solver, trials of passes
    network   the policy network: features, accumulator, inference, rollouts, self-play, batches
    beliefs   dealing worlds, likelihood of plays and passes, MCMC; imports core alone

Kernels import no other package of the project. A caller allocates all arrays; outputs come last.
"""

import numba
import numpy as np

if numba.config.DISABLE_JIT:
    np.seterr(over="ignore")  # 64-bit words wrap by design; numpy warns, compiled code does not

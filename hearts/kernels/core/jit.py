"""Decorators of the kernels: compiled without the GIL, cached on disk, single-threaded.

    kernel   an ordinary compiled function
    inlined  a small function, forced inline. Left to LLVM's heuristics, the ε-greedy playout took
             549 instead of 424 ns, mostly because pairs were returned through memory.
    bare     without reference counts. numba counts references to every array that a function takes
             or slices, atomically; in the MCMC chain over deals, whose state is many small arrays,
             that took four fifths of the time. A bare function cannot create an array.
    exact    bare, and free to add floats in any order: for floats with integer values, whose sums
             are the same in any order
    fast     bare, with all of LLVM's fast-math: for training, where rounding may differ

The decorators `…_inlined` force their functions inline as well.

numba compiles a callee with the fast-math of the caller that needs it first, unless the callee says
otherwise. So ordinary functions say otherwise: a policy would break ties in another way in rollouts
than elsewhere.
"""

from numba import njit

from hearts.kernels.core.cache import ensure_cache

ensure_cache()

kernel = njit(nogil=True, cache=True, fastmath=False)
inlined = njit(nogil=True, cache=True, forceinline=True, fastmath=False)
bare = njit(nogil=True, cache=True, _nrt=False, fastmath=False)
bare_inlined = njit(nogil=True, cache=True, forceinline=True, _nrt=False, fastmath=False)
exact = njit(nogil=True, cache=True, _nrt=False, fastmath={"reassoc", "contract"})
exact_inlined = njit(
    nogil=True, cache=True, forceinline=True, _nrt=False, fastmath={"reassoc", "contract"}
)
fast = njit(nogil=True, cache=True, _nrt=False, fastmath=True)

"""How kernels are compiled: without the GIL, cached on disk, serial.

Small functions are forced inline: numba leaves it to LLVM, whose guess made the ε-greedy playout
1.3 times slower (549 against 424 ns), mostly by returning pairs through memory.

numba counts references to every array that a function is handed or slices, atomically: in the chain
over deals, whose state is many small arrays, that took four fifths of the time. A `bare` function
does not count. It may take arrays and slices of them, but cannot make an array.

An `exact` function is bare, and adds floats in whatever order is fastest: for floats that are whole
numbers, whose sums are the same in every order.
"""

from numba import njit

kernel = njit(nogil=True, cache=True)
inlined = njit(nogil=True, cache=True, forceinline=True)
bare = njit(nogil=True, cache=True, _nrt=False)
bare_inlined = njit(nogil=True, cache=True, forceinline=True, _nrt=False)
exact = njit(nogil=True, cache=True, _nrt=False, fastmath={"reassoc", "contract"})
exact_inlined = njit(
    nogil=True, cache=True, forceinline=True, _nrt=False, fastmath={"reassoc", "contract"}
)
fast = njit(nogil=True, cache=True, _nrt=False, fastmath=True)
fast_inlined = njit(nogil=True, cache=True, forceinline=True, _nrt=False, fastmath=True)

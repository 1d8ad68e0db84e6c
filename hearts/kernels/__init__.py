"""Compiled kernels: functions on integers and arrays, without Python objects."""

import numba
import numpy as np

if numba.config.DISABLE_JIT:
    np.seterr(over="ignore")  # words wrap by design; only uncompiled code would warn of it

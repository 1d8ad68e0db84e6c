"""The policies by name, as kernel arguments: see hearts.kernels.policies.choose."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearts.kernels.playouts.batch import GREEDY, SOFTMAX, UNIFORM
from hearts.kernels.policies.choose import CAUTIOUS, DUCK, GUARD, SHOOTER


class Policy(NamedTuple):
    """A policy that a seat may be thought to follow."""

    code: int  # its number in the kernels
    label: str  # what it does, for people


# By name: that of the player, or of the playout, that plays so.
POLICIES = {
    "uniform": Policy(UNIFORM, "plays at random"),
    "epsilon-greedy": Policy(GREEDY, "ducks, with random cards"),
    "softmax": Policy(SOFTMAX, "plays like the engine"),
    "duck": Policy(DUCK, "ducks"),
    "cautious": Policy(CAUTIOUS, "counts cards"),
    "guard": Policy(GUARD, "stops moons early"),
    "shooter": Policy(SHOOTER, "tries to shoot"),
}


def policy_codes(names: Sequence[str]) -> NDArray[np.int64]:
    """The numbers of policies, such as those of the four seats."""
    return np.array([POLICIES[name].code for name in names], dtype=np.int64)

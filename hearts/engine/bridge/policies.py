"""The policies by name, as kernel arguments: see hearts.kernels.policies.choose."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearts.game.cards import SEATS
from hearts.game.rules import Rules
from hearts.kernels.playouts.batch import GREEDY, SOFTMAX, UNIFORM
from hearts.kernels.policies.choose import CAUTIOUS, DUCK, GUARD, NETWORK, SHOOTER

NO_EPSILON = np.uint64(0)  # no random cards


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

# By name: how a seat of a rollout may play on. The networks are those of `shipped_stack`; the one
# that imitates searches plays its most probable card.
ROLLOUT_POLICIES = {
    "network": NETWORK,
    "search-like": NETWORK + 3,
    **{name: policy.code for name, policy in POLICIES.items()},
}


def policy_codes(names: Sequence[str]) -> NDArray[np.int64]:
    """The numbers of policies, such as those of the four seats."""
    return np.array([POLICIES[name].code for name in names], dtype=np.int64)


def all_network(worlds: int) -> NDArray[np.int64]:
    """The policies (worlds, 4) of rollouts in which the network plays all seats."""
    return np.full((worlds, SEATS), NETWORK, dtype=np.int64)


def rollout_policies(
    rules: Rules, worlds: int, believed: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """The policies (worlds, 4) of rollouts: those that a belief has sampled, or the network.

    The network was trained with the usual scoring. What it does not know of bonuses and moons, the
    rewards of rollouts do; see hearts.kernels.network.jack for J♦. If it does not even know the
    penalties, all seats play by `cautious`.
    """
    if rules.usual_penalties:
        return all_network(worlds) if believed is None else believed
    return np.full((worlds, SEATS), CAUTIOUS, dtype=np.int64)


def network_passes_under(rules: Rules) -> bool:
    """Whether passes are tried by the network; without moons it keeps and expects wrong cards."""
    return rules.usual_penalties and bool(rules.moon_cards)

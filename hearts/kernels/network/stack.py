"""Several networks of the same shape as one tuple of arrays, with one more axis in front.

Only `bare` and `exact` kernels may call these functions: they return arrays without a reference of
their own, which an ordinary kernel would release, and with it the weights.
"""

from hearts.kernels.core.jit import bare_inlined
from hearts.kernels.network.arrays import Layers
from hearts.kernels.policies.choose import NETWORK


@bare_inlined
def network_at(stack, i):
    """Network `i` of a stack."""
    return Layers(
        stack.features[i], stack.deltas[i], stack.bias[i], stack.hidden[i], stack.hidden_bias[i],
        stack.out[i], stack.out_bias[i],
    )  # fmt: skip


@bare_inlined
def network_of(stack, policy):
    """The network that a policy asks: see hearts.kernels.policies.choose."""
    return network_at(stack, (policy - NETWORK) >> 1)

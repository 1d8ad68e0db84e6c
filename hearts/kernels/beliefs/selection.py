"""A small weighted sample of worlds with the card marginals of a long chain: herding and raking.

The marginals of few chain states are noisier than those of all steps. Herding (Welling, 2009;
kernel herding: Chen, Welling and Smola, 2010) selects states whose errors cancel. Raking, or
iterative proportional fitting (Deming and Stephan, 1940), then weights them so that their marginals
match, with the weights as even as possible.
"""

from hearts.kernels.beliefs.chain_state import holder_of
from hearts.kernels.core.bits import ONE, U
from hearts.kernels.core.jit import bare, bare_inlined


@bare
def herd(hands, cards, target, residual, taken, chosen):
    """Write to `chosen` (k,) the indices of worlds (n, 3) that together match `target`.

    Greedily adds the world that fits the residual best; the first world is taken as it is. `target`
    (cards, 3) are marginals. `residual` (cards, 3) and `taken` (n,), all False, are scratch arrays.
    """
    for i in range(cards.shape[0]):
        for player in range(3):
            residual[i, player] = 0.0
    best = 0
    for pick in range(chosen.shape[0]):
        if pick:
            highest = -1e300
            for world in range(hands.shape[0]):
                if not taken[world]:
                    fit = 0.0
                    for i in range(cards.shape[0]):
                        fit += residual[i, holder_of(hands[world], ONE << U(cards[i]))]
                    if fit > highest:
                        best, highest = world, fit
        chosen[pick], taken[best] = best, True
        for i in range(cards.shape[0]):
            for player in range(3):
                residual[i, player] += target[i, player]
            residual[i, holder_of(hands[best], ONE << U(cards[i]))] -= 1.0


@bare
def rake(hands, cards, target, iterations, min_effective, weights, previous):
    """Write weights of worlds (n, 3) under which `cards` have the marginals `target` (cards, 3).

    Stops before an iteration that would reduce the effective sample size below `min_effective`.
    `previous` (n,) is a scratch array.
    """
    for world in range(hands.shape[0]):
        weights[world] = 1.0 / hands.shape[0]
    for _ in range(iterations):
        _copy(weights, previous)
        for i in range(cards.shape[0]):
            _fit_card(hands, ONE << U(cards[i]), target[i], weights)
        if _normalise(weights) < min_effective:
            _copy(previous, weights)
            return


@bare_inlined
def _fit_card(hands, card, target, weights):
    """Scale the weights so that one card has the marginals `target` (3,)."""
    a = b = c = 0.0
    for world in range(hands.shape[0]):
        holder = holder_of(hands[world], card)
        if holder == 0:
            a += weights[world]
        elif holder == 1:
            b += weights[world]
        else:
            c += weights[world]
    a = target[0] / a if a > 0.0 else 1.0
    b = target[1] / b if b > 0.0 else 1.0
    c = target[2] / c if c > 0.0 else 1.0
    for world in range(hands.shape[0]):
        holder = holder_of(hands[world], card)
        weights[world] *= a if holder == 0 else b if holder == 1 else c


@bare_inlined
def _normalise(weights):
    """Scale the weights to the sum 1; return the effective sample size (Kish, 1965)."""
    total = squares = 0.0
    for world in range(weights.shape[0]):
        total += weights[world]
        squares += weights[world] * weights[world]
    for world in range(weights.shape[0]):
        weights[world] /= total
    return total * total / squares


@bare_inlined
def _copy(source, target):
    for world in range(source.shape[0]):
        target[world] = source[world]

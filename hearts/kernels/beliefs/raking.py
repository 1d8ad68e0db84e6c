"""Few worlds that say of every card what a longer look has found.

Some states of a chain know less about who holds a card than all of its steps. Choosing states
that make up for each other (herding) brings the shares of few close to those of the steps; raking
(iterative proportional fitting) then gives them weights with which the shares are equal, and which
are as even as they can be.
"""

from hearts.kernels.core.bits import ONE, U
from hearts.kernels.core.jit import bare, bare_inlined


@bare_inlined
def _holder(hands, card):
    return 0 if hands[0] & card else 1 if hands[1] & card else 2


@bare
def herd(hands, cards, wanted, lacking, taken, chosen):
    """Writes to `chosen` (k,) which of the worlds (n, 3) together come closest to `wanted`.

    One after the other, the world that has most of what is lacking so far; the first one is taken
    as it comes. `lacking` (cards, 3) and `taken` (n,), all False, are room.
    """
    for place in range(cards.shape[0]):
        for player in range(3):
            lacking[place, player] = 0.0
    best = 0
    for pick in range(chosen.shape[0]):
        if pick:
            most = -1e300
            for world in range(hands.shape[0]):
                if not taken[world]:
                    has = 0.0
                    for place in range(cards.shape[0]):
                        has += lacking[place, _holder(hands[world], ONE << U(cards[place]))]
                    if has > most:
                        best, most = world, has
        chosen[pick], taken[best] = best, True
        for place in range(cards.shape[0]):
            for player in range(3):
                lacking[place, player] += wanted[place, player]
            lacking[place, _holder(hands[best], ONE << U(cards[place]))] -= 1.0


@bare_inlined
def _fit_card(hands, card, wanted, weights):
    """Scales the weights so that the players (3,) hold a card as often as is wanted."""
    a = b = c = 0.0
    for world in range(hands.shape[0]):
        holder = _holder(hands[world], card)
        if holder == 0:
            a += weights[world]
        elif holder == 1:
            b += weights[world]
        else:
            c += weights[world]
    a = wanted[0] / a if a > 0.0 else 1.0
    b = wanted[1] / b if b > 0.0 else 1.0
    c = wanted[2] / c if c > 0.0 else 1.0
    for world in range(hands.shape[0]):
        holder = _holder(hands[world], card)
        weights[world] *= a if holder == 0 else b if holder == 1 else c


@bare_inlined
def _normalise(weights):
    """Makes the sum 1; returns the number of equally weighted worlds that would say as much."""
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


@bare
def rake(hands, cards, wanted, rounds, least, weights, before):
    """Writes weights of worlds (n, 3) with which players hold `cards` as is `wanted` (cards, 3).

    Stops before a round that would leave less than `least` worlds in effect; `before` is room (n,).
    """
    for world in range(hands.shape[0]):
        weights[world] = 1.0 / hands.shape[0]
    for _ in range(rounds):
        _copy(weights, before)
        for place in range(cards.shape[0]):
            _fit_card(hands, ONE << U(cards[place]), wanted[place], weights)
        if _normalise(weights) < least:
            _copy(before, weights)
            return

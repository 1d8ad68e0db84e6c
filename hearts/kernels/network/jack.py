"""Preferences for J♦ where it is a bonus; the network was trained without it.

The network's probability of a card is multiplied by a weight:

    J♦ on the table      a card that wins the trick for certain, or so far, unless Q♠ is in it
    J♦ in hand           high if it wins the trick for certain, low otherwise
    J♦ in another hand   low for discards of the diamonds that can catch it

J♦ is never passed.
"""

from hearts.kernels.core.bits import ONE, ZERO, U, popcount
from hearts.kernels.core.jit import exact, exact_inlined
from hearts.kernels.core.state import JACK, QUEEN, lane_of

# Weights of a card that certainly wins J♦, that may win it, and of J♦ where a higher diamond may
# still follow; of J♦ where another seat takes it, and of a discard of Q♦, K♦ or A♦.
_TAKE, _TRY, _RISK, _GIVE, _UNGUARD = 20.0, 4.0, 0.2, 0.02, 0.3
_ABOVE_JACK = (JACK << ONE) | (JACK << U(2)) | (JACK << U(3))


@exact_inlined
def _weight(card, out, trick, best, last):
    """The weight of a card at a seat that may play to a trick; `out` are the others' cards."""
    follows = best == ZERO or card & lane_of(best) != ZERO
    wins = follows and card > best
    higher = out & lane_of(card) & (ZERO - (card << ONE))
    sure = wins and (last or higher == ZERO)
    if trick & QUEEN:
        return _GIVE if card == JACK and not wins else 1.0
    if card == JACK:
        risky = wins and best != ZERO
        return _TAKE if sure else (_RISK if risky else _GIVE)
    if trick & JACK and wins:
        return _TAKE if sure else _TRY
    return _UNGUARD if out & JACK and card & _ABOVE_JACK and not follows else 1.0


@exact
def prefer_jack(moves, out, trick, best, last, policy):
    """Weight the unnormalised `policy` of the moves of a seat; return its new sum."""
    total = 0.0
    for i in range(popcount(moves)):
        policy[i] *= _weight(moves & (ZERO - moves), out, trick, best, last)
        total += policy[i]
        moves &= moves - ONE
    return total


@exact
def keep_jack(cards, policy):
    """Rule J♦ out of the `cards` to pass; return the new sum of the unnormalised `policy`."""
    total = 0.0
    for i in range(popcount(cards)):
        if cards & (ZERO - cards) == JACK:
            policy[i] = 0.0
        total += policy[i]
        cards &= cards - ONE
    return total

"""The public situation before every play of a hand, as words: what a kernel policy asks for.

`hearts.kernels.beliefs.contexts` has the same situations as features of the logit styles.
"""

from hearts.kernels.core.bits import ONE, ZERO, U
from hearts.kernels.core.jit import kernel
from hearts.kernels.core.state import DECK, after_card, heart_breakers
from hearts.kernels.policies.mixed import voids_after

# Columns; all as in hearts.kernels.core.state, except for
CARD = 0  # the card played
IN_PLAY = 1  # the cards of all hands, this one included
VOIDS = 2  # the voids shown so far
TURN, WINNER, COUNT, FIRST, BROKEN, TRICK, BEST, TAKEN = range(3, 11)
WIDTH = 11


@kernel
def describe_situations(seats, cards, rules, situations):
    """Write the situation before every play of a hand to `situations` (n, WIDTH)."""
    winner, count, first, broken = ZERO, ZERO, ONE, ZERO
    trick, best, taken, voids, in_play = ZERO, ZERO, ZERO, ZERO, DECK
    breakers = heart_breakers(rules)
    for i in range(seats.shape[0]):
        turn, card, row = U(seats[i]), ONE << U(cards[i]), situations[i]
        row[CARD], row[IN_PLAY], row[VOIDS], row[TURN] = card, in_play, voids, turn
        row[WINNER], row[COUNT], row[FIRST], row[BROKEN] = winner, count, first, broken
        row[TRICK], row[BEST], row[TAKEN] = trick, best, taken
        voids = voids_after(voids, turn, card, best, count)
        in_play ^= card
        _, winner, count, trick, best, first, broken, taken = after_card(
            card, turn, winner, count, trick, best, first, broken, taken, breakers
        )

"""Playouts from Python: the state of a hand in, four scores out."""

from collections.abc import Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from hearts.cards import SEATS, CardSet, bit, count, set_of, suit_of
from hearts.deal import Deal
from hearts.errors import InvalidConfig
from hearts.kernels.batch import GREEDY, SHOOT, SOFTMAX, UNIFORM, playouts
from hearts.kernels.table import HEARTS_INSTEAD_OF_QUEEN, SHOOTER_SUBTRACTS
from hearts.rules import ALL_HEARTS, JACK, QUEEN, MoonScoring, Rules
from hearts.trick import Trick

States = NDArray[np.uint64]  # (n, 8): see hearts.kernels.table
SEED_MASK = (1 << 64) - 1


class Playout(Enum):
    """How the cards of a playout are chosen."""

    UNIFORM = "uniform"
    EPSILON_GREEDY = "epsilon-greedy"
    SHOOT_AWARE = "shoot-aware"
    SOFTMAX = "softmax"

    @property
    def code(self) -> int:
        """The number that the kernels know it by."""
        return _CODES[self]

    def under(self, rules: Rules) -> "Playout":
        """This playout where it knows the rules; softmax ones have learned the usual scoring only.

        Elsewhere the heuristic, which knows what a jack is worth, takes its place.
        """
        fit = self is not Playout.SOFTMAX or rules.usual_scoring
        return self if fit else Playout.EPSILON_GREEDY


_CODES = {
    Playout.UNIFORM: UNIFORM,
    Playout.EPSILON_GREEDY: GREEDY,
    Playout.SHOOT_AWARE: SHOOT,
    Playout.SOFTMAX: SOFTMAX,
}


def rules_word(rules: Rules) -> np.uint64:
    """The rules as kernels read them; where the shooter chooses, the others add the points."""
    extra = 0
    if rules.hearts_instead_of_queen:
        extra |= int(HEARTS_INSTEAD_OF_QUEEN)
    if rules.moon is MoonScoring.SHOOTER_SUBTRACTS:
        extra |= int(SHOOTER_SUBTRACTS)
    return np.uint64(rules.mask | extra)


def epsilon_word(epsilon: float) -> np.uint64:
    """ε as kernels read it, in units of 1/65536."""
    if not 0 <= epsilon <= 1:
        raise InvalidConfig("epsilon", f"{epsilon} is out of range: 0 to 1")
    return np.uint64(round(epsilon * 65536))


def state_of(deal: Deal) -> NDArray[np.uint64]:
    """The eight words of a deal that is being played."""
    first, broken = deal.first_trick, deal.broken
    return pack_state(deal.hands, deal.trick, deal.taken, first_trick=first, broken=broken)


def pack_state(
    hands: Sequence[CardSet],
    trick: Trick,
    taken: Sequence[CardSet],
    *,
    first_trick: bool,
    broken: bool,
) -> NDArray[np.uint64]:
    """The eight words of a state: see hearts.kernels.table."""
    played = len(trick.cards)
    turn = (trick.leader + played) % SEATS
    best = max(trick.cards, key=lambda card: (suit_of(card) == trick.led, card)) if played else None
    winner = trick.winner if played else trick.leader
    return np.array(
        [
            *hands,
            set_of(trick.cards),
            0 if best is None else bit(best),
            turn | winner << 2 | played << 4 | first_trick << 6 | broken << 7,
            sum(_taken_lane(cards) << 16 * seat for seat, cards in enumerate(taken)),
        ],
        dtype=np.uint64,
    )


def _taken_lane(cards: CardSet) -> int:
    """The lane of `taken` that says what a seat has won: hearts, queen, jack, tricks."""
    hearts, tricks = count(cards & ALL_HEARTS), count(cards) // SEATS
    return hearts | bool(cards & QUEEN) << 4 | bool(cards & JACK) << 5 | tricks << 8


def play_out(
    states: States, rules: Rules, playout: Playout, *, seed: int = 0, epsilon: float = 0.1
) -> NDArray[np.int64]:
    """Play every state (n, 8) out once; the points of the four seats (n, 4), moon included."""
    points = np.zeros((len(states), SEATS), dtype=np.int64)
    word, eps = rules_word(rules), epsilon_word(epsilon)
    playouts(playout.code, states, word, eps, np.uint64(seed & SEED_MASK), points)
    return points

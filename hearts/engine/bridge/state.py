"""Rules and deals, packed for the kernels: see hearts.kernels.core.state."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hearts.game.cards import SEATS, CardSet, bit, count, set_of, suit_of
from hearts.game.deal import Deal
from hearts.game.rules import ALL_HEARTS, JACK, QUEEN, MoonScoring, Rules
from hearts.game.trick import Trick
from hearts.kernels.core.state import HEARTS_INSTEAD_OF_QUEEN, SHOOTER_SUBTRACTS

States = NDArray[np.uint64]  # (n, 8)


def rules_word(rules: Rules) -> np.uint64:
    """The rules as one word; if the shooter may choose, the others add the points."""
    extra = 0
    if rules.hearts_instead_of_queen:
        extra |= int(HEARTS_INSTEAD_OF_QUEEN)
    if rules.moon is MoonScoring.SHOOTER_SUBTRACTS:
        extra |= int(SHOOTER_SUBTRACTS)
    return np.uint64(rules.mask | extra)


def state_of(deal: Deal) -> NDArray[np.uint64]:
    """The state of a deal in play (8,)."""
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
    """Pack a state (8,): see hearts.kernels.core.state."""
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
    """The 16 bits of `taken` for one seat: hearts, queen, jack, tricks."""
    hearts, tricks = count(cards & ALL_HEARTS), count(cards) // SEATS
    return hearts | bool(cards & QUEEN) << 4 | bool(cards & JACK) << 5 | tricks << 8

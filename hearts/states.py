"""Views and worlds in the words of the kernels."""

import numpy as np

from hearts.beliefs import Worlds
from hearts.cards import SEATS, CardSet, bit
from hearts.kernels.table import distinct
from hearts.playout import States, pack_state
from hearts.rules import QUEEN, QUEEN_POINTS
from hearts.view import View


def root_moves(view: View) -> CardSet:
    """The lowest of each group of legal cards that are equal in play."""
    in_play = view.hand | view.unseen | view.trick.cards_set
    return int(distinct(np.uint64(view.legal), np.uint64(in_play)))


def equal_cards(view: View) -> tuple[CardSet, ...]:
    """The legal cards in groups that are equal in play, from the lowest."""
    groups: list[CardSet] = []
    leaders = root_moves(view)
    for card in (bit(place) for place in range(64) if view.legal >> place & 1):
        if leaders & card:
            groups.append(card)
        else:
            groups[-1] |= card
    return tuple(groups)


def world_states(view: View, worlds: Worlds) -> States:
    """The kernel states of some worlds (n, 8)."""
    state = pack_state(
        [0] * SEATS, view.trick, view.taken, first_trick=view.first_trick, broken=view.broken
    )
    states = np.tile(state, (len(worlds), 1))
    states[:, :SEATS] = worlds.hands
    if view.partial and view.points_claim is not None:
        in_play = np.bitwise_or.reduce(worlds.hands, axis=1) | np.uint64(view.trick.cards_set)
        queen_gone = (in_play & np.uint64(QUEEN)) == 0
        states[:, 7] = np.where(
            queen_gone, _taken_by_claim(view, queen=True), _taken_by_claim(view, queen=False)
        )
    return states


def _taken_by_claim(view: View, *, queen: bool) -> np.uint64:
    """What points that are only claimed stand for, in the words of the kernels."""
    taken, queen = 0, queen and view.rules.queen_penalty
    for seat, points in enumerate(view.points):
        has_queen = queen and points >= QUEEN_POINTS
        queen = queen and not has_queen
        hearts = min(max(points - QUEEN_POINTS * has_queen, 0), 13)
        taken |= (hearts | has_queen << 4 | (points != 0) << 8) << 16 * seat
    return np.uint64(taken)

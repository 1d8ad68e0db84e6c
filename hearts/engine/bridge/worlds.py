"""Views and worlds as kernel states."""

import numpy as np

from hearts.engine.beliefs import Worlds
from hearts.engine.bridge.state import States, pack_state
from hearts.game.cards import RANKS, SEATS, CardSet, bit, count, members, suit_of
from hearts.game.rules import ALL_HEARTS, QUEEN, QUEEN_POINTS
from hearts.kernels.core.state import distinct, void_bit
from hearts.views.view import View


def root_moves(view: View) -> CardSet:
    """The lowest card of each group of legal cards that are equivalent in play."""
    in_play = view.hand | view.unseen | view.trick.cards_set
    return int(distinct(np.uint64(view.legal), np.uint64(in_play)))


def equal_cards(view: View) -> tuple[CardSet, ...]:
    """The legal cards in groups that are equivalent in play, lowest first."""
    groups: list[CardSet] = []
    leaders = root_moves(view)
    for card in map(bit, members(view.legal)):
        if leaders & card:
            groups.append(card)
        else:
            groups[-1] |= card
    return tuple(groups)


def shown_voids(view: View) -> np.uint64:
    """The voids that the known plays have shown, one bit for a seat and a suit."""
    voids = 0
    for trick in (*view.tricks, view.trick):
        for place, card in enumerate(trick.cards):
            if trick.led is not None and suit_of(card) != trick.led:
                voids |= int(void_bit((trick.leader + place) % SEATS, trick.led))
    return np.uint64(voids)


def world_states(view: View, worlds: Worlds) -> States:
    """The kernel states (n, 8) of some worlds."""
    state = pack_state(
        [0] * SEATS, view.trick, view.taken, first_trick=view.first_trick, broken=view.broken
    )
    states = np.tile(state, (len(worlds), 1))
    states[:, :SEATS] = worlds.hands
    if view.partial and view.points_claim is not None and not view.false_points:
        in_play = np.bitwise_or.reduce(worlds.hands, axis=1) | np.uint64(view.trick.cards_set)
        queen_gone = (in_play & np.uint64(QUEEN)) == 0
        with_queen, without = (_taken_by_claim(view, int(state[7]), queen=q) for q in (True, False))
        states[:, 7] = np.where(queen_gone, with_queen, without)
    return states


def _taken_by_claim(view: View, taken: int, *, queen: bool) -> np.uint64:
    """The cards known to be taken, plus cards for the points that a client claims beyond them."""
    queen = queen and view.rules.queen_penalty and not any(cards & QUEEN for cards in view.taken)
    hearts_left = RANKS - sum(count(cards & ALL_HEARTS) for cards in view.taken)
    for seat, points in enumerate(view.points):
        beyond = points - view.taken_points[seat]
        has_queen = queen and beyond >= QUEEN_POINTS
        queen = queen and not has_queen
        hearts = min(max(beyond - QUEEN_POINTS * has_queen, 0), hearts_left)
        hearts_left -= hearts
        a_trick = bool(beyond) and not view.taken[seat]
        taken += (hearts + (has_queen << 4) + (a_trick << 8)) << 16 * seat
    return np.uint64(taken)

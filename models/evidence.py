"""What a view shows of the three other players, as kernel arrays."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.state import rules_word
from hearts.game.cards import SEATS, CardSet
from hearts.game.rules import PassDirection
from hearts.kernels.beliefs import situations
from hearts.kernels.beliefs.contexts import FOLLOW, LEAD, PHASE, TRICK, WIDTH, describe_plays
from hearts.kernels.beliefs.likelihood import PLAYERS, VIEWER, Evidence
from hearts.views.plays import Play
from hearts.views.view import View
from models.player_types import TypeBook
from models.styles import PHASES, Floats


def evidence_of(view: View, type_posterior: Floats, book: TypeBook) -> Evidence:
    """The evidence of a full view; `type_posterior` (3, types) comes from earlier hands."""
    plays, rules = view.plays, rules_word(view.rules)
    contexts, held = _contexts(plays, rules), later_cards(plays)
    order, start, opened = _informative_plays(view, contexts)
    source, given, received = _passes(view)
    actions = np.zeros((PLAYERS, len(PHASES)))
    for player, (first, end) in enumerate(pairwise(start)):
        np.add.at(actions[player], contexts[order[first:end], PHASE], 1)
        actions[player, -1] = source[player] >= 0
    return Evidence(
        contexts=contexts[order],
        held=_sets(held[i] for i in order),
        start=np.array(start, dtype=np.int64),
        opened=np.array(opened, dtype=np.int64),
        possible=_sets(view.possible[seat] for seat in view.others),
        played=_sets(_played(plays, seat) for seat in view.others),
        situations=situations_of(plays, rules)[order],
        type_prior=type_posterior * np.exp(actions @ book.log_corrections.T),
        source=np.array(source, dtype=np.int64),
        given=_sets(given),
        received=_sets(received),
        direction=int(view.direction),
        rules=rules,
    )


def _informative_plays(
    view: View, contexts: NDArray[np.int64]
) -> tuple[list[int], list[int], list[int]]:
    """The plays that say something about a hand, in the order of `Evidence`: order, start, opened.

    The opening lead is forced and says nothing.
    """
    phases, tricks = contexts[:, PHASE].tolist(), contexts[:, TRICK].tolist()
    order: list[int] = []
    start, opened = [0], []
    for seat in view.others:
        own = [i for i, play in enumerate(view.plays) if play.seat == seat]
        follows = [i for i in own if phases[i] == FOLLOW]
        opened.append(len(order) + len(follows))
        order += follows
        order += [i for i in own if phases[i] != FOLLOW and (tricks[i] or phases[i] != LEAD)]
        start.append(len(order))
    return order, start, opened


def _contexts(plays: Sequence[Play], rules: np.uint64) -> NDArray[np.int64]:
    contexts = np.zeros((len(plays), WIDTH), dtype=np.int64)
    describe_plays(*_seats_and_cards(plays), rules, contexts)
    return contexts


def situations_of(plays: Sequence[Play], rules: np.uint64) -> NDArray[np.uint64]:
    """The situation before each play: see hearts.kernels.beliefs.situations."""
    found = np.zeros((len(plays), situations.WIDTH), dtype=np.uint64)
    situations.describe_situations(*_seats_and_cards(plays), rules, found)
    return found


def _seats_and_cards(plays: Sequence[Play]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    seats = np.array([play.seat for play in plays], dtype=np.int64)
    return seats, np.array([play.card for play in plays], dtype=np.int64)


def later_cards(plays: Sequence[Play]) -> list[CardSet]:
    """For each play, the cards that its player has played since, this one included."""
    played, result = [0] * SEATS, []
    for play in reversed(plays):
        played[play.seat] |= 1 << play.card
        result.append(played[play.seat])
    return result[::-1]


def _played(plays: Sequence[Play], seat: int) -> CardSet:
    return sum(1 << play.card for play in plays if play.seat == seat)


def _passes(view: View) -> tuple[list[int], list[CardSet], list[CardSet]]:
    """For each of the others: the giver of its pass, its pass to the viewer, the viewer's to it."""
    if view.direction is PassDirection.HOLD or not (view.passed and view.received):
        return [-1] * PLAYERS, [0] * PLAYERS, [0] * PLAYERS
    players: Sequence[int] = (*view.others, view.seat)  # the viewer's index is VIEWER
    givers = [(seat - view.direction) % SEATS for seat in view.others]
    source = [players.index(giver) for giver in givers]
    to_viewer = (view.seat - view.direction) % SEATS
    given = [view.received if seat == to_viewer else 0 for seat in view.others]
    received = [view.passed if giver == VIEWER else 0 for giver in source]
    return source, given, received


def _sets(cards: Iterable[CardSet]) -> NDArray[np.uint64]:
    return np.array(list(cards), dtype=np.uint64)

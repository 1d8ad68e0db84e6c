"""A seat's history replayed card by card: what it proves about the hands, or where it is false."""

from hearts.game.cards import SEATS, CardSet, bit, name, names
from hearts.game.errors import ImpossibleView
from hearts.game.evidence import objection, ruled_out
from hearts.game.trick import Hands
from hearts.views.observation import Observation
from hearts.views.plays import Play, trick_path


def denied_hands(view: Observation) -> Hands:
    """For each seat the cards that it is sure not to hold, by its plays, the pass and the opening.

    Raises ImpossibleView at a play that the cards its player is sure to have held make illegal.
    """
    if view.passing:
        return (0,) * SEATS
    return _replayed(view, _held_for_certain(view), _denied_by_pass(view))


def shown_hands(view: Observation) -> Hands:
    """For each seat the cards that everybody knows it not to hold: without the pass."""
    if view.passing:
        return (0,) * SEATS
    return _replayed(view, _held_for_certain(view), [0] * SEATS)


def _replayed(view: Observation, held: list[CardSet], denied: list[CardSet]) -> Hands:
    """What is denied to each seat after all plays, from what it held and was denied before."""
    if view.rules.opener and not view.partial:
        _settle_opener(view, held, denied)
    # Without the earlier tricks hearts may have been broken: a lead of hearts proves nothing.
    broken, first = view.partial, -1 if view.partial else 0
    for play in view.plays:
        is_first = play.trick == first
        shown = ruled_out(view.rules, play.card, play.led, first_trick=is_first, broken=broken)
        if shown & held[play.seat]:
            raise _revoke(view, play, held[play.seat], shown)
        denied[play.seat] |= shown
        held[play.seat] &= ~bit(play.card)
        broken = broken or bool(bit(play.card) & view.rules.heart_breakers)
    return tuple(denied)


def _held_for_certain(view: Observation) -> list[CardSet]:
    """For each seat cards that it surely began with: shown later, mine, or passed to it by me."""
    held = [0] * SEATS
    for play in view.plays:
        held[play.seat] |= bit(play.card)
    held[view.seat] |= view.hand
    if not view.partial:  # otherwise the receiver may have played them in a trick we do not see
        held[view.receiver] |= view.passed
    return held


def _denied_by_pass(view: Observation) -> list[CardSet]:
    """For each seat the cards that the pass put elsewhere."""
    others = view.passed | view.received
    denied = [others] * SEATS
    denied[view.receiver] = view.received
    denied[view.seat] = view.passed
    return denied


def _settle_opener(view: Observation, held: list[CardSet], denied: list[CardSet]) -> None:
    """Give the opening card to the leader of the first trick, and to nobody else."""
    leader = (*view.tricks, view.trick)[0].leader
    opener = view.rules.opener
    path = (*trick_path(0, len(view.tricks)), "leader")
    for seat in range(SEATS):
        if seat != leader and held[seat] & opener:
            raise ImpossibleView(path, f"seat {leader} opens the hand, but seat {seat} had the 2C")
        if seat != leader:
            denied[seat] |= opener
    if leader == view.seat and not held[leader] & opener:
        raise ImpossibleView(path, f"seat {leader} opens the hand, but did not have the 2C")
    held[leader] |= opener


def _revoke(view: Observation, play: Play, held: CardSet, shown: CardSet) -> ImpossibleView:
    is_first = play.trick == 0 and not view.partial
    why = objection(view.rules, held, play.card, play.led, first_trick=is_first)
    had = names(shown & held)[0]
    reason = f"seat {play.seat} cannot play {name(play.card)} while it has {had}: {why}"
    return ImpossibleView(play.path(len(view.tricks)), reason)

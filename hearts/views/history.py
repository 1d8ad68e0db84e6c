"""The replay of a history, card by card: which cards it rules out for each seat."""

from hearts.game.cards import SEATS, CardSet, bit, name, names
from hearts.game.errors import ImpossibleView
from hearts.game.legality import ruled_out, why_illegal
from hearts.game.trick import Hands
from hearts.views.observation import Observation
from hearts.views.plays import Play, trick_path


def denied_hands(view: Observation) -> Hands:
    """For each seat the cards that its plays, the pass and the opening rule out.

    Raises ImpossibleView at a play that is illegal with the cards that its player certainly held.
    """
    if view.passing:
        return (0,) * SEATS
    return _replayed(view, _held_for_certain(view), _denied_by_pass(view))


def publicly_denied_hands(view: Observation) -> Hands:
    """For each seat the cards that public information rules out: all but the pass."""
    if view.passing:
        return (0,) * SEATS
    return _replayed(view, _held_for_certain(view), [0] * SEATS)


def _replayed(view: Observation, held: list[CardSet], denied: list[CardSet]) -> Hands:
    """The cards that are ruled out for each seat after all plays.

    `held` are cards that it certainly held at the start, `denied` cards that it did not hold.
    """
    if view.rules.opener and not view.partial:
        _settle_opener(view, held, denied)
    # In a partial view hearts may have been broken before, so a lead of hearts proves nothing.
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
    """For each seat the cards that it certainly held at the start."""
    held = [0] * SEATS
    for play in view.plays:
        held[play.seat] |= bit(play.card)
    held[view.seat] |= view.hand
    if not view.partial:  # else the receiver may have played them in a trick that is not given
        held[view.receiver] |= view.passed
    return held


def _denied_by_pass(view: Observation) -> list[CardSet]:
    """For each seat the cards that are elsewhere because of the pass."""
    others = view.passed | view.received
    denied = [others] * SEATS
    denied[view.receiver] = view.received
    denied[view.seat] = view.passed
    return denied


def _settle_opener(view: Observation, held: list[CardSet], denied: list[CardSet]) -> None:
    """Put the opening card into the hand of the first leader, and rule it out for the others."""
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
    why = why_illegal(view.rules, held, play.card, play.led, first_trick=is_first)
    had = names(shown & held)[0]
    reason = f"seat {play.seat} cannot play {name(play.card)} while it has {had}: {why}"
    return ImpossibleView(play.path(len(view.tricks)), reason)

"""Checks the latest tricks of a hand, where a client sends them instead of the whole history."""

from collections.abc import Sequence
from itertools import pairwise

from hearts.game.cards import SEATS, SUIT_MASK, SUIT_NAMES, CardSet, bit, name, suit_of
from hearts.game.errors import ImpossibleView
from hearts.game.trick import Trick
from hearts.views.plays import plays_of, trick_path


def check_fragment(tricks: Sequence[Trick], current: Trick, seat: int, hand: CardSet) -> None:
    """Raise ImpossibleView at a wrong leader, a repeated card, or a revoke."""
    for number, trick in enumerate(tricks):
        if not trick.complete:
            reason = f"{len(trick.cards)} cards: a completed trick has {SEATS}"
            raise ImpossibleView(("tricks", number, "cards"), reason)
    for number, (before, after) in enumerate(pairwise((*tricks, current)), 1):
        if after.leader != before.winner:
            reason = f"seat {after.leader} leads, but seat {before.winner} won the trick before"
            raise ImpossibleView((*trick_path(number, len(tricks)), "leader"), reason)
    _check_cards((*tricks, current), seat, hand)


def _check_cards(tricks: Sequence[Trick], seat: int, hand: CardSet) -> None:
    """Check that no card is repeated or in the hand, and that every player follows suit."""
    last = len(tricks) - 1
    seen, void = 0, [0] * SEATS  # for each seat the cards of the suits that it did not follow
    for play in plays_of(tricks):
        where, card = play.path(last), bit(play.card)
        if card & (seen | hand):
            again = "is in the hand too" if card & hand else "was played before"
            raise ImpossibleView(where, f"{name(play.card)} {again}")
        if card & void[play.seat]:
            suit = SUIT_NAMES[suit_of(play.card)]
            raise ImpossibleView(where, f"seat {play.seat} did not follow {suit} before")
        if play.led is not None and suit_of(play.card) != play.led:
            void[play.seat] |= SUIT_MASK[play.led]
            if play.seat == seat and hand & SUIT_MASK[play.led]:
                suit = SUIT_NAMES[play.led]
                raise ImpossibleView(where, f"seat {seat} must follow {suit}: its hand has some")
        seen |= card

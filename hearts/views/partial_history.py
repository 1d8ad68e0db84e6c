"""The last few tricks of a hand, sent instead of its whole history: can they have been?"""

from collections.abc import Sequence
from itertools import pairwise

from hearts.game.cards import SEATS, SUIT_MASK, CardSet, bit, name, suit_of
from hearts.game.errors import ImpossibleView
from hearts.game.evidence import SUIT_WORDS
from hearts.game.trick import Trick
from hearts.views.plays import plays_of, trick_path


def check_fragment(tricks: Sequence[Trick], current: Trick, seat: int, hand: CardSet) -> None:
    """Raise ImpossibleView where tricks do not follow each other, repeat a card, or revoke."""
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
    """Each card once, not in the hand, and no suit after its owner has shown to have none."""
    last = len(tricks) - 1
    seen, void = 0, [0] * SEATS  # the cards of the suits that a seat has shown not to have
    for play in plays_of(tricks):
        where, card = play.path(last), bit(play.card)
        if card & (seen | hand):
            again = "is in the hand too" if card & hand else "was played before"
            raise ImpossibleView(where, f"{name(play.card)} {again}")
        if card & void[play.seat]:
            suit = SUIT_WORDS[suit_of(play.card)]
            raise ImpossibleView(where, f"seat {play.seat} did not follow {suit} before")
        if play.led is not None and suit_of(play.card) != play.led:
            void[play.seat] |= SUIT_MASK[play.led]
            if play.seat == seat and hand & SUIT_MASK[play.led]:
                suit = SUIT_WORDS[play.led]
                raise ImpossibleView(where, f"seat {seat} must follow {suit}: its hand has some")
        seen |= card

"""What a play says about the hand it came from, and why a play is refused.

Each rule of play has one shape: with any card of some set in the hand, this card may not be played.
So the set is all that a legal play gives away, and a later card out of it proves a revoke.
"""

from hearts.game.cards import (
    CLUBS,
    DECK,
    HEARTS,
    SUIT_MASK,
    Card,
    CardSet,
    Suit,
    bit,
    is_card,
    suit_of,
)
from hearts.game.rules import ALL_HEARTS, QUEEN, Rules

SUIT_WORDS = ("clubs", "diamonds", "spades", "hearts")


def ruled_out(
    rules: Rules, card: Card, led: Suit | None, *, first_trick: bool, broken: bool
) -> CardSet:
    """The cards that the player of `card` cannot have held: with any one of them it was illegal."""
    if led is None:
        return _ruled_out_by_lead(rules, card, first_trick=first_trick, broken=broken)
    if suit_of(card) == led:
        return 0
    barred = rules.barred_first if first_trick else 0
    return SUIT_MASK[led] | (DECK & ~barred if barred & bit(card) else 0)


def _ruled_out_by_lead(rules: Rules, card: Card, *, first_trick: bool, broken: bool) -> CardSet:
    openers = _openers(rules) if first_trick else 0
    if openers & bit(card):
        return 0
    loud = ALL_HEARTS if rules.must_break_hearts and not broken else 0
    if first_trick:
        loud |= rules.barred_first
    if not loud & bit(card):
        return openers
    # Who may lead hearts instead of a lone queen can still hold her.
    quiet = DECK & ~loud & ~(QUEEN if rules.hearts_instead_of_queen else 0)
    return openers | quiet


def _openers(rules: Rules) -> CardSet:
    """The cards that must open a hand, as far as the leader has one of them."""
    return rules.opener if rules.lead_2_clubs else SUIT_MASK[CLUBS] if rules.opener else 0


def objection(
    rules: Rules, hand: CardSet, card: Card, led: Suit | None, *, first_trick: bool
) -> str:
    """Why a card that is not legal may not be played from `hand`, in words."""
    if not (is_card(card) and hand & bit(card)):
        return "it is not in the hand"
    if led is not None:
        follows = hand & SUIT_MASK[led]
        return f"must follow {SUIT_WORDS[led]}" if follows else "it is barred from the first trick"
    if first_trick and _openers(rules) & hand:
        return "the 2C opens the hand" if rules.lead_2_clubs else "a club opens the hand"
    if suit_of(card) == HEARTS and rules.must_break_hearts:
        return "hearts are not broken"
    return "it is barred from the first trick"

"""Which cards may be played, why a card may not, and what a legal play proves about the hand.

Each rule of play has the same form: a card is illegal while the hand holds any card of some set.
So a legal play proves exactly this: its player held no card of that set.
"""

from hearts.game.cards import (
    CLUBS,
    DECK,
    HEARTS,
    SUIT_MASK,
    SUIT_NAMES,
    Card,
    CardSet,
    Suit,
    bit,
    is_card,
    suit_of,
)
from hearts.game.rules import ALL_HEARTS, QUEEN, Rules


def legal_plays(
    rules: Rules, hand: CardSet, led: Suit | None, *, first_trick: bool, broken: bool
) -> CardSet:
    """The cards of `hand` that may be played now; `led` is None for the player who leads."""
    if led is None:
        return _legal_leads(rules, hand, first_trick=first_trick, broken=broken)
    following = hand & SUIT_MASK[led]
    if following or not first_trick:
        return following or hand
    return hand & ~rules.barred_first or hand


def _legal_leads(rules: Rules, hand: CardSet, *, first_trick: bool, broken: bool) -> CardSet:
    if first_trick and (openers := hand & _openers(rules)):
        return openers
    quiet = hand & ~_barred_leads(rules, first_trick=first_trick, broken=broken)
    if quiet == QUEEN and rules.hearts_instead_of_queen:
        return hand
    return quiet or hand


def ruled_out(
    rules: Rules, card: Card, led: Suit | None, *, first_trick: bool, broken: bool
) -> CardSet:
    """The cards that the player of `card` did not hold: any of them makes the play illegal."""
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
    barred = _barred_leads(rules, first_trick=first_trick, broken=broken)
    if not barred & bit(card):
        return openers
    # With hearts_instead_of_queen the leader may hold Q♠, if it is the only other card.
    return openers | DECK & ~barred & ~(QUEEN if rules.hearts_instead_of_queen else 0)


def why_illegal(
    rules: Rules, hand: CardSet, card: Card, led: Suit | None, *, first_trick: bool
) -> str:
    """Why an illegal card may not be played from `hand`."""
    if not (is_card(card) and hand & bit(card)):
        return "it is not in the hand"
    if led is not None:
        follows = hand & SUIT_MASK[led]
        return f"must follow {SUIT_NAMES[led]}" if follows else "it is barred from the first trick"
    if first_trick and _openers(rules) & hand:
        return "the 2C opens the hand" if rules.lead_2_clubs else "a club opens the hand"
    if suit_of(card) == HEARTS and rules.must_break_hearts:
        return "hearts are not broken"
    return "it is barred from the first trick"


def _openers(rules: Rules) -> CardSet:
    """The cards that must open a hand if the leader has any of them."""
    return rules.opener if rules.lead_2_clubs else SUIT_MASK[CLUBS] if rules.opener else 0


def _barred_leads(rules: Rules, *, first_trick: bool, broken: bool) -> CardSet:
    """The cards that may not be led while the hand has others."""
    hearts = ALL_HEARTS if rules.must_break_hearts and not broken else 0
    return hearts | (rules.barred_first if first_trick else 0)

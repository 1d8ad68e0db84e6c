"""The pass by heuristic rules in plain Python, without the kernels."""

from hearts.game.cards import (
    CLUBS,
    HEARTS,
    QUEEN_OF_SPADES,
    RANKS,
    SPADES,
    SUIT_MASK,
    Card,
    CardSet,
    bit,
    count,
    members,
    rank_of,
    suit_of,
)
from hearts.game.rules import JACK, PASS_SIZE, QUEEN, PassDirection, Rules

LOW_SPADES: CardSet = SUIT_MASK[SPADES] & (QUEEN - 1)
ENOUGH_GUARDS = 4  # spades below Q♠ with which queen, king and ace may stay
SHORT = 3  # cards of a suit that can be passed completely


def rule_pass(hand: CardSet, direction: PassDirection, rules: Rules) -> CardSet:
    """The three cards of greatest nuisance, chosen one after the other."""
    passed = 0
    for _ in range(PASS_SIZE):
        left = hand & ~passed
        free = PASS_SIZE - count(passed)
        worst = max(members(left), key=lambda card: _nuisance(card, left, free, direction, rules))
        passed |= bit(worst)
    return passed


def _nuisance(
    card: Card, hand: CardSet, free: int, direction: PassDirection, rules: Rules
) -> float:
    """How much better the hand is without a card, in tenths of a point.

    `free` is the number of cards that can still be passed.
    """
    suit = suit_of(card)
    if suit == SPADES:
        return _spade_nuisance(card, hand, direction) if rules.queen_penalty else 0.0
    if rules.jack_bonus and bit(card) == JACK:
        return -20.0
    own = hand & SUIT_MASK[suit]
    below = count(own & (bit(card) - 1))  # with low cards of the suit I can duck
    nuisance = 2.5 * rank_of(card) - 6.0 * below
    if suit == HEARTS:
        return nuisance + (6.0 if below < 2 else 0.0)
    # A void lets me discard on the first lead of the suit; clubs are led first.
    if count(own) <= min(free, SHORT):
        nuisance += 14.0 if suit == CLUBS else 18.0
    return nuisance


def _spade_nuisance(card: Card, hand: CardSet, direction: PassDirection) -> float:
    guards = count(hand & LOW_SPADES)
    if card < QUEEN_OF_SPADES:  # protects against Q♠ in any hand
        return -30.0 + rank_of(card) / RANKS
    if guards >= ENOUGH_GUARDS:
        return -20.0
    if card == QUEEN_OF_SPADES:
        # The left neighbour plays after me, and would play Q♠ on my ace or king.
        over = hand & SUIT_MASK[SPADES] & ~(2 * QUEEN - 1)
        risky = bool(over) and direction is PassDirection.LEFT
        return 60.0 - 10.0 * guards - 15.0 * risky
    return 55.0 - 10.0 * guards + rank_of(card)

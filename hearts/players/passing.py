"""Which three cards to pass, by rules of thumb: no search, no luck."""

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
ENOUGH_GUARDS = 4  # so many spades below the queen let her, or ace and king, stay
SHORT = 3  # a suit of so many cards can be passed away altogether


def rule_pass(hand: CardSet, direction: PassDirection, rules: Rules) -> CardSet:
    """The three cards that are most worth getting rid of, chosen one after the other."""
    passed = 0
    for _ in range(PASS_SIZE):
        left = hand & ~passed
        room = PASS_SIZE - count(passed)
        worst = max(members(left), key=lambda card: _nuisance(card, left, room, direction, rules))
        passed |= bit(worst)
    return passed


def _nuisance(
    card: Card, hand: CardSet, room: int, direction: PassDirection, rules: Rules
) -> float:
    """How much better the hand is without a card, about in points times ten."""
    suit = suit_of(card)
    if suit == SPADES:
        return _spade_nuisance(card, hand, direction) if rules.queen_penalty else 0.0
    if rules.jack_bonus and bit(card) == JACK:
        return -20.0
    own = hand & SUIT_MASK[suit]
    below = count(own & (bit(card) - 1))  # low cards of the suit let me duck with it in the hand
    nuisance = 2.5 * rank_of(card) - 6.0 * below
    if suit == HEARTS:
        return nuisance + (6.0 if below < 2 else 0.0)
    # A suit that can go altogether lets me discard from its first round on; clubs are led first.
    if count(own) <= min(room, SHORT):
        nuisance += 14.0 if suit == CLUBS else 18.0
    return nuisance


def _spade_nuisance(card: Card, hand: CardSet, direction: PassDirection) -> float:
    guards = count(hand & LOW_SPADES)
    if card < QUEEN_OF_SPADES:  # protects against the queen, whoever has her
        return -30.0 + rank_of(card) / RANKS
    if guards >= ENOUGH_GUARDS:
        return -20.0
    if card == QUEEN_OF_SPADES:
        # The left neighbour plays after me, and would lay her on my ace or king.
        over = hand & SUIT_MASK[SPADES] & ~(2 * QUEEN - 1)
        risky = bool(over) and direction is PassDirection.LEFT
        return 60.0 - 10.0 * guards - 15.0 * risky
    return 55.0 - 10.0 * guards + rank_of(card)

"""Cards as small integers, and sets of cards as 64-bit integers.

A card is `suit * 16 + rank`. A set of cards has bit `card` set for each of its cards, so each suit
has its own 16-bit lane, of which 13 bits are used:

    bit   63 … 48   47 … 32   31 … 16   15 … 0
    lane  hearts    spades    diamonds  clubs

The kernels use the same numbers: nothing is converted between Python and compiled code.
"""

from collections.abc import Iterable, Iterator

from hearts.game.errors import InvalidCard

Card = int  # suit * 16 + rank, rank 0 (two) … 12 (ace)
CardSet = int  # bit `card` is set for each card in the set
Suit = int  # CLUBS, DIAMONDS, SPADES or HEARTS

SEATS = 4
RANKS = 13
CLUBS, DIAMONDS, SPADES, HEARTS = range(4)

SUIT_LETTERS = "CDSH"
SUIT_SYMBOLS = "♣♦♠♥"
SUIT_NAMES = ("clubs", "diamonds", "spades", "hearts")
RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")

# All accepted spellings of suits and ranks. Ranks are looked up in upper case. Suits are not,
# because the upper case of ſ (long s) is S, a spade.
_SUITS = {
    symbol: suit
    for spelling in (SUIT_LETTERS, SUIT_LETTERS.lower(), SUIT_SYMBOLS, "♧♢♤♡")
    for suit, symbol in enumerate(spelling)
}
_RANKS = {name: rank for rank, name in enumerate(RANK_NAMES)} | {"T": 8}


def card_of(suit: Suit, rank: int) -> Card:
    """The card of `suit` with `rank` 0 (two) … 12 (ace)."""
    return suit << 4 | rank


def suit_of(card: Card) -> Suit:
    """The suit of a card."""
    return card >> 4


def rank_of(card: Card) -> int:
    """The rank of a card, 0 (two) … 12 (ace)."""
    return card & 15


SUIT_MASK: tuple[CardSet, ...] = tuple(0x1FFF << 16 * suit for suit in range(4))
DECK: CardSet = sum(SUIT_MASK)
ALL_CARDS: tuple[Card, ...] = tuple(
    card_of(suit, rank) for suit in range(4) for rank in range(RANKS)
)

TWO_OF_CLUBS = card_of(CLUBS, 0)
JACK_OF_DIAMONDS = card_of(DIAMONDS, 9)
QUEEN_OF_SPADES = card_of(SPADES, 10)


_NAMES = {card: RANK_NAMES[rank_of(card)] + SUIT_LETTERS[suit_of(card)] for card in ALL_CARDS}
BY_NAME = {name: card for card, name in _NAMES.items()}  # in the usual spelling


def index_of(card: Card) -> int:
    """The position of a card in `ALL_CARDS`, 0 … 51: its index in arrays over the deck."""
    return suit_of(card) * RANKS + rank_of(card)


def is_card(number: int) -> bool:
    """Whether a number is a card: a lane has 16 bits, but only 13 cards."""
    return 0 <= number < 64 and number & 15 < RANKS


def bit(card: Card) -> CardSet:
    """The set of one card."""
    return 1 << card


def parse_card(text: object) -> Card:
    """Read a card: rank, then suit, in any case (`2C`, `10D`, `td`, `Q♠`)."""
    if not isinstance(text, str):
        raise InvalidCard((), f"{text!r} is not a card: a card is a text such as '10D' or 'QS'")
    card = BY_NAME.get(text)  # the usual spelling, which needs no further parsing
    if card is not None:
        return card
    rank, suit = _RANKS.get(text[:-1].upper()), _SUITS.get(text[-1:])
    if rank is None or suit is None:
        reason = f"{text!r} is not a card: write rank then suit, such as '10D' or 'QS'"
        raise InvalidCard((), reason)
    return card_of(suit, rank)


def parse_cards(texts: str | Iterable[object]) -> CardSet:
    """Read different cards from a list, or from one string with spaces between them."""
    result = 0
    for text in texts.split() if isinstance(texts, str) else texts:
        card = bit(parse_card(text))
        if result & card:
            raise InvalidCard((), f"{text} is named twice")
        result |= card
    return result


def name(card: Card) -> str:
    """The name of a card: `2C`, `10D`, `QS`."""
    return _NAMES[card]


def symbol(card: Card) -> str:
    """The name of a card for people: `♠Q`."""
    return SUIT_SYMBOLS[suit_of(card)] + RANK_NAMES[rank_of(card)]


def names(cards: CardSet) -> list[str]:
    """The names of the cards in a set, by suit, from low to high."""
    return [name(card) for card in members(cards)]


def members(cards: CardSet) -> Iterator[Card]:
    """The cards in a set, by suit, from low to high."""
    while cards:
        lowest = cards & -cards
        yield lowest.bit_length() - 1
        cards ^= lowest


def set_of(cards: Iterable[Card]) -> CardSet:
    """The set of the given cards."""
    result = 0
    for card in cards:
        result |= 1 << card
    return result


def count(cards: CardSet) -> int:
    """The number of cards in a set."""
    return cards.bit_count()


def highest(cards: CardSet) -> Card:
    """The highest card of a set in which all cards have the same suit."""
    return cards.bit_length() - 1


def lowest(cards: CardSet) -> Card:
    """The lowest card of a set in which all cards have the same suit."""
    return (cards & -cards).bit_length() - 1

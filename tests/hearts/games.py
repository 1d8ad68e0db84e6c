"""Hands to test with: every rule of interest, random and skewed deals, and games step by step."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hearts.game.cards import (
    ALL_CARDS,
    CLUBS,
    HEARTS,
    QUEEN_OF_SPADES,
    RANKS,
    SEATS,
    TWO_OF_CLUBS,
    CardSet,
    bit,
    card_of,
    members,
    parse_card,
    parse_cards,
    set_of,
    suit_of,
)
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, STANDARD, PassDirection, Rules
from hearts.game.trick import Trick
from hearts.views.view import View

# One set of rules for every way in which the rules change what a play gives away.
VARIANTS: dict[str, Rules] = {
    "standard": STANDARD,
    "passing": PASSING,
    "nothing": Rules.from_mask(0),
    "any club": replace(PASSING, lead_2_clubs=False, lead_clubs=True),
    "free hearts": replace(PASSING, must_break_hearts=False),
    "points at once": replace(PASSING, no_hearts_first_trick=False, no_queen_first_trick=False),
    "queen barred": replace(PASSING, no_hearts_first_trick=False),
    "hearts barred": replace(PASSING, no_queen_first_trick=False),
    "no opener": replace(PASSING, lead_2_clubs=False),
    "quiet queen": replace(PASSING, queen_breaks_hearts=False, hearts_instead_of_queen=True),
}


LONE_QUEEN = {QUEEN_OF_SPADES, *(card_of(CLUBS, rank) for rank in (11, 12))}


def random_hands(rng: np.random.Generator) -> list[CardSet]:
    """Four hands, every deal equally likely."""
    order = rng.permutation(len(ALL_CARDS)).reshape(SEATS, RANKS)
    return [set_of(ALL_CARDS[place] for place in hand) for hand in order]


def skewed_hands(rng: np.random.Generator) -> list[CardSet]:
    """Four hands that random deals hardly show: long suits, a shooter, hands of point cards."""
    kind = int(rng.integers(4))
    weights = {
        0: {card: suit_of(card) for card in ALL_CARDS},  # nearly one suit each
        1: {card: -(card & 15) // 3 for card in ALL_CARDS},  # seat 0 holds the high cards
        2: {card: -9 * _costs(card) for card in ALL_CARDS},  # seat 0 holds nothing but points
        # Seat 0 wins the first tricks with clubs, and then has Q♠ and hearts only.
        3: {card: -8 * _costs(card) - 9 * (card in LONE_QUEEN) for card in ALL_CARDS},
    }[kind]
    noise = {card: float(rng.random()) * (1.5, 2.0, 1.0, 1.0)[kind] for card in ALL_CARDS}
    order = sorted(ALL_CARDS, key=lambda card: weights[card] + noise[card])
    first = int(rng.integers(SEATS))
    hands = [set_of(order[RANKS * seat : RANKS * (seat + 1)]) for seat in range(SEATS)]
    return hands[first:] + hands[:first]


def _costs(card: int) -> bool:
    return suit_of(card) == HEARTS or card == QUEEN_OF_SPADES


def new_deal(
    rules: Rules, direction: PassDirection, rng: np.random.Generator, skewed: bool = False
) -> Deal:
    """A hand, passed at random where the direction says so."""
    hands = skewed_hands(rng) if skewed else random_hands(rng)
    deal = Deal.of(rules, hands, direction, leader=int(rng.integers(SEATS)))
    while deal.passing:
        seat = deal.passes.index(0)
        deal = deal.give(seat, set_of(choose(deal.hands[seat], rng, 3)))
    return deal


def choose(cards: CardSet, rng: np.random.Generator, size: int = 1) -> list[int]:
    """Some cards of a set at random."""
    return [int(card) for card in rng.choice(list(members(cards)), size, replace=False)]


def steps(deal: Deal, rng: np.random.Generator) -> Iterator[Deal]:
    """The deal before every card of a random game, and after the last."""
    while not deal.finished:
        yield deal
        deal = deal.play(*choose(deal.legal, rng))
    yield deal


def finish(deal: Deal, rng: np.random.Generator) -> Deal:
    """The end of a random game."""
    *_, last = steps(deal, rng)
    return last


def trick(leader: int, cards: str = "") -> Trick:
    """A trick from the names of its cards."""
    return Trick(leader, tuple(parse_card(card) for card in cards.split()))


# A view for examples: seat 0 leads 2C; 1 follows, 2 shows out of clubs, 3 follows.
HAND = parse_cards("3C 4C 5D 6D 7D 8S 9S 10S JS 2H 3H 4H")  # seat 0 after the first trick
FIRST = trick(0, "2C 9C 5S KC")  # won by seat 3
BASE = View(seat=0, hand=HAND, trick=trick(3), tricks=(FIRST,))


def one_suit_each(opener: int = 0) -> list[CardSet]:
    """Four hands of one suit each; the clubs are with `opener`."""
    suits = [set_of(card_of(suit, rank) for rank in range(RANKS)) for suit in range(4)]
    assert suits[CLUBS] & bit(TWO_OF_CLUBS)
    return suits[-opener:] + suits[:-opener] if opener else suits

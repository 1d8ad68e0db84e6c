"""Playouts in plain Python, as the docstrings of the kernels describe them, without bit tricks.

The oracle draws the same random numbers as the kernels in the same order, so every card must agree.
"""

from dataclasses import dataclass

from hearts.game.cards import (
    DIAMONDS,
    HEARTS,
    SPADES,
    SUIT_MASK,
    Card,
    bit,
    card_of,
    members,
    rank_of,
    suit_of,
)
from hearts.game.deal import Deal
from hearts.game.rules import Rules
from tests.hearts.kernels.playouts.softmax_oracle import softmax

LOWEST, QUEEN, KING, ACE = (card_of(SPADES, rank) for rank in (0, 10, 11, 12))
JACK = card_of(DIAMONDS, 9)
WORD = (1 << 64) - 1
Roles = tuple[int | None, int | None]  # the suspect, and the seat that tries for the moon


def fold(a: int, b: int) -> int:
    product = a * b
    return (product >> 64 ^ product) & WORD


class Stream:
    """wyrand, as hearts.kernels.core.random has it."""

    def __init__(self, seed: int, index: int) -> None:
        salted = seed ^ 0x8EBC6AF09C88C6E3
        salt = index * 0x589965CC75374CC3 & WORD
        start = self.mix(salted) ^ salt
        self.state = self.mix(start)

    @classmethod
    def at(cls, state: int, fork: int = 0) -> "Stream":
        """The stream with a state, or one of many that start from there."""
        stream = cls.__new__(cls)
        stream.state = state + fork * 0x9E3779B97F4A7C15 & WORD
        return stream

    @staticmethod
    def mix(state: int) -> int:
        return fold(state, state ^ 0xE7037ED1A0B428DB)

    def word(self) -> int:
        self.state = (self.state + 0xA0761D6478BD642F) & WORD
        return self.mix(self.state)


def pick(cards: list[Card], sixteen_bits: int) -> Card:
    return sorted(cards)[sixteen_bits * len(cards) >> 16]


@dataclass
class Table:
    """What a policy may look at when it chooses a card."""

    deal: Deal
    legal: list[Card]
    suspect: int | None
    trying: int | None

    @property
    def rules(self) -> Rules:
        return self.deal.rules

    @property
    def seat(self) -> int:
        assert self.deal.turn is not None
        return self.deal.turn

    @property
    def hand(self) -> list[Card]:
        return list(members(self.deal.hands[self.seat]))

    @property
    def others(self) -> list[Card]:
        hands = self.deal.hands
        return [card for seat in range(4) if seat != self.seat for card in members(hands[seat])]

    @property
    def trick(self) -> tuple[Card, ...]:
        return self.deal.trick.cards

    @property
    def best(self) -> Card:
        return max(card for card in self.trick if suit_of(card) == suit_of(self.trick[0]))

    @property
    def following(self) -> bool:
        return suit_of(self.legal[0]) == suit_of(self.trick[0])

    def penalty(self, card: Card) -> bool:
        if card == QUEEN:
            return self.rules.queen_penalty
        return suit_of(card) == HEARTS and not self.rules.hearts_arent_points

    def free(self) -> bool:
        """Whether the first trick is under way, and penalties are barred from it."""
        hearts = self.rules.no_hearts_first_trick or self.rules.hearts_arent_points
        queen = self.rules.no_queen_first_trick or not self.rules.queen_penalty
        return self.deal.first_trick and hearts and queen

    def queen_out(self) -> bool:
        return self.rules.queen_penalty and any(hand & bit(QUEEN) for hand in self.deal.hands)


def unless_empty(cards: list[Card], unwanted: list[Card]) -> list[Card]:
    return [card for card in cards if card not in unwanted] or cards


def by_rank(card: Card) -> tuple[int, int]:
    return rank_of(card), suit_of(card)


def greedy(table: Table) -> Card:
    if not table.trick:
        return greedy_lead(table)
    return greedy_follow(table) if table.following else greedy_discard(table)


def greedy_lead(table: Table) -> Card:
    if not table.queen_out():
        return min(table.legal, key=by_rank)
    high_spades, low_spades = [QUEEN, KING, ACE], [c for c in table.legal if LOWEST <= c < QUEEN]
    if low_spades and not set(high_spades) & set(table.legal):
        return min(low_spades)
    return min(unless_empty(table.legal, high_spades), key=by_rank)


def greedy_follow(table: Table) -> Card:
    rules, legal, trick = table.rules, table.legal, table.trick
    ducking = [card for card in legal if card < table.best]
    queen = [QUEEN] if rules.queen_penalty else []
    if rules.queen_penalty and QUEEN in ducking:
        return QUEEN
    if (len(trick) == 3 or table.free()) and (not ducking or not costly(table)):
        return max(unless_empty(legal, queen))
    if ducking:
        return max(unless_empty(ducking, [JACK] if rules.jack_bonus else []))
    return min(unless_empty(legal, queen))


def costly(table: Table) -> bool:
    penalties = [card for card in table.trick if table.penalty(card)]
    jack_outweighs = table.rules.jack_bonus and JACK in table.trick and QUEEN not in penalties
    return bool(penalties) and not jack_outweighs


def greedy_discard(table: Table) -> Card:
    legal = table.legal
    if table.rules.queen_penalty and QUEEN in legal:
        return QUEEN
    for card in (ACE, KING):
        if table.queen_out() and card in legal:
            return card
    hearts = [card for card in legal if suit_of(card) == HEARTS and table.penalty(card)]
    if hearts:
        return max(hearts)
    return max(unless_empty(legal, [JACK] if table.rules.jack_bonus else []), key=by_rank)


def winning_leads(hand: list[Card], rest: list[Card]) -> list[Card]:
    result = []
    for suit in range(4):
        mine = [card for card in hand if suit_of(card) == suit]
        theirs = [card for card in rest if suit_of(card) == suit]
        high = [card for card in mine if all(card > other for other in theirs)]
        result += mine if len(high) >= len(theirs) else high
    return result


def strong(hand: list[Card], rest: list[Card]) -> bool:
    losers = len(hand) - len(winning_leads(hand, rest))
    return 4 * losers <= len(hand)


def moon_roles(deal: Deal) -> Roles:
    """The suspect and the seat that tries, when a trick begins or is joined."""
    rules = deal.rules
    if rules.no_shooting or rules.hearts_arent_points:
        return None, None
    assert deal.turn is not None
    counted = SUIT_MASK[HEARTS] | bit(QUEEN)
    taken = [len(list(members(cards & counted))) for cards in deal.taken]
    takers = [seat for seat in range(4) if taken[seat]]
    hands = [list(members(hand)) for hand in deal.hands]

    def seat_is_strong(seat: int) -> bool:
        rest = [card for other in range(4) if other != seat for card in hands[other]]
        return strong(hands[seat], rest)

    if len(takers) == 1:
        owner = takers[0]
        return (owner if taken[owner] >= 4 else None), (owner if seat_is_strong(owner) else None)
    if not takers and not deal.trick.cards and seat_is_strong(deal.turn):
        return None, deal.turn
    return None, None


def shoot(table: Table) -> Card:
    if table.trying == table.seat:
        return try_card(table)
    if table.suspect is not None and table.suspect != table.seat:
        card = stop_card(table)
        if card is not None:
            return card
    return greedy(table)


def harmless(table: Table) -> Card:
    penalties = [card for card in table.legal if table.penalty(card)]
    return min(unless_empty(table.legal, penalties), key=by_rank)


def try_card(table: Table) -> Card:
    if not table.trick:
        sure = [card for card in winning_leads(table.hand, table.others) if card in table.legal]
        return max(sure or table.legal, key=by_rank)
    if not table.following:
        return harmless(table)
    beating = [card for card in table.legal if card > table.best]
    if beating:
        return min(beating) if len(table.trick) == 3 else max(beating)
    return min(table.legal)


def stop_card(table: Table) -> Card | None:
    trick = table.deal.trick
    if not table.trick:
        hearts = [card for card in table.legal if suit_of(card) == HEARTS]
        sure = hearts and all(
            max(hearts) > card for card in table.others if suit_of(card) == HEARTS
        )
        return max(hearts) if sure else None
    assert table.suspect is not None
    to_come, wins = not trick.has_played(table.suspect), trick.winner == table.suspect
    if not table.following:
        return harmless(table) if to_come or wins else None
    beating = [card for card in table.legal if card > table.best]
    if not beating or not any(table.penalty(card) for card in table.trick):
        return None
    if to_come:
        return max(beating)
    return min(beating) if wins else None


HEURISTICS = {"epsilon-greedy": greedy, "shoot-aware": shoot}


def play_out(deal: Deal, policy: str, epsilon: int, stream: Stream) -> list[Card]:
    """The cards of a playout, in order."""
    cards: list[Card] = []
    while not deal.finished:
        roles, tricks, word = moon_roles(deal), len(deal.tricks), stream.word()
        while len(deal.tricks) == tricks:
            cards.append(choose(deal, policy, epsilon, stream, word & 0xFFFF, roles))
            deal, word = deal.play(cards[-1]), word >> 16
    return cards


def choose(
    deal: Deal, policy: str, epsilon: int, stream: Stream, sixteen_bits: int, roles: Roles
) -> Card:
    legal = list(members(deal.legal))
    if policy == "uniform":
        return pick(legal, sixteen_bits)
    if policy == "softmax":
        return softmax(Table(deal, legal, *roles), sixteen_bits)
    if sixteen_bits < epsilon:
        return pick(legal, stream.word() & 0xFFFF)
    return HEURISTICS[policy](Table(deal, legal, *roles))

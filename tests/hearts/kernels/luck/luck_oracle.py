"""Hands of a focus player against a policy, and a plain reading of the kernels about luck."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from hearts.arena.referee import Referee
from hearts.engine.bridge.policies import POLICIES
from hearts.engine.bridge.state import rules_word
from hearts.game.cards import SEATS
from hearts.game.deal import Deal, moments
from hearts.game.rules import PASSING, PassDirection
from hearts.players.player import Player
from hearts.players.reading import Reading
from hearts.players.registry import shared_player
from hearts.players.shooter import ShooterPlayer, losers
from hearts.players.spec import Spec
from hearts.views.view import View

SEATINGS = ((0,), (2,), (1, 3), (0, 1), (0, 2, 3))
OTHERS = ("duck", "cautious", "guard", "shooter")


class Determined(ShooterPlayer):
    """Tries to take all tricks with any hand."""

    patience = 100


@dataclass(frozen=True)
class Hand:
    """A finished hand of `random` in the focus seats, against a policy."""

    deal: Deal
    seats: tuple[int, ...]
    others: str

    @property
    def focus(self) -> np.ndarray:
        return np.array([seat in self.seats for seat in range(SEATS)])

    def codes(self, proxy: int) -> np.ndarray:
        return np.where(self.focus, proxy, POLICIES[self.others].code).astype(np.int64)

    @property
    def start(self) -> tuple[int, int]:
        """The direction of the pass and the leader."""
        return int(self.deal.direction), self.deal.tricks[0].leader

    @property
    def dealt(self) -> np.ndarray:
        return np.array(self.deal.dealt, dtype=np.uint64)

    @property
    def passed(self) -> np.ndarray:
        return np.array(self.deal.passes, dtype=np.uint64)

    @property
    def plays(self) -> np.ndarray:
        return np.array([card for _, card in self.deal.plays], dtype=np.uint8)

    @property
    def rules(self) -> np.uint64:
        return rules_word(self.deal.rules)

    def players(self, own: Player) -> list[Player]:
        """`own` in the focus seats, the others elsewhere."""
        other = shared_player(Spec(self.others))
        return [own if seat in self.seats else other for seat in range(SEATS)]

    def positions(self) -> list[Deal]:
        """The deal before each card."""
        return [now for now, _, _ in moments(self.deal) if not now.passing]


@cache
def hands(number: int = 20) -> tuple[Hand, ...]:
    """Hands in all directions, seatings and with all others."""
    found = []
    for seed in range(number):
        rng = np.random.default_rng(seed)
        deal = Deal.random(PASSING, PassDirection(seed % SEATS), rng, leader=seed % SEATS)
        seats, others = SEATINGS[seed % len(SEATINGS)], OTHERS[seed // 2 % len(OTHERS)]
        hand = Hand(deal, seats, others)
        played = Referee(hand.players(shared_player(Spec("random")))).play(deal, seed)
        found.append(Hand(played, seats, others))
    return tuple(found)


def card_of(deal: Deal, players: Sequence[Player]) -> int:
    """The card that is played next."""
    seat = deal.trick.turn
    if not deal.legal & (deal.legal - 1):
        return deal.legal.bit_length() - 1
    return players[seat].choose_card(View.of(deal, seat, checked=False), 0)


def played_on(deal: Deal, players: Sequence[Player]) -> Deal:
    """The deal at its end."""
    while not deal.finished:
        deal = deal.play(card_of(deal, players))
    return deal


def next_choice(deal: Deal, hand: Hand) -> Deal:
    """The next position in which a focus seat has a choice, or the end."""
    players = hand.players(shared_player(Spec("random")))
    while not deal.finished and not (
        deal.trick.turn in hand.seats and deal.legal & (deal.legal - 1)
    ):
        deal = deal.play(card_of(deal, players))
    return deal


def difference(deal: Deal, seats: Sequence[int]) -> int:
    """Mean of the focus seats minus mean of the others, in twelfths."""
    points = deal.final_points()
    own = [points[seat] for seat in seats]
    others = [points[seat] for seat in range(SEATS) if seat not in seats]
    return round(12 * (sum(own) / len(own) - sum(others) / len(others)))


def shooter_of(deal: Deal, seats: Sequence[int]) -> tuple[int, int] | None:
    """The focus seat with the fewest losers that can shoot the moon, and their number."""
    found = []
    for seat in seats:
        view = View.of(deal, seat, checked=False)
        if deal.hands[seat] and not any(view.points[other] > 0 for other in view.others):
            reading = Reading(view)
            found.append((sum(losers(reading, suit) for suit in range(4)), seat))
    return (min(found)[1], min(found)[0]) if found else None


def choices(hand: Hand) -> Iterator[Deal]:
    """The positions in which a focus seat has a choice."""
    for deal in hand.positions():
        if deal.trick.turn in hand.seats and deal.legal & (deal.legal - 1):
            yield deal

"""The referee: plays hands, checks every answer of a player, and counts faults.

An illegal, late or failed answer is a fault: it is counted, and a random legal card is played. A
forced card is played without asking. A player in this process that is late blocks the hand until it
answers; remote players and programs are cut off.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import index
from time import perf_counter, process_time
from typing import NamedTuple

from hearts.arena.seeds import FAULT, PASS, derive_seed
from hearts.game.cards import ALL_CARDS, RANKS, SEATS, CardSet, bit, count, is_card
from hearts.game.deal import Deal, past_hands
from hearts.game.match import Match
from hearts.game.rules import PASS_SIZE
from hearts.game.scoring import NO_SCORES, Points, points_of
from hearts.players.player import Player, PlayerTimeout
from hearts.players.random import any_card, any_pass
from hearts.views.view import View

ViewOf = Callable[[Deal, int], View]  # the view of a seat, with the match so far
ILLEGAL, TIMEOUT, ERROR = ("illegal", "timeout", "error")
DIGITS = 4  # decimals of a prediction


class Prediction(NamedTuple):
    """What a seat expected of the moon after a card that it chose."""

    seat: int
    play: int  # the number of the card among those of the hand, 0 … 51
    made: float  # the probability that it shoots the moon
    conceded: float  # the probability that another seat does

    @property
    def tricks_left(self) -> int:
        """The tricks of the hand that were not over, the current one included."""
        return RANKS - self.play // SEATS


@dataclass
class Spending:
    """What one seat spent on its decisions; comparison ignores the times."""

    moves: int = 0  # cards and passes that it was asked for
    simulations: int = 0
    faults: dict[str, int] = field(default_factory=dict)  # by kind
    seconds: float = field(default=0.0, compare=False)  # wall time
    cpu_seconds: float = field(default=0.0, compare=False)  # of this process

    def fault(self, kind: str) -> None:
        """Count a fault."""
        self.faults[kind] = self.faults.get(kind, 0) + 1

    def add(self, other: "Spending") -> None:
        """Add the spending of other decisions."""
        self.moves += other.moves
        self.simulations += other.simulations
        self.seconds += other.seconds
        self.cpu_seconds += other.cpu_seconds
        for kind, times in other.faults.items():
            self.faults[kind] = self.faults.get(kind, 0) + times


class Referee:
    """Plays hands among four players; `spending` counts by seat over all hands."""

    def __init__(self, players: Sequence[Player], limit: float = 30.0) -> None:
        self.players = tuple(players)
        self.limit = limit  # seconds that a decision may take
        self.spending = tuple(Spending() for _ in range(SEATS))
        # What the players of the last hand expected of the moon, in the order of their cards.
        self.predictions: list[Prediction] = []

    def play(
        self,
        deal: Deal,
        seed: int,
        match_scores: tuple[int, ...] = NO_SCORES,
        earlier: Sequence[Deal] = (),
    ) -> Deal:
        """Play a new hand to its end; the seeds of its decisions derive from `seed`.

        `earlier` are the finished hands of the match.
        """
        self.predictions.clear()
        past = past_hands(earlier)
        view_of = partial(View.of, match_scores=match_scores, earlier=past, checked=False)
        for seat in range(SEATS) if deal.passing else ():
            deal = deal.give(seat, self._pass(deal, seat, seed, view_of))
        for number in range(len(ALL_CARDS)):
            deal = deal.play(self._card(deal, number, seed, view_of))
        return deal

    def play_match(
        self, next_deal: Callable[[Match], Deal], match: Match, seed: int
    ) -> list[tuple[Deal, Points]]:
        """Play a match to its target score; return the hands with their points."""
        hands: list[tuple[Deal, Points]] = []
        while not match.finished:
            scores = match.scores
            past = [hand for hand, _ in hands]
            deal = self.play(next_deal(match), derive_seed(seed, len(hands)), scores, past)
            hands.append((deal, points_of(deal, scores)))
            match = match.add(hands[-1][1])
        return hands

    def _card(self, deal: Deal, number: int, seed: int, view_of: ViewOf) -> int:
        legal, seat = deal.legal, deal.trick.turn
        if not legal & (legal - 1):
            return legal.bit_length() - 1
        decision = derive_seed(seed, seat, number)
        player, view = self.players[seat], view_of(deal, seat)
        player.show(deal)
        card = self._ask(seat, lambda: player.choose_card(view, decision))
        if card is not None and is_card(card) and legal & bit(card):
            self._note(player, seat, number)
            return card
        if card is not None:
            self.spending[seat].fault(ILLEGAL)
        return any_card(legal, derive_seed(seed, seat, number + FAULT))

    def _note(self, player: Player, seat: int, number: int) -> None:
        """Keep what a player expects of the moon after the card that it chose."""
        if player.expected_moons is not None:
            chances = (round(each, DIGITS) for each in player.expected_moons)
            self.predictions.append(Prediction(seat, number, *chances))

    def _pass(self, deal: Deal, seat: int, seed: int, view_of: ViewOf) -> CardSet:
        decision, hand = derive_seed(seed, seat, PASS), deal.dealt[seat]
        player, view = self.players[seat], view_of(deal, seat)
        player.show(deal)
        cards = self._ask(seat, lambda: player.choose_pass(view, decision))
        if cards is not None and not cards & ~hand and count(cards) == PASS_SIZE:
            return cards
        if cards is not None:
            self.spending[seat].fault(ILLEGAL)
        return any_pass(hand, derive_seed(seed, seat, PASS + FAULT))

    def _ask(self, seat: int, question: Callable[[], int]) -> int | None:
        """The answer of a player; None, with a fault counted, if it is late or failed."""
        player, spent = self.players[seat], self.spending[seat]
        simulations, cpu, start = player.simulations, process_time(), perf_counter()
        answer: int | None = None
        try:
            answer = index(question())
        except PlayerTimeout:
            spent.fault(TIMEOUT)
        except Exception:  # an error of one player must not end the hand
            spent.fault(ERROR)
        seconds = perf_counter() - start
        spent.moves += 1
        spent.seconds += seconds
        spent.cpu_seconds += process_time() - cpu
        spent.simulations += player.simulations - simulations
        if answer is not None and seconds > self.limit:
            answer = None
            spent.fault(TIMEOUT)
        return answer

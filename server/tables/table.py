"""A table: a match that the service deals and referees, folded from its events.

    deal   {"dealt", "pass_direction", "leader", "commitment", "nonce"}    a hand begins
    pass   {"cards"}     play   {"card"}     claim   {}                    a seat has moved

A `Table` never changes. `after` folds events that have happened; `give`, `play`, `claim` and
`next_hand` check what a seat wants and return the events that follow from it: none where the very
same move has been made already, so that it may safely be sent twice. No database, no web, no clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, reduce

from hearts.game.cards import SEATS, Card, CardSet, members, name, names, parse_card, parse_cards
from hearts.game.deal import Deal
from hearts.game.match import Match
from hearts.game.rules import ALL_HEARTS, JACK, QUEEN, PassDirection, Rules, moon_shooter
from hearts.game.scoring import Points, points_of
from server.storage.values import Event
from server.tables.fairness import Shuffle, commitment

PASSING, PLAYING, HAND_OVER, FINISHED = PHASES = ("passing", "playing", "hand_over", "finished")


class NotNow(Exception):
    """A move that is none of the table's present: it is not the seat's turn, or no longer."""


@dataclass(frozen=True)
class Occupant:
    """Who sits at a seat."""

    kind: str  # "human" or "engine"
    name: str
    level: str | None = None  # of an engine that plays at one

    @property
    def is_human(self) -> bool:
        """Whether the moves of this seat come from outside."""
        return self.kind == "human"


@dataclass(frozen=True)
class Hand:
    """One hand of the match, and what was promised about it."""

    number: int
    deal: Deal
    commitment: str
    nonce: str
    begins: int  # the table's version once it was dealt
    scores: Points  # of the match, before this hand
    claimed_by: int | None = None

    @property
    def finished(self) -> bool:
        """Whether all cards are played."""
        return self.deal.finished

    @cached_property
    def points(self) -> Points:
        """What the finished hand costs each seat; a shooter who may choose does what is best."""
        return points_of(self.deal, self.scores)

    @cached_property
    def decided(self) -> bool:
        """Whether everybody can see that no card still to be played changes anybody's points."""
        return is_decided(self.deal)

    @property
    def waiting_for(self) -> list[int]:
        """The seats that are to move."""
        if self.deal.passing:
            return [seat for seat in range(SEATS) if not self.deal.passes[seat]]
        return [] if self.deal.turn is None else [self.deal.turn]

    def cards_of(self, seat: int) -> set[Card]:
        """What a seat has played so far."""
        return {card for player, card in self.deal.plays if player == seat}

    def has_moved(self, seat: int) -> bool:
        """Whether a seat has passed or played in this hand."""
        return bool(self.deal.passes[seat] or self.cards_of(seat))


@dataclass(frozen=True)
class Table:
    """A match at some moment."""

    id: str
    rules: Rules  # the target score is one of them
    players: tuple[Occupant, ...]
    name: str = ""
    open: bool = False  # everybody sees all cards
    pace_ms: int = 0  # least time between two moves of ours
    seed: int | None = None  # deals are a function of it, where it is given
    version: int = 0  # how many events have happened
    done: tuple[Hand, ...] = ()  # the finished hands
    hand: Hand | None = None  # the last one that was dealt

    @property
    def seated(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(seat for seat, player in enumerate(self.players) if player.is_human)

    @cached_property
    def match(self) -> Match:
        """The points of the finished hands."""
        return Match(self.rules, tuple(hand.points for hand in self.done))

    @property
    def current(self) -> Hand:
        """The hand on the table; there is one from the first event on."""
        assert self.hand is not None
        return self.hand

    @property
    def phase(self) -> str:
        """What the table waits for."""
        if self.hand is None or self.hand.finished:
            return FINISHED if self.match.finished else HAND_OVER
        return PASSING if self.hand.deal.passing else PLAYING

    @property
    def claimable(self) -> bool:
        """Whether the hand may end here."""
        return self.phase == PLAYING and self.current.decided

    def after(self, events: Iterable[Event]) -> Table:
        """The table once these have happened."""
        return reduce(Table._step, events, self)

    # What seats want

    def give(self, seat: int, cards: CardSet, version: int | None = None) -> list[Event]:
        """A seat passes three cards."""
        hand = self.current
        if hand.deal.passes[seat] and hand.deal.passes[seat] == cards:
            return []
        self._check_phase(PASSING, "cards are passed")
        if hand.deal.passes[seat]:
            raise NotNow(f"seat {seat} has passed already")
        # Passes are made at the same time: those of others make nobody's version old.
        self._check_version(version, hand.begins)
        hand.deal.give(seat, cards)
        return [Event("pass", hand.number, seat, {"cards": names(cards)})]

    def play(self, seat: int, card: Card, version: int | None = None) -> list[Event]:
        """A seat plays a card."""
        hand = self.current
        if card in hand.cards_of(seat):
            return []
        self._check_phase(PLAYING, "cards are played")
        if hand.deal.turn != seat:
            raise NotNow(f"seat {hand.deal.turn} is to play, not seat {seat}")
        self._check_version(version, self.version)
        hand.deal.play(card, seat)
        return [_played(hand, seat, card)]

    def claim(self, seat: int | None) -> list[Event]:
        """A seat ends a hand in which no points are left; its cards are laid down, lowest first.

        They are played out by the rules, so that a finished hand always has all its cards.
        """
        if self.phase in (HAND_OVER, FINISHED):
            return []
        if not self.claimable:
            raise NotNow("the hand goes on: somebody's points may still change")
        hand = self.current
        events, deal = [Event("claim", hand.number, seat, {})], hand.deal
        while deal.turn is not None:
            turn, card = deal.turn, next(members(deal.legal))
            events.append(_played(hand, turn, card))
            deal = deal.play(card)
        return events

    def next_hand(self, seat: int | None, shuffle: Shuffle) -> list[Event]:
        """A seat, or nobody in particular, wants the next hand to be dealt."""
        hand = self.hand
        if self.phase == FINISHED:
            raise NotNow("the match is over")
        if hand is not None and not hand.finished:
            if hand.number and seat is not None and not hand.has_moved(seat):
                return []  # somebody else was quicker
            raise NotNow("the hand is not over")
        number = len(self.done)
        body = {
            "dealt": [names(cards) for cards in shuffle.dealt],
            "pass_direction": self.match.direction.label,
            "leader": number % SEATS,  # counts under rules in which no card decides who opens
            "commitment": commitment(self.id, number, shuffle.dealt, shuffle.nonce),
            "nonce": shuffle.nonce,
        }
        return [Event("deal", number, seat, body)]

    def _check_phase(self, phase: str, what: str) -> None:
        if self.phase != phase:
            raise NotNow(f"this is not when {what}: the phase is {self.phase}")

    def _check_version(self, version: int | None, oldest: int) -> None:
        """Refuse a move that was meant for an earlier moment."""
        if version is not None and not oldest <= version <= self.version:
            raise NotNow(f"the table is at version {self.version}, not {version}")

    # What has happened

    def _step(self, event: Event) -> Table:
        moved = replace(self, version=self.version + 1)
        if event.kind == "deal":
            return moved._dealt(event)
        hand = self.current
        if event.hand != hand.number:
            raise NotNow(f"hand {event.hand} is not on the table: hand {hand.number} is")
        if event.kind == "claim":
            return replace(moved, hand=replace(hand, claimed_by=event.seat))
        assert event.seat is not None
        if event.kind == "pass":
            deal = hand.deal.give(event.seat, parse_cards(event.body["cards"]))
        else:
            deal = hand.deal.play(parse_card(event.body["card"]), event.seat)
        hand = replace(hand, deal=deal)
        return replace(moved, hand=hand, done=(*self.done, hand) if hand.finished else self.done)

    def _dealt(self, event: Event) -> Table:
        dealt = [parse_cards(cards) for cards in event.body["dealt"]]
        direction = PassDirection.parse(event.body["pass_direction"])
        hand = Hand(
            number=event.hand,
            deal=Deal.of(self.rules, dealt, direction, event.body["leader"]),
            commitment=event.body["commitment"],
            nonce=event.body["nonce"],
            begins=self.version,
            scores=self.match.scores,
        )
        return replace(self, hand=hand)


def is_decided(deal: Deal) -> bool:
    """Whether no card still to be played changes anybody's points, by what everybody has seen.

    Every card that costs, is worth or makes a moon is taken; and where who takes no trick is
    rewarded, everybody has one, or a moon has been shot. Hidden cards are not looked at: the answer
    may be shown to all.
    """
    rules, taken = deal.rules, deal.taken
    hearts = 0 if rules.hearts_arent_points else ALL_HEARTS
    counting = hearts | QUEEN * rules.queen_penalty | JACK * rules.jack_bonus | rules.moon_cards
    if counting & ~(taken[0] | taken[1] | taken[2] | taken[3]):
        return False
    return not rules.no_trick_bonus or all(taken) or moon_shooter(rules, taken) is not None


def _played(hand: Hand, seat: int, card: Card) -> Event:
    return Event("play", hand.number, seat, {"card": name(card)})

"""A live table: a match that the service deals and referees, folded from its events.

A `Table` never changes. `after` folds events that have happened, through the state machine that
posted games use too; a table adds versions, commitments and claims. `give`, `play`, `claim` and
`next_hand` check a seat's request and return the events that follow from it: none where the same
move has been made already, so that a client may safely repeat it. They raise Conflict for a move
that the table does not wait for, and RejectedMove for one that the rules forbid. There is no
database, no web framework and no clock here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, reduce

from hearts.game.cards import SEATS, Card, CardSet, members, names
from hearts.game.deal import Deal
from hearts.game.match import Match
from hearts.game.rules import Rules, moon_shooter
from hearts.game.scoring import Points
from server.games.events.state_machine import (
    FINISHED,
    HAND_OVER,
    PASSING,
    PLAYING,
    GameState,
    HandState,
)
from server.runtime.errors import Conflict, RejectedMove
from server.storage.events import ClaimEvent, DealEvent, Event, PassEvent, PlayEvent
from server.tables.fairness import Shuffle, commitment


@dataclass(frozen=True)
class Occupant:
    """The player of a seat."""

    kind: str  # "human" or "engine"
    name: str
    level: str | None = None  # of an engine that plays at one
    joined: bool = True  # False: a person's seat whose invitation nobody has accepted yet

    @property
    def is_human(self) -> bool:
        """Whether the moves of this seat come from outside."""
        return self.kind == "human"


@dataclass(frozen=True)
class Hand:
    """One hand of the match: its state, its commitment, and who claimed it."""

    state: HandState
    commitment: str
    nonce: str
    begins: int  # the table's version once it was dealt
    claimed_by: int | None = None
    ends: int | None = None  # the table's version once it was finished

    @property
    def number(self) -> int:
        """The number of the hand in its match, from 0."""
        return self.state.number

    @property
    def deal(self) -> Deal:
        """The cards: dealt, passed and played."""
        return self.state.deal

    @property
    def scores(self) -> Points:
        """The scores of the match before this hand."""
        return self.state.scores

    @property
    def finished(self) -> bool:
        """Whether all cards are played."""
        return self.state.finished

    @property
    def points(self) -> Points:
        """The points of the finished hand; a shooter who may choose does what is best."""
        assert self.state.final_points is not None
        return self.state.final_points

    @property
    def waiting_for(self) -> list[int]:
        """The seats that are to move."""
        return self.state.waiting_for

    @cached_property
    def decided(self) -> bool:
        """Whether everybody can see that no card still to be played changes anybody's points."""
        return is_decided(self.deal)

    def cards_of(self, seat: int) -> set[Card]:
        """The cards that a seat has played so far."""
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
    private: bool = False  # only its players, its owner and its watch token show it
    version: int = 0  # how many events have happened
    done: tuple[Hand, ...] = ()  # the finished hands
    hand: Hand | None = None  # the last one that was dealt

    @property
    def seated(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(seat for seat, player in enumerate(self.players) if player.is_human)

    @property
    def revision(self) -> int:
        """How many events have happened and people have joined: it grows with every change."""
        return self.version + sum(player.is_human and player.joined for player in self.players)

    @cached_property
    def match(self) -> Match:
        """The points of the finished hands."""
        return Match(self.rules, tuple(hand.points for hand in self.done))

    @cached_property
    def game(self) -> GameState:
        """The state of the match, which says which event may come next."""
        hand = None if self.hand is None else self.hand.state
        return GameState(self.rules, self.rules.target_score, self.match.scores, hand)

    @property
    def current(self) -> Hand:
        """The hand on the table; there is one from the first event on."""
        assert self.hand is not None
        return self.hand

    @property
    def phase(self) -> str:
        """What the table waits for."""
        return self.game.phase

    @property
    def claimable(self) -> bool:
        """Whether the hand may end here."""
        return self.phase == PLAYING and self.current.decided

    def after(self, events: Iterable[Event]) -> Table:
        """The table after some events."""
        return reduce(Table._after, events, self)

    def give(self, seat: int, cards: CardSet, version: int | None = None) -> list[Event]:
        """Pass three cards of a seat."""
        hand = self.current
        if hand.deal.passes[seat] and hand.deal.passes[seat] == cards:
            return []
        self._check_phase(PASSING, "cards are passed")
        if hand.deal.passes[seat]:
            raise self._conflict(f"seat {seat} has passed already")
        # Seats pass at the same time: the pass of another seat makes no version old.
        self._check_version(version, hand.begins)
        return self._checked(PassEvent(hand.number, seat, cards))

    def play(self, seat: int, card: Card, version: int | None = None) -> list[Event]:
        """Play a card of a seat."""
        hand = self.current
        if card in hand.cards_of(seat):
            return []
        self._check_phase(PLAYING, "cards are played")
        if hand.deal.turn != seat:
            raise self._conflict(f"seat {hand.deal.turn} is to play, not seat {seat}")
        self._check_version(version, self.version)
        return self._checked(PlayEvent(hand.number, seat, card))

    def claim(self, seat: int | None) -> list[Event]:
        """End a decided hand: the rest is played out by the rules, the lowest legal cards first.

        So a finished hand always has all its cards.
        """
        if self.phase in (HAND_OVER, FINISHED):
            return []
        if not self.claimable:
            raise self._conflict("the hand goes on: somebody's points may still change")
        number, deal = self.current.number, self.current.deal
        events: list[Event] = [ClaimEvent(number, seat)]
        while deal.turn is not None:
            turn, card = deal.turn, next(members(deal.legal))
            events.append(PlayEvent(number, turn, card))
            deal = deal.play(card)
        return events

    def next_hand(self, seat: int | None, shuffle: Shuffle) -> list[Event]:
        """Deal the next hand, for a seat or for nobody in particular."""
        hand = self.hand
        if self.phase == FINISHED:
            raise self._conflict("the match is over")
        if hand is not None and not hand.finished:
            if hand.number and seat is not None and not hand.has_moved(seat):
                return []  # another seat asked first
            raise self._conflict("the hand is not over")
        number = len(self.done)
        deal = DealEvent(
            hand=number,
            dealt=shuffle.dealt,
            direction=self.match.direction,
            leader=number % SEATS,  # counts under rules without an opening card
            seat=seat,
            commitment=commitment(self.id, number, shuffle.dealt, shuffle.nonce),
            nonce=shuffle.nonce,
        )
        return [deal]

    def _checked(self, event: PassEvent | PlayEvent) -> list[Event]:
        """The event, if the rules allow it."""
        try:
            self.game.after(event)
        except RejectedMove as error:
            deal = self.current.deal
            legal = names(deal.legal) if deal.turn == event.seat else []
            raise RejectedMove(error.reason, field=error.field, legal_cards=legal) from None
        return [event]

    def _conflict(self, reason: str) -> Conflict:
        return Conflict(reason, version=self.version)

    def _check_phase(self, phase: str, what: str) -> None:
        if self.phase != phase:
            raise self._conflict(f"this is not when {what}: the phase is {self.phase}")

    def _check_version(self, version: int | None, oldest: int) -> None:
        """Refuse a move that was meant for an earlier moment."""
        if version is not None and not oldest <= version <= self.version:
            raise self._conflict(f"the table is at version {self.version}, not {version}")

    def _after(self, event: Event) -> Table:
        state, version = self.game.after(event).current, self.version + 1
        if isinstance(event, DealEvent):
            assert event.commitment is not None
            assert event.nonce is not None
            hand = Hand(state, event.commitment, event.nonce, begins=version)
        elif isinstance(event, ClaimEvent):
            hand = replace(self.current, claimed_by=event.seat)
        else:
            hand = replace(self.current, state=state)
        if not hand.finished:
            return replace(self, version=version, hand=hand)
        hand = replace(hand, ends=version)
        return replace(self, version=version, hand=hand, done=(*self.done, hand))

    def done_since(self, version: int | None) -> tuple[Hand, ...]:
        """The hands that finished after a version; None: all finished hands."""
        if version is None:
            return self.done
        return tuple(hand for hand in self.done if (hand.ends or 0) > version)


def is_decided(deal: Deal) -> bool:
    """Whether no card still to be played changes anybody's points, by what everybody has seen.

    All cards that score or count for a moon are taken; under rules that reward a seat without
    tricks, every seat has one or a moon has been shot. The answer depends on no hidden card, so it
    may be shown to all.
    """
    rules, taken = deal.rules, deal.taken
    counting = rules.point_cards | rules.moon_cards
    if counting & ~(taken[0] | taken[1] | taken[2] | taken[3]):
        return False
    return not rules.no_trick_bonus or all(taken) or moon_shooter(rules, taken) is not None

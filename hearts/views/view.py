"""What one seat knows of a hand: full when every trick is given, partial when only the present is.

A view is replayed when it is made. What cannot have happened raises ImpossibleView, with the field
and the reason; turn, voids, broken hearts, points, legal cards are derived, never stored. For a
full view the checks are exact: it is accepted if, and only if, some deal and legal play lead to it.

A *partial* view has fewer than 13 cards and no completed trick: the seats hold as many cards as the
hand says (one less where they have played to the current trick), and of the unseen cards `gone` are
out of play, which ones is unknown. It is never the first trick then. Claims are believed where
nothing seen speaks against them (see `claims`); without a claim hearts count as broken when a
breaking card is seen, or the points claimed need one.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from hearts.game.cards import DECK, RANKS, SEATS, SUIT_MASK, CardSet, count, name, names
from hearts.game.errors import ImpossibleView
from hearts.game.rules import (
    STANDARD,
    PassDirection,
    Rules,
    legal_plays,
    points_in,
)
from hearts.game.trick import Hands, PastHands, Trick, taken_in
from hearts.views import claims
from hearts.views import feasibility as holders
from hearts.views.fields import check_fields
from hearts.views.history import Play, denied_hands, plays_of, shown_hands

NO_SCORES = (0,) * SEATS


@dataclass(frozen=True)
class View:
    """One seat's knowledge; every field but the first three has a default."""

    seat: int
    hand: CardSet  # the cards held now; as dealt while cards are passed
    trick: Trick  # the current trick, perhaps empty: then its leader is to play
    tricks: tuple[Trick, ...] = ()  # all completed tricks, or none: a partial view
    rules: Rules = STANDARD
    direction: PassDirection = PassDirection.HOLD  # says whether cards were passed, and to whom
    passed: CardSet = 0  # what this seat gave; 0 where unknown
    received: CardSet = 0  # what it got; 0 where unknown
    match_scores: tuple[int, ...] = NO_SCORES  # before this hand
    earlier: PastHands = ()  # of this match, the oldest first, as everybody saw them
    passing: bool = False  # cards are still to be passed: nobody leads, whatever `trick` says
    # Claims, for views without history; beside a full history they are compared with it.
    won: Hands | None = None  # cards that each seat has won, as far as known
    hearts_broken: bool | None = None
    points_claim: tuple[int, ...] | None = None  # points of each seat in this hand so far

    @classmethod
    def trusted(cls, **known: Any) -> "View":
        """A view of fields that need no check, and of facts derived from them, as far as known.

        For a referee, which has checked every card itself: thirteen tricks are not replayed for
        each of 52 cards.
        """
        view = object.__new__(cls)
        view.__dict__.update(known)
        return view

    def __post_init__(self) -> None:
        check_fields(self)
        self._check_deal_exists()
        for number, tricks in enumerate(self.earlier):
            check_hand(f"earlier[{number}]", self.rules, tricks)

    @cached_property
    def plays(self) -> tuple[Play, ...]:
        """Every card on the table so far, in order."""
        return tuple(plays_of((*self.tricks, self.trick)))

    @cached_property
    def round_size(self) -> int:
        """How many cards each seat had when the current trick began."""
        return count(self.hand) + self.trick.has_played(self.seat)

    @cached_property
    def partial(self) -> bool:
        """Whether earlier tricks exist that are not given."""
        return self.round_size + len(self.tricks) < RANKS

    @property
    def finished(self) -> bool:
        """Whether the hand is over."""
        return self.round_size == 0

    @property
    def turn(self) -> int | None:
        """The seat to play, None while cards are passed and when the hand is over."""
        return None if self.passing or self.finished else self.trick.turn

    @property
    def to_move(self) -> bool:
        """Whether this seat is to play."""
        return self.turn == self.seat

    @property
    def first_trick(self) -> bool:
        """Whether the current trick is the first of the hand."""
        return self.round_size == RANKS

    @property
    def receiver(self) -> int:
        """The seat that got what this seat passed."""
        return (self.seat + self.direction) % SEATS

    @cached_property
    def others(self) -> tuple[int, ...]:
        """The other seats, in order of play after this one."""
        return tuple((self.seat + step) % SEATS for step in range(1, SEATS))

    @cached_property
    def played(self) -> CardSet:
        """Every card known to be out of the hands: tricks, table, and cards said to be won."""
        cards = self.trick.cards_set
        for trick in self.tricks:
            cards |= trick.cards_set
        for won in self.won or ():
            cards |= won
        return cards

    @cached_property
    def unseen(self) -> CardSet:
        """The cards neither in this hand nor seen; in a partial view some of them are gone."""
        return DECK & ~self.hand & ~self.played

    @cached_property
    def hand_sizes(self) -> tuple[int, ...]:
        """How many cards each seat holds."""
        return tuple(self.round_size - self.trick.has_played(seat) for seat in range(SEATS))

    @cached_property
    def gone(self) -> int:
        """How many of the unseen cards are out of play; 0 unless the view is partial."""
        return count(self.unseen) + count(self.hand) - sum(self.hand_sizes)

    @cached_property
    def broken(self) -> bool:
        """Whether hearts are broken; unknown counts as not broken."""
        if self.played & self.rules.heart_breakers:
            return True
        return self.partial and claims.broken_by_claim(self)

    @cached_property
    def legal(self) -> CardSet:
        """The cards that this seat may play now, 0 unless it is to move."""
        if not self.to_move:
            return 0
        return legal_plays(
            self.rules, self.hand, self.trick.led, first_trick=self.first_trick, broken=self.broken
        )

    @cached_property
    def taken(self) -> Hands:
        """The cards that each seat has won, as far as known."""
        return self.won or (0,) * SEATS if self.partial else taken_in(self.tricks)

    @cached_property
    def points(self) -> tuple[int, ...]:
        """The points of each seat so far, without moons and bonuses for no trick."""
        return claims.believed_points(self) if self.partial else self.taken_points

    @cached_property
    def taken_points(self) -> tuple[int, ...]:
        """What the cards known to be taken cost each seat."""
        return tuple(points_in(self.rules, cards) for cards in self.taken)

    @cached_property
    def denied(self) -> Hands:
        """For each seat what its plays, the pass and the opening rule out, before any counting."""
        return denied_hands(self)

    @cached_property
    def shown(self) -> Hands:
        """For each seat what the whole table knows it not to hold, before any counting."""
        return shown_hands(self)

    @cached_property
    def may_hold(self) -> list[CardSet]:
        """The unseen cards not ruled out for each of the others, then for the pile of cards gone.

        Before any counting, and before any claim.
        """
        allowed = [self.unseen & ~self.denied[seat] for seat in self.others]
        return [*allowed, self.unseen if self.gone else 0]

    @cached_property
    def rooms(self) -> list[int]:
        """How many cards each of the others holds, and how many are gone."""
        return [*(self.hand_sizes[seat] for seat in self.others), self.gone]

    @cached_property
    def still_held(self) -> CardSet:
        """The unseen cards that cannot be gone, by the claims that are believed."""
        return claims.still_held(self)

    @cached_property
    def possible(self) -> Hands:
        """For each seat exactly the cards that it has in some deal that fits; my hand for mine."""
        cards = [*self._closure[: SEATS - 1], self.hand]
        return tuple(cards[(seat - self.seat - 1) % SEATS] for seat in range(SEATS))

    @cached_property
    def possibly_gone(self) -> CardSet:
        """The unseen cards that may be out of play, 0 unless the view is partial."""
        return self._closure[SEATS - 1]

    @cached_property
    def excluded(self) -> Hands:
        """For each seat every card that it certainly does not hold, seen cards included."""
        return tuple(DECK & ~cards for cards in self.possible)

    @cached_property
    def voids(self) -> tuple[tuple[bool, ...], ...]:
        """`voids[seat][suit]`: whether the seat certainly holds no card of the suit."""
        return tuple(tuple(not cards & suit for suit in SUIT_MASK) for cards in self.possible)

    @cached_property
    def known(self) -> Hands:
        """For each seat the cards that it certainly holds; my hand for mine."""
        elsewhere = (self._held_elsewhere(seat) for seat in range(SEATS))
        return tuple(p & ~other for p, other in zip(self.possible, elsewhere, strict=True))

    @cached_property
    def contradictions(self) -> tuple[str, ...]:
        """The claims that what is seen contradicts, in words: what is seen counts."""
        return claims.contradictions(self)

    def consistent_with(self, hands: Sequence[CardSet]) -> bool:
        """Whether a world fits: `hands` are the cards that each of the four seats holds now."""
        seen = 0
        for seat, cards in enumerate(hands):
            fits = count(cards) == self.hand_sizes[seat] and not cards & (seen | self.played)
            if not fits or cards & self.denied[seat]:
                return False
            seen |= cards
        held = not self.still_held & ~seen
        return len(hands) == SEATS and hands[self.seat] == self.hand and held

    def as_object(self) -> dict[str, Any]:
        """The view as JSON has it, in a canonical form; `notation.view_of` reads it back."""
        earlier = [_hand_object(hand) for hand in self.earlier]
        return {
            "seat": self.seat,
            "hand": names(self.hand),
            "trick": _trick_object(self.trick),
            "tricks": [_trick_object(trick) for trick in self.tricks],
            "rules": self.rules.as_value(),
            "direction": self.direction.label,
            "passed": names(self.passed),
            "received": names(self.received),
            "match_scores": list(self.match_scores),
            "passing": self.passing,
            "won": None if self.won is None else [names(cards) for cards in self.won],
            "hearts_broken": self.hearts_broken,
            "points_claim": None if self.points_claim is None else list(self.points_claim),
            **({"earlier": earlier} if earlier else {}),
        }

    @cached_property
    def fingerprint(self) -> str:
        """16 hex digits of the SHA-256 of the canonical JSON: the same for the same knowledge."""
        canonical = json.dumps(self.as_object(), sort_keys=True, separators=(",", ":"))
        return sha256(canonical.encode()).hexdigest()[:16]

    @cached_property
    def _closure(self) -> list[CardSet]:
        """What each of the others may hold, then what may be gone."""
        return holders.possible(*self._holders)

    @property
    def _holders(self) -> tuple[list[CardSet], list[int], CardSet]:
        *allowed, gone = self.may_hold
        return [*allowed, gone & ~self.still_held], self.rooms, self.unseen

    def _held_elsewhere(self, seat: int) -> CardSet:
        cards = self.possibly_gone
        for other in range(SEATS):
            if other != seat:
                cards |= self.possible[other]
        return cards

    def _check_deal_exists(self) -> None:
        fault = holders.crowded(*self._holders)
        if fault is None:
            return
        groups = [*(f"seat {seat}" for seat in self.others), "the cards gone"]
        who = " and ".join(groups[holder] for holder in fault.holders) or "nobody"
        cards = f"{count(fault.cards)} cards ({_few(fault.cards)})"
        reason = f"no deal fits: {cards} can only be with {who}, who have room for {fault.room}"
        raise ImpossibleView("tricks" if self.tricks else "trick", reason)


def _few(cards: CardSet) -> str:
    """The first names of a set, for messages."""
    shown = names(cards)
    return " ".join(shown[:3]) + (" …" if len(shown) > 3 else "")


def check_hand(place: str, rules: Rules, tricks: tuple[Trick, ...]) -> None:
    """Raise ImpossibleView where tricks are not all of a hand that is over.

    Once it is over, everybody has seen all of it: it is a view without a card left.
    """
    if len(tricks) != RANKS:
        reason = f"{len(tricks)} tricks: a hand that is over has {RANKS}"
        raise ImpossibleView(f"{place}.tricks", reason)
    try:
        View(0, 0, Trick(tricks[-1].winner), tricks, rules)
    except ImpossibleView as error:
        raise ImpossibleView(f"{place}.{error.place}", error.reason) from None


def _hand_object(tricks: tuple[Trick, ...]) -> dict[str, Any]:
    return {"tricks": [_trick_object(trick) for trick in tricks]}


def _trick_object(trick: Trick) -> dict[str, Any]:
    return {"leader": trick.leader, "cards": [name(card) for card in trick.cards]}

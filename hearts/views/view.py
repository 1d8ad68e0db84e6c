"""What one seat knows of a hand, with everything that follows from it.

Creating a view replays its history. ImpossibleView names the first field that is impossible. The
turn, voids, broken hearts, points and legal cards are derived, never stored. A *full* view has all
completed tricks, and its checks are exact: it is accepted if and only if some deal and some legal
play lead to it.

A *partial* view has fewer than 13 cards and no completed tricks. Each seat holds as many cards as
this one, or one less if it has played to the current trick. The other unseen cards are `gone`,
but it is unknown which ones. Claims about the missing tricks are believed unless the known cards
contradict them (see `claims`). Without such a claim, hearts are broken if a card that breaks them
is known to have been played, or if the claimed points need one.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from hearts.game.cards import DECK, RANKS, SEATS, SUIT_MASK, CardSet, count, names
from hearts.game.deal import Deal
from hearts.game.errors import FieldPath, ImpossibleView
from hearts.game.lazy import cached_property
from hearts.game.legality import legal_plays
from hearts.game.rules import PassDirection, Rules
from hearts.game.scoring import NO_SCORES, Points
from hearts.game.trick import Hands, PastHands, Trick
from hearts.views import canonical, claims
from hearts.views import feasibility as holders
from hearts.views.fields import check_fields
from hearts.views.history import denied_hands, publicly_denied_hands
from hearts.views.observation import Observation


@dataclass(frozen=True)
class View(Observation):
    """What one seat knows, checked, with everything that follows from it."""

    @classmethod
    def of(
        cls,
        deal: Deal,
        seat: int,
        match_scores: Points = NO_SCORES,
        earlier: PastHands = (),
        *,
        checked: bool = True,
    ) -> "View":
        """What one seat knows of a deal; `checked=False` skips the replay."""
        fields = _fields_of(deal, seat)
        fields.update(match_scores=match_scores, earlier=earlier)
        if checked:
            return cls(**fields)
        legal = deal.legal if deal.turn == seat else 0
        played = deal.played
        unseen = DECK & ~played & ~deal.hands[seat]
        return cls.trusted(**fields, played=played, unseen=unseen, legal=legal)

    @classmethod
    def parse(cls, given: object) -> "View":
        """Read the canonical JSON form; all fields but `seat`, `hand` and `trick` may be absent."""
        return cls(**canonical.read_fields(given))

    @classmethod
    def trusted(cls, **known: Any) -> "View":
        """A view without checks, from its fields and from derived facts that are known already.

        The arena uses it: the referee has checked each play, so no view needs a replay.
        """
        view = object.__new__(cls)
        view.__dict__.update(known)
        return view

    def __post_init__(self) -> None:
        check_fields(self)
        self._check_deal_exists()
        for number, tricks in enumerate(self.earlier):
            check_hand(("earlier", number), self.rules, tricks)

    @cached_property
    def broken(self) -> bool:
        """Whether hearts are broken, as far as known."""
        if self.played & self.rules.heart_breakers:
            return True
        return self.partial and claims.broken_by_claim(self, self.points)

    @cached_property
    def legal(self) -> CardSet:
        """The cards that this seat may play now, 0 if it is not to move."""
        if not self.to_move:
            return 0
        return legal_plays(
            self.rules, self.hand, self.trick.led, first_trick=self.first_trick, broken=self.broken
        )

    @cached_property
    def points(self) -> tuple[int, ...]:
        """The points of each seat so far, without moons and the bonus for taking no trick."""
        return claims.believed_points(self, self.still_held) if self.partial else self.taken_points

    @cached_property
    def denied(self) -> Hands:
        """For each seat the cards that its plays, the pass and the opening rule out.

        `excluded` has more: it also counts the cards that each seat holds.
        """
        return denied_hands(self)

    @cached_property
    def publicly_denied(self) -> Hands:
        """As `denied`, from public information alone: without the pass."""
        return publicly_denied_hands(self)

    @cached_property
    def may_hold(self) -> list[CardSet]:
        """The unseen cards not `denied` to each other seat, and then those that may be gone.

        Neither claims nor the numbers of cards are considered.
        """
        allowed = [self.unseen & ~self.denied[seat] for seat in self.others]
        return [*allowed, self.unseen if self.gone else 0]

    @cached_property
    def still_held(self) -> CardSet:
        """The unseen cards that are not gone, according to the claims that are believed."""
        return claims.still_held(self, self.may_hold)

    @cached_property
    def possible(self) -> Hands:
        """For each seat the cards that it holds in at least one deal; for this seat its hand."""
        cards = [*self._closure[: SEATS - 1], self.hand]
        return tuple(cards[(seat - self.seat - 1) % SEATS] for seat in range(SEATS))

    @cached_property
    def possibly_gone(self) -> CardSet:
        """The unseen cards that may be gone, 0 unless the view is partial."""
        return self._closure[SEATS - 1]

    @cached_property
    def excluded(self) -> Hands:
        """For each seat all cards that it certainly does not hold, including the cards played."""
        return tuple(DECK & ~cards for cards in self.possible)

    @cached_property
    def voids(self) -> tuple[tuple[bool, ...], ...]:
        """`voids[seat][suit]`: whether the seat certainly holds no card of the suit."""
        return tuple(tuple(not cards & suit for suit in SUIT_MASK) for cards in self.possible)

    @cached_property
    def known(self) -> Hands:
        """For each seat the cards that it certainly holds; for this seat its hand."""
        elsewhere = (self._held_elsewhere(seat) for seat in range(SEATS))
        return tuple(p & ~other for p, other in zip(self.possible, elsewhere, strict=True))

    @cached_property
    def contradictions(self) -> tuple[claims.Contradiction, ...]:
        """The claims that the known cards contradict; such claims are ignored."""
        hearts = claims.false_hearts(self, self.still_held, broken=self.broken)
        return (*hearts, *self.false_points)

    @cached_property
    def false_points(self) -> tuple[claims.Contradiction, ...]:
        """The claims of points that the known cards contradict."""
        return claims.false_points(self, self.still_held)

    def consistent_with(self, hands: Sequence[CardSet]) -> bool:
        """Whether the four seats may hold these `hands` now, by what this seat knows."""
        seen = 0
        for seat, cards in enumerate(hands):
            fits = count(cards) == self.hand_sizes[seat] and not cards & (seen | self.played)
            if not fits or cards & self.denied[seat]:
                return False
            seen |= cards
        held = not self.still_held & ~seen
        return len(hands) == SEATS and hands[self.seat] == self.hand and held

    def as_object(self) -> dict[str, Any]:
        """The canonical JSON form; `View.parse` reads it back."""
        return canonical.as_object(self)

    @cached_property
    def fingerprint(self) -> str:
        """The first 16 hex digits of the SHA-256 of the canonical JSON form."""
        canonical = json.dumps(self.as_object(), sort_keys=True, separators=(",", ":"))
        return sha256(canonical.encode()).hexdigest()[:16]

    @cached_property
    def _closure(self) -> list[CardSet]:
        """The cards that each other seat may hold, then those that may be gone."""
        return holders.possible(*self._holders)

    @property
    def _holders(self) -> tuple[list[CardSet], list[int], CardSet]:
        *allowed, gone = self.may_hold
        return [*allowed, gone & ~self.still_held], self.capacities, self.unseen

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
        reason = f"no deal fits: only {who} can hold {cards}, with room for {fault.capacity}"
        raise ImpossibleView("tricks" if self.tricks else "trick", reason)


def _fields_of(deal: Deal, seat: int) -> dict[str, Any]:
    """The fields of a seat's view that come from the deal."""
    passing = deal.passing
    swapped = deal.direction is not PassDirection.HOLD and not passing
    return {
        "seat": seat,
        "hand": deal.hands[seat],
        "trick": Trick(0) if passing else deal.trick,
        "tricks": deal.tricks,
        "rules": deal.rules,
        "direction": deal.direction,
        "passed": deal.passes[seat],
        "received": deal.passes[(seat - deal.direction) % SEATS] if swapped else 0,
        "passing": passing,
    }


def _few(cards: CardSet) -> str:
    """The names of the first three cards of a set."""
    shown = names(cards)
    return " ".join(shown[:3]) + (" …" if len(shown) > 3 else "")


def check_hand(path: FieldPath, rules: Rules, tricks: tuple[Trick, ...]) -> None:
    """Raise ImpossibleView if the tricks are not those of a finished hand.

    A finished hand is checked as a view without cards, since all cards have been seen.
    """
    if len(tricks) != RANKS:
        reason = f"{len(tricks)} tricks: a hand that is over has {RANKS}"
        raise ImpossibleView((*path, "tricks"), reason)
    try:
        View(0, 0, Trick(tricks[-1].winner), tricks, rules)
    except ImpossibleView as error:
        raise error.within(*path) from None

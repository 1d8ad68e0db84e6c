"""A match: hands to the target score, the cycle of passes, the final ranking."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from hearts.game.cards import SEATS
from hearts.game.errors import IllegalMove
from hearts.game.rules import STANDARD, PassDirection, Rules
from hearts.game.scoring import Points, ranking


@dataclass(frozen=True)
class Match:
    """The hands scored so far; `add` returns the match after one more."""

    rules: Rules = STANDARD
    hands: tuple[Points, ...] = ()  # the points of each hand, moon included

    @cached_property
    def scores(self) -> Points:
        """Each seat's total; the lowest is the best."""
        return tuple(sum(hand[seat] for hand in self.hands) for seat in range(SEATS))

    @property
    def direction(self) -> PassDirection:
        """How the next hand passes: by the cycle, and never under rules without passing."""
        cycle = self.rules.pass_cycle
        passes = self.rules.do_pass_cards
        return cycle[len(self.hands) % len(cycle)] if passes else PassDirection.HOLD

    @property
    def finished(self) -> bool:
        """Whether somebody has reached the target score."""
        return max(self.scores) >= self.rules.target_score

    @property
    def ranking(self) -> tuple[int, ...]:
        """Each seat's place, 1 for the lowest score; equal scores share the better place."""
        return ranking(self.scores)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats in first place once the match is finished, none before."""
        if not self.finished:
            return ()
        return tuple(seat for seat, place in enumerate(self.ranking) if place == 1)

    def add(self, points: Sequence[int]) -> "Match":
        """The match after a hand with these points."""
        if len(points) != SEATS:
            raise IllegalMove(f"a hand scores {SEATS} seats, not {len(points)}")
        if self.finished:
            raise IllegalMove(f"the match is over at {self.scores}: no hand can be added")
        return replace(self, hands=(*self.hands, tuple(points)))

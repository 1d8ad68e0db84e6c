"""A match: hands until a player reaches the target score, and the final ranking."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hearts.game.cards import SEATS
from hearts.game.errors import IllegalMove
from hearts.game.lazy import cached_property
from hearts.game.rules import STANDARD, PassDirection, Rules
from hearts.game.scoring import Points, ranking


@dataclass(frozen=True)
class Match:
    """The points of the hands so far; `add` returns the match after another hand."""

    rules: Rules = STANDARD
    hands: tuple[Points, ...] = ()  # the points of each hand, moon included

    @cached_property
    def scores(self) -> Points:
        """The total of each seat; the lowest is the best."""
        return tuple(sum(hand[seat] for hand in self.hands) for seat in range(SEATS))

    @property
    def direction(self) -> PassDirection:
        """The direction in which the next hand passes."""
        cycle = self.rules.pass_cycle
        passes = self.rules.do_pass_cards
        return cycle[len(self.hands) % len(cycle)] if passes else PassDirection.HOLD

    @property
    def finished(self) -> bool:
        """Whether a player has reached the target score."""
        return max(self.scores) >= self.rules.target_score

    @property
    def ranking(self) -> tuple[int, ...]:
        """The rank of each seat, 1 for the lowest score; equal scores share the better rank."""
        return ranking(self.scores)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats with rank 1 once the match is finished, none before."""
        if not self.finished:
            return ()
        return tuple(seat for seat, rank in enumerate(self.ranking) if rank == 1)

    def add(self, points: Sequence[int]) -> "Match":
        """The match after another hand with these points."""
        if len(points) != SEATS:
            raise IllegalMove(f"a hand scores {SEATS} seats, not {len(points)}")
        if self.finished:
            raise IllegalMove(f"the match is over at {self.scores}: no hand can be added")
        return replace(self, hands=(*self.hands, tuple(points)))

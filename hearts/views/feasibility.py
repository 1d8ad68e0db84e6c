"""Who can hold the unseen cards, given how many each holder has and what it cannot have.

Holders are the other seats and, in a partial view, the pile of cards that are gone. All unseen
cards are with them, and they hold nothing else, so Hall's theorem settles both questions: a deal
exists unless some holders have less room than there are cards that only they can hold; and where
such room is filled exactly, these holders have those cards and no others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from hearts.game.cards import CardSet, count


@dataclass(frozen=True)
class Crowded:
    """Why no deal fits: more `cards` can only be with some holders than these have room for."""

    holders: tuple[int, ...]  # places in the list of holders; empty: nobody can hold the cards
    cards: CardSet
    capacity: int


def crowded(
    allowed: Sequence[CardSet], capacities: Sequence[int], unseen: CardSet
) -> Crowded | None:
    """The first group of holders with too little room, or None when a deal exists."""
    for group, confined in _groups(allowed, unseen):
        available = sum(capacities[holder] for holder in group)
        if count(confined) > available:
            return Crowded(group, confined, available)
    return None


def possible(
    allowed: Sequence[CardSet], capacities: Sequence[int], unseen: CardSet
) -> list[CardSet]:
    """For each holder exactly the cards that it has in at least one deal; a deal must exist."""
    result = [cards & unseen for cards in allowed]
    for group, confined in _groups(allowed, unseen):
        if count(confined) == sum(capacities[holder] for holder in group):
            for holder in group:
                result[holder] &= confined
    return result


def _groups(
    allowed: Sequence[CardSet], unseen: CardSet
) -> Iterator[tuple[tuple[int, ...], CardSet]]:
    """Every group of holders with the cards that nobody outside it can hold."""
    everyone = range(len(allowed))
    for size in range(len(allowed) + 1):
        for group in combinations(everyone, size):
            confined = unseen
            for outsider in everyone:
                if outsider not in group:
                    confined &= ~allowed[outsider]
            yield group, confined

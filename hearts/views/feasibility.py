"""Which holders can hold the unseen cards, given their numbers of cards and what is ruled out.

The holders are the other seats and, in a partial view, the pile of cards that are gone. Together
they hold exactly the unseen cards. So Hall's theorem answers both questions. A deal exists unless
more cards are confined to some group of holders than the group can hold. And a group that its
confined cards fill exactly holds no other cards.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from hearts.game.cards import CardSet, count


@dataclass(frozen=True)
class Crowded:
    """Why no deal exists: only `holders` can hold `cards`, and they can hold fewer."""

    holders: tuple[int, ...]  # indices of holders; empty if no holder can hold the cards
    cards: CardSet
    capacity: int  # the number of cards that the holders can hold together


def crowded(
    allowed: Sequence[CardSet], capacities: Sequence[int], unseen: CardSet
) -> Crowded | None:
    """The first group of holders with too little capacity, or None if a deal exists."""
    for group, confined in _groups(allowed, unseen):
        available = sum(capacities[holder] for holder in group)
        if count(confined) > available:
            return Crowded(group, confined, available)
    return None


def possible(
    allowed: Sequence[CardSet], capacities: Sequence[int], unseen: CardSet
) -> list[CardSet]:
    """For each holder the cards that it holds in at least one deal; a deal must exist."""
    result = [cards & unseen for cards in allowed]
    for group, confined in _groups(allowed, unseen):
        if count(confined) == sum(capacities[holder] for holder in group):
            for holder in group:
                result[holder] &= confined
    return result


def _groups(
    allowed: Sequence[CardSet], unseen: CardSet
) -> Iterator[tuple[tuple[int, ...], CardSet]]:
    """Every group of holders, with the unseen cards that no other holder can hold."""
    everyone = range(len(allowed))
    for size in range(len(allowed) + 1):
        for group in combinations(everyone, size):
            confined = unseen
            for outsider in everyone:
                if outsider not in group:
                    confined &= ~allowed[outsider]
            yield group, confined

"""Attackers who learn from times whether a bot's card was forced, and how well they do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

BINS = 6  # of an attacker who learns from a histogram


class Play(NamedTuple):
    """What an observer sees of a bot's play, and what the observer wants to know."""

    gap: float  # seconds since the event before
    forced: bool


def base_rate(plays: Sequence[Play]) -> float:
    """The accuracy of somebody who always says the same."""
    forced = sum(play.forced for play in plays) / len(plays)
    return max(forced, 1 - forced)


def accuracy(plays: Sequence[Play]) -> float:
    """The best accuracy on one half of the plays of attackers who have learned from the other."""
    train, test = plays[::2], plays[1::2]
    return max(
        sum(guess(play.gap) == play.forced for play in test) / len(test)
        for guess in (threshold(train), histogram(train))
    )


def threshold(train: Sequence[Play]) -> Callable[[float], bool]:
    """Say forced below a gap: the one that fits best."""
    right = sum(not each.forced for each in train)  # below none of them
    best, cut = right, -math.inf
    for one, other in pairwise([*sorted(train), Play(math.inf, False)]):
        right += 1 if one.forced else -1
        if right > best:
            best, cut = right, (one.gap + other.gap) / 2
    return lambda gap: gap < cut


def histogram(train: Sequence[Play]) -> Callable[[float], bool]:
    """Say what was more frequent in the same quantile."""
    ordered = sorted(train)
    size = math.ceil(len(ordered) / BINS)
    bins = [ordered[begin : begin + size] for begin in range(0, len(ordered), size)]

    def guess(gap: float) -> bool:
        near = next((each for each in bins if gap <= each[-1].gap), bins[-1])
        return sum(play.forced for play in near) * 2 > len(near)

    return guess


def noise(plays: Sequence[Play]) -> float:
    """Three standard deviations of an accuracy on half of the plays."""
    return 3 * math.sqrt(0.25 / (len(plays) / 2))


def separation(plays: Sequence[Play]) -> tuple[float, float]:
    """How often a free play takes longer than a forced one, and three standard deviations of it.

    The area under the ROC curve: 0.5 if times tell nothing, 1 if a threshold tells all.
    """
    forced = [play.gap for play in plays if play.forced]
    free = [play.gap for play in plays if not play.forced]
    longer = sum(a > b for a in free for b in forced) / (len(free) * len(forced))
    return longer, 3 * math.sqrt((len(plays) + 1) / (12 * len(free) * len(forced)))

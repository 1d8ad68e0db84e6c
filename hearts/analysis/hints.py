"""Hints: which card or pass a player is advised to choose, by the expected points that are shown.

The engine plays the card with the highest score. A score also counts what the others get, and is
no figure for a player. A hint goes by one figure, the expected points of each choice: the advised
choice is the one with the fewest. All choices are compared with the engine's in the same possible
deals, because the search gives up bad choices early: their plain means are about fewer deals.
"""

import math
from dataclasses import dataclass
from typing import Any

from hearts.engine.decision import Decision
from hearts.engine.explain import CLOSE, LIKELY, is_equal
from hearts.engine.passing.decision import PassCandidate, PassDecision
from hearts.engine.statistics import MoveStatistics
from hearts.game.cards import CardSet, bit, lowest, members, names, symbol

COMPARABLE = 3  # a pass is shown if it was tried at least this fraction as often as the best


@dataclass(frozen=True)
class Choice:
    """A card, or three to pass, with its expected points."""

    cards: CardSet
    points: float | None  # of this hand; None: never tried, or without a search
    error: float | None  # standard error of `points`

    def as_object(self) -> dict[str, Any]:
        """The choice as JSON, rounded."""
        rounded = [None if each is None else round(each, 4) for each in (self.points, self.error)]
        return {"cards": names(self.cards), "points": rounded[0], "points_error": rounded[1]}


@dataclass(frozen=True)
class Hint:
    """The advised choice, why, and every choice that it was compared with."""

    best: Choice
    text: str
    choices: tuple[Choice, ...]  # the fewest points first; empty for a forced card

    def as_object(self) -> dict[str, Any]:
        """The hint as JSON."""
        choices = [each.as_object() for each in self.choices]
        return {**self.best.as_object(), "text": self.text, "choices": choices}


def hint_of(decision: Decision | PassDecision) -> Hint:
    """What a player is advised after a search."""
    if isinstance(decision, PassDecision):
        return _pass_hint(decision)
    best = decision.best
    if best is None or not decision.simulations:
        reason = "the only legal card" if best is None else "a guess: there was no time to search"
        only = Choice(bit(decision.card), None, None)
        return Hint(only, f"{symbol(decision.card)} is {reason}.", ())
    choices = sorted((_choice(decision, each) for each in decision.cards), key=_shown)
    return Hint(choices[0], _card_text(decision, choices), tuple(choices))


def _shown(choice: Choice) -> float:
    """The figure as it is shown, in tenths; where two look equal, the engine's order decides."""
    return math.inf if choice.points is None else tenths(round(choice.points, 4))


def tenths(points: float) -> float:
    """A number with one decimal; halves go away from 0, as in browsers."""
    rounded = math.floor(abs(points) * 10 + 0.5) / 10
    return -rounded if points < 0 < rounded else rounded


def _choice(decision: Decision, card: MoveStatistics) -> Choice:
    """A card with its expected points: those of the engine's card, and the difference."""
    best, more = decision.best, decision.cost_of(card.card)
    if best is None or more is None:
        return Choice(bit(card.card), None, None)
    # The difference has no part in the error of what all choices have in common.
    error = max(best.points_error, more.error or 0.0)
    return Choice(bit(card.card), best.points + more.points, error)


def _pass_hint(decision: PassDecision) -> Hint:
    """The pass with the fewest points among those that were tried often."""
    tried = [each for each in decision.candidates if each.playouts]
    most = max((each.playouts for each in tried), default=0)
    close = [each for each in tried if COMPARABLE * each.playouts >= most]
    if not close:
        best = Choice(decision.cards, None, None)
        return Hint(best, f"{_named(best)} follow rules of thumb.", ())
    choices = sorted(map(_pass_choice, close), key=_shown)
    text = f"Passing {_named(choices[0])} is expected to cost {_cost(choices[0])} points."
    if len(choices) > 1:
        text += f" {_gap(choices[0], choices[1])}."
    return Hint(choices[0], text, tuple(choices))


def _pass_choice(candidate: PassCandidate) -> Choice:
    return Choice(candidate.cards, candidate.points, candidate.points_error)


def _card_text(decision: Decision, choices: list[Choice]) -> str:
    """The expected cost of the advised card, the runner-up, and a likely moon."""
    best = choices[0]
    cost = f"{_named(best)} is expected to cost {_cost(best)} points"
    sentences = [f"{cost}: solved exactly." if decision.exact else f"{cost}."]
    rival = next((each for each in choices[1:] if not _is_equal(decision, best, each)), None)
    if rival is None:
        sentences.append("All your cards come to the same.")
    elif rival.points is not None:
        sentences.append(f"{_gap(best, rival)}{_queens(decision, best, rival)}.")
    return " ".join([*sentences, *_moon(decision, best)])


def _is_equal(decision: Decision, one: Choice, other: Choice) -> bool:
    """Whether two cards are equal in play."""
    mine, others = (decision.statistics_of(lowest(each.cards)) for each in (one, other))
    return mine is not None and others is not None and is_equal(mine, others)


def _gap(best: Choice, rival: Choice) -> str:
    """How much more the runner-up costs, by the figures that are shown."""
    more = _shown(rival) - _shown(best)
    if more < CLOSE:
        return f"{_named(rival)} is about as good"
    return f"{_named(rival)} would cost {more:.1f} more"


def _queens(decision: Decision, best: Choice, rival: Choice) -> str:
    """The difference of the chances to take Q♠, if it is worth mentioning."""
    one, other = (decision.statistics_of(lowest(each.cards)) for each in (best, rival))
    if one is None or other is None or abs(one.queen - other.queen) < LIKELY:
        return ""
    return f": it takes ♠Q {other.queen:.0%} of the time, {_named(best)} {one.queen:.0%}"


def _moon(decision: Decision, best: Choice) -> list[str]:
    """A sentence about the moon, if one is likely."""
    card = decision.statistics_of(lowest(best.cards))
    if card is not None and card.moon >= LIKELY:
        return [f"You shoot the moon {card.moon:.0%} of the time."]
    if card is not None and card.moon_against >= LIKELY:
        return [f"Somebody else may shoot the moon: {card.moon_against:.0%} of the time."]
    return []


def _named(choice: Choice) -> str:
    return " ".join(map(symbol, members(choice.cards)))


def _cost(choice: Choice) -> str:
    """A number of points, with its standard error unless that rounds to 0."""
    error = f" ± {choice.error:.1f}" if choice.error is not None and choice.error >= 0.05 else ""
    return f"{_shown(choice):.1f}{error}"

"""A decision in two or three plain sentences, made of its figures and of nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearts.engine.config import ONE_TREE
from hearts.game.cards import Card, symbol

if TYPE_CHECKING:
    from hearts.engine.decision import CardFigures, Decision
    from hearts.engine.difference import Difference

CLOSE = 0.15  # points between two cards that are as good as equal
LIKELY = 0.2  # a difference of chances that is worth a word


def explain(decision: Decision) -> str:
    """Why this card: what it should cost, what the runner-up would, and what makes it so."""
    played = decision.best
    if played is None:
        return f"{symbol(decision.card)} is the only legal card."
    if not decision.simulations:
        return f"{symbol(decision.card)} is played without a search: there was no time for one."
    if decision.blunder:
        return f"{symbol(decision.card)} is a random card, as this level plays now and then."
    sentences = [_verdict(decision, played)]
    rival = _rival(decision, played)
    if rival is None:
        sentences.append("All legal cards are equal in play.")
    elif rival.visits:
        sentences.append(_comparison(played, rival))
    else:  # the cards that were tried rank above those that were not
        sentences.append("No other card was tried.")
    sentences += _moon(played)
    return " ".join(sentences)


def explain_cost(decision: Decision, card: Card) -> str:
    """What a card cost that was played where the search prefers another, in one sentence."""
    played, best, cost = decision.figures_of(card), decision.best, decision.cost_of(card)
    if played is None or best is None:
        return f"{symbol(card)} was the only legal card."
    if cost is None:
        never = played if not played.visits else best
        return f"{symbol(never.card)} was never tried: the search was too short."
    if _same(played, best):
        return f"{symbol(card)} was the best card."
    if not cost.is_certain or abs(cost.points) < CLOSE:
        return f"{symbol(card)} was about as good as {symbol(best.card)}."
    if cost.points < 0:
        less = f"{-cost.points:.1f} points cheaper than {symbol(best.card)}"
        return f"{symbol(card)} was {less}, which does better against the others."
    return f"{symbol(card)} cost {with_error(cost)} points: {_reason(played, best, cost)}."


def with_error(cost: Difference) -> str:
    """A number of points with its standard error, where there is one worth a word."""
    error = f" ± {cost.error:.1f}" if cost.error is not None and cost.error >= 0.05 else ""
    return f"{cost.points:.1f}{error}"


def _reason(played: CardFigures, best: CardFigures, cost: Difference) -> str:
    """Why the best card was better, by the worlds and by the chance that differs most."""
    card = symbol(best.card)
    words = f"{card} was cheaper in {cost.cheaper} of {cost.worlds} worlds"
    words = words if cost.worlds else f"{card} was cheaper"
    for what, bad, good in (
        ("♠Q is taken", played.queen, best.queen),
        ("somebody shoots the moon", played.moon_against, best.moon_against),
    ):
        if bad - good >= LIKELY:
            lines = f"{what} in {bad:.0%} of the lines after {symbol(played.card)}"
            return f"{words}; {lines}, in {good:.0%} after {card}"
    if best.moon - played.moon >= LIKELY:
        return f"{words}; it shoots the moon in {best.moon:.0%} of the lines"
    return words


def _verdict(decision: Decision, played: CardFigures) -> str:
    """What the card is expected to cost, and how sure the worlds are."""
    card, cost = symbol(played.card), _points(played)
    if decision.exact:
        return (
            f"{card} costs {cost} points when the ending is solved in all {decision.worlds} worlds."
        )
    if decision.config.algorithm == "rollouts":
        worlds = f"it is best in {played.votes / max(1, decision.worlds):.0%} of the worlds"
    elif decision.config.algorithm not in ONE_TREE:
        # Cards that are equal in play share their votes: a world votes for all of them.
        worlds = f"it is best in {played.votes:.0f} of {decision.worlds} worlds"
    else:
        worlds = f"{played.visits} of {decision.simulations} simulations went its way"
    return f"{card} is expected to cost {cost} points; {worlds}."


def _points(figures: CardFigures) -> str:
    error = f" ± {figures.points_error:.1f}" if figures.points_error >= 0.05 else ""
    return f"{figures.points:.1f}{error}"


def _rival(decision: Decision, played: CardFigures) -> CardFigures | None:
    """The best card that is not equal in play to the one played."""
    return next((other for other in decision.cards if not _same(other, played)), None)


def _same(one: CardFigures, other: CardFigures) -> bool:
    """Whether two cards share their figures, as cards do that are equal in play."""
    return (one.visits, one.points, one.score) == (other.visits, other.points, other.score)


def _comparison(played: CardFigures, rival: CardFigures) -> str:
    """What the runner-up would cost, and the chance that makes the difference."""
    card, more = symbol(rival.card), rival.points - played.points
    if abs(more) < CLOSE:
        sentence = f"{card} is about as good ({rival.points:.1f})"
    elif more > 0:
        sentence = f"{card} would cost {more:.1f} more"
    elif played.advice - rival.advice > played.score - rival.score:  # alone it turns the scale
        advised = f"a tree over the same worlds prefers {symbol(played.card)}"
        sentence = f"{card} would cost {-more:.1f} less in rollouts, but {advised}"
    else:
        scores = f"{rival.score:.3f} against {played.score:.3f}"
        sentence = f"{card} would cost {-more:.1f} less, but its score is lower ({scores})"
    queen = rival.queen - played.queen
    if abs(queen) >= LIKELY:
        sentence += f": it takes ♠Q in {rival.queen:.0%} of the lines, against {played.queen:.0%}"
    return sentence + "."


def _moon(played: CardFigures) -> list[str]:
    """A word about moons where one is likely."""
    if played.moon >= LIKELY:
        return [f"It shoots the moon in {played.moon:.0%} of the lines."]
    if played.moon_against >= LIKELY:
        return [f"Somebody else may shoot the moon: {played.moon_against:.0%} of the lines."]
    return []

"""Explanations of a decision in plain sentences, made from its statistics."""

from hearts.engine.config import ONE_TREE
from hearts.engine.decision import Decision
from hearts.engine.difference import Difference
from hearts.engine.statistics import MoveStatistics
from hearts.game.cards import Card, symbol

CLOSE = 0.15  # points; two cards that differ by less are called equally good
LIKELY = 0.2  # a difference of probabilities that is worth mentioning


def explain(decision: Decision) -> str:
    """Two or three sentences: the expected cost, the runner-up, and a likely moon."""
    played = decision.best
    if played is None:
        return f"{symbol(decision.card)} is the only legal card."
    if not decision.simulations:
        return f"{symbol(decision.card)} is played without a search: there was no time for one."
    if decision.blunder:
        return f"{symbol(decision.card)} is a random card, as this level plays now and then."
    sentences = [_expectation(decision, played), _runner_up(decision, played), *_moon(played)]
    return " ".join(sentences)


def explain_cost(decision: Decision, card: Card) -> str:
    """One sentence: what a card that was played cost compared with the best card."""
    played, best, cost = decision.statistics_of(card), decision.best, decision.cost_of(card)
    if played is None or best is None:
        return f"{symbol(card)} was the only legal card."
    if cost is None:
        never = played if not played.visits else best
        return f"{symbol(never.card)} was never tried: the search was too short."
    if is_equal(played, best):
        return f"{symbol(card)} was the best card."
    if not cost.is_certain or abs(cost.points) < CLOSE:
        return f"{symbol(card)} was about as good as {symbol(best.card)}."
    if cost.points < 0:
        less = f"{-cost.points:.1f} points cheaper than {symbol(best.card)}"
        return f"{symbol(card)} was {less}, which does better against the others."
    return f"{symbol(card)} cost {with_error(cost)} points: {_reason(played, best, cost)}."


def with_error(cost: Difference) -> str:
    """A number of points, with its standard error unless that rounds to 0."""
    error = f" ± {cost.error:.1f}" if cost.error is not None and cost.error >= 0.05 else ""
    return f"{cost.points:.1f}{error}"


def _reason(played: MoveStatistics, best: MoveStatistics, cost: Difference) -> str:
    """Why the best card was better: the share of deals, and a probability that differs."""
    card = symbol(best.card)
    deals = f" in {cost.cheaper} of {cost.worlds} possible deals" if cost.worlds else ""
    words = f"{card} was cheaper{deals}"
    for event, bad, good in (
        ("♠Q is taken", played.queen, best.queen),
        ("somebody shoots the moon", played.moon_against, best.moon_against),
    ):
        if bad - good >= LIKELY:
            after = f"{event} {bad:.0%} of the time after {symbol(played.card)}"
            return f"{words}; {after}, {good:.0%} after {card}"
    if best.moon - played.moon >= LIKELY:
        return f"{words}; it shoots the moon {best.moon:.0%} of the time"
    return words


def _expectation(decision: Decision, played: MoveStatistics) -> str:
    """The expected cost of the card, and in how many possible deals it is best."""
    card, cost = symbol(played.card), _points(played)
    if decision.exact:
        return f"{card} is expected to cost {cost} points: solved exactly."
    if decision.config.algorithm in ONE_TREE:
        return f"{card} is expected to cost {cost} points."
    if decision.config.algorithm == "rollouts":
        deals = f"{played.votes / max(1, decision.worlds):.0%} of the"
    else:
        deals = f"{played.votes:.0f} of {decision.worlds}"
    return f"{card} is expected to cost {cost} points; it is best in {deals} possible deals."


def _points(statistics: MoveStatistics) -> str:
    error = f" ± {statistics.points_error:.1f}" if statistics.points_error >= 0.05 else ""
    return f"{statistics.points:.1f}{error}"


def _runner_up(decision: Decision, played: MoveStatistics) -> str:
    """A sentence about the best card that is not equal in play to the one played."""
    rival = next((other for other in decision.cards if not is_equal(other, played)), None)
    if rival is None:
        return "All legal cards are equal in play."
    # Untried cards rank last: if the runner-up was not tried, no other card was.
    return _comparison(played, rival) if rival.visits else "No other card was tried."


def is_equal(one: MoveStatistics, other: MoveStatistics) -> bool:
    """Whether two cards are equal in play: such cards share their statistics."""
    return (one.visits, one.points, one.score) == (other.visits, other.points, other.score)


def _comparison(played: MoveStatistics, rival: MoveStatistics) -> str:
    """What the runner-up would cost, and whether it is likelier to take Q♠."""
    card, more = symbol(rival.card), rival.points - played.points
    if abs(more) < CLOSE:
        sentence = f"{card} is about as good ({rival.points:.1f})"
    elif more > 0:
        sentence = f"{card} would cost {more:.1f} more"
    elif played.auxiliary_value - rival.auxiliary_value > played.score - rival.score:
        # Without the auxiliary tree the runner-up would have been played.
        preferred = f"a second search of the same deals prefers {symbol(played.card)}"
        sentence = f"{card} looks {-more:.1f} cheaper, but {preferred}"
    else:
        better = f"{symbol(played.card)} does better against the others"
        sentence = f"{card} would cost {-more:.1f} less, but {better}"
    if abs(rival.queen - played.queen) >= LIKELY:
        sentence += f": it takes ♠Q {rival.queen:.0%} of the time, against {played.queen:.0%}"
    return sentence + "."


def _moon(played: MoveStatistics) -> list[str]:
    """A sentence about the moon, if one is likely."""
    if played.moon >= LIKELY:
        return [f"It shoots the moon {played.moon:.0%} of the time."]
    if played.moon_against >= LIKELY:
        return [f"Somebody else may shoot the moon: {played.moon_against:.0%} of the time."]
    return []

"""Reviews of a played hand: the cost of every decision, explanations, and forecasts.

Each decision is searched again from the view of its seat, so hidden cards do not count against it.
Its cost is in points of this hand, relative to the card that the search prefers, with a standard
error: see hearts.engine.difference. The same record, config and seed give the same review.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hearts.analysis.forecasts import Forecasts, forecasts_of
from hearts.engine.clock import Stop
from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.engine.decision import Decision
from hearts.engine.difference import Difference
from hearts.engine.explain import CLOSE, explain_cost, with_error
from hearts.engine.levels import LEVELS
from hearts.engine.passing.choose import choose_pass
from hearts.engine.passing.decision import PassDecision
from hearts.engine.search.result import Watch
from hearts.game.cards import SEATS, CardSet, bit, lowest, members, names, symbol
from hearts.game.deal import moments
from hearts.game.records import Record
from hearts.views.view import View

# The strongest level. Its rollouts have statistics per world, so that costs are compared world by
# world. Except for moons, the best card for the difference to the others also costs the fewest
# points, so a cost below 0 is rare (docs/experiments/034-review-reward.md).
REVIEWING = LEVELS["expert"]
WORST = 3  # mistakes of each seat that are listed

Progress = Callable[[int, int], object]  # decisions done, and their total number


@dataclass(frozen=True)
class Question:
    """One decision to review."""

    number: int  # from 0, in order
    view: View
    played: CardSet  # a card, or three for a pass; 0: unknown


@dataclass(frozen=True)
class Answer:
    """The search of one decision."""

    question: Question
    decision: Decision | PassDecision

    @property
    def kind(self) -> str:
        """`play` or `pass`."""
        return "pass" if isinstance(self.decision, PassDecision) else "play"

    @property
    def best(self) -> CardSet:
        """What the search prefers: a card, or three for a pass."""
        if isinstance(self.decision, PassDecision):
            return self.decision.cards
        return bit(self.decision.card)

    @property
    def forced(self) -> bool:
        """Whether there was only one legal card."""
        return isinstance(self.decision, Decision) and self.decision.forced

    @cached_property
    def cost(self) -> Difference | None:
        """The cost of the cards played, relative to the best; None: unknown, or never tried."""
        if not self.question.played:
            return None
        if isinstance(self.decision, PassDecision):
            return self.decision.cost
        return self.decision.cost_of(lowest(self.question.played))

    @property
    def points(self) -> float:
        """The cost in points, 0 if unknown."""
        return self.cost.points if self.cost else 0.0

    @property
    def is_mistake(self) -> bool:
        """Whether the cost is relevant (`CLOSE`) and significant."""
        return self.cost is not None and self.cost.is_certain and self.points >= CLOSE

    @cached_property
    def sentence(self) -> str:
        """The cost of the decision in one sentence."""
        if isinstance(self.decision, Decision):
            return explain_cost(self.decision, lowest(self.question.played))
        return _explain_pass(self.question.played, self.best, self.cost)

    def as_object(self) -> dict[str, Any]:
        """The decision as JSON."""
        cost = self.cost
        return {
            "number": self.question.number,
            "kind": self.kind,
            "player": self.question.view.seat,
            "played": _named(self.kind, self.question.played),
            "best": _named(self.kind, self.best),
            "cost": None if cost is None else round(cost.points, 4),
            "cost_error": None if cost is None or cost.error is None else round(cost.error, 4),
            "forced": self.forced,
        }


@dataclass(frozen=True)
class Review:
    """The review of a hand."""

    answers: tuple[Answer, ...]  # in the order of play, passes first
    forecasts: Forecasts
    complete: bool  # whether every requested decision is in it

    def mistakes(self, seat: int) -> list[Answer]:
        """The most expensive decisions of a seat, worst first, at most WORST."""
        own = [each for each in self.answers if each.is_mistake and each.question.view.seat == seat]
        return sorted(own, key=lambda each: -each.points)[:WORST]

    @property
    def cost_by_seat(self) -> tuple[float, ...]:
        """The total cost of each seat's decisions."""
        totals = [0.0] * SEATS
        for each in self.answers:
            totals[each.question.view.seat] += each.points
        return tuple(totals)

    def as_object(self) -> dict[str, Any]:
        """The review as JSON."""
        mistakes = {
            str(seat): [
                {
                    "number": each.question.number,
                    "cost": round(each.points, 4),
                    "explanation": each.sentence,
                }
                for each in self.mistakes(seat)
            ]
            for seat in range(SEATS)
        }
        return {
            "decisions": [
                each.as_object() | {"explanation": each.sentence} for each in self.answers
            ],
            "mistakes": mistakes,
            "cost_by_player": [round(cost, 4) for cost in self.cost_by_seat],
            "chances": self.forecasts.as_object(),
            "complete": self.complete,
        }


def review(
    record: Record,
    config: SearchConfig = REVIEWING,
    *,
    seats: Collection[int] = range(SEATS),
    stop: Stop | None = None,
    progress: Progress = lambda done, asked: None,
) -> Review:
    """Review every decision of some seats; a stopped review has the decisions done so far."""
    questions = [each for each in questions_of(record) if each.view.seat in seats]
    answers: list[Answer] = []
    for question in questions:
        answer = examine(question, without_blunders(config), stop=stop)
        if stop is not None and stop[0]:
            break  # this search is not complete
        answers.append(answer)
        progress(len(answers), len(questions))
    forecasts = forecasts_of(record.deal, seed=config.seed)
    return Review(tuple(answers), forecasts, len(answers) == len(questions))


def questions_of(record: Record) -> Iterator[Question]:
    """Every pass and play of a hand, with the view of the seat that decided."""
    for number, (before, seat, cards) in enumerate(moments(record.deal)):
        yield Question(number, View.of(before, seat, checked=False), cards)


def without_blunders(config: SearchConfig) -> SearchConfig:
    """The config without the random cards of a weak level."""
    return replace(config, blunder=0.0)


def examine(
    question: Question,
    config: SearchConfig,
    *,
    stop: Stop | None = None,
    watch: Watch | None = None,
) -> Answer:
    """Search one decision again."""
    if question.view.passing:
        chosen = choose_pass(question.view, config, stop=stop, alternative=question.played)
        return Answer(question, chosen)
    return Answer(question, decide(question.view, config, stop=stop, watch=watch))


def _named(kind: str, cards: CardSet) -> list[str] | str | None:
    """Cards as JSON: a name for a play, a list for a pass."""
    named = names(cards)
    return named if kind == "pass" else (named[0] if named else None)


def _explain_pass(passed: CardSet, best: CardSet, cost: Difference | None) -> str:
    """The cost of a pass in one sentence."""
    given, better = (" ".join(map(symbol, members(cards))) for cards in (passed, best))
    if cost is None:
        return f"{given} were never tried: the search was too short."
    if passed == best:
        return f"{given} were the best pass."
    if not cost.is_certain or abs(cost.points) < CLOSE:
        return f"{given} were about as good a pass as {better}."
    if cost.points < 0:
        less = f"{-cost.points:.1f} points cheaper than {better}"
        return f"{given} were {less}, which do better against the others."
    return f"Passing {given} cost {with_error(cost)} points: {better} were better."

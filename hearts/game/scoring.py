"""The score of a finished hand, and the ranking of a match."""

from collections.abc import Sequence

from hearts.game.cards import SEATS
from hearts.game.deal import Deal
from hearts.game.rules import MoonScoring, Rules

Points = tuple[int, ...]  # one number per seat

NO_SCORES: Points = (0,) * SEATS


def points_of(deal: Deal, scores: Points = NO_SCORES) -> Points:
    """The points of a finished hand, moon included; `scores` are those of the match before it.

    A shooter who may choose how the moon is scored does what `moon_choice` recommends.
    """
    shooter = deal.shooter
    if shooter is None:
        return deal.final_points()
    return deal.final_points(moon_choice(scores, shooter, deal.rules))


def moon_choice(scores: Sequence[int], shooter: int, rules: Rules) -> MoonScoring:
    """How a shooter should score the moon, given the match scores before the hand.

    Both ways open the same gap to every other seat, so only the end of the match tells them apart:
    the others add, which brings the end nearer, unless that ends the match with somebody ahead of
    the shooter; then the shooter subtracts and plays on. Rules without a choice decide themselves.
    """
    if rules.moon is not MoonScoring.SHOOTER_CHOOSES:
        return rules.moon
    added = [own if seat == shooter else own + rules.total for seat, own in enumerate(scores)]
    ends = max(added) >= rules.target_score
    loses = ranking(added)[shooter] > 1
    return MoonScoring.SHOOTER_SUBTRACTS if ends and loses else MoonScoring.OTHERS_ADD


def ranking(scores: Sequence[int]) -> tuple[int, ...]:
    """The place of each score, 1 for the lowest; equal scores share the better place."""
    return tuple(1 + sum(other < own for other in scores) for own in scores)

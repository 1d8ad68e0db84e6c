"""The score of a finished hand, and the ranking of a match."""

from collections.abc import Sequence

from hearts.game.cards import SEATS
from hearts.game.deal import Deal
from hearts.game.rules import MoonScoring, Rules

Points = tuple[int, ...]  # one number per seat

NO_SCORES: Points = (0,) * SEATS


def points_of(deal: Deal, scores: Points = NO_SCORES) -> Points:
    """The points of a finished hand, moon included; `scores` are the match scores before it.

    If the shooter may choose how the moon is scored, `moon_choice` decides.
    """
    shooter = deal.shooter
    if shooter is None:
        return deal.final_points()
    return deal.final_points(moon_choice(scores, shooter, deal.rules))


def moon_choice(scores: Sequence[int], shooter: int, rules: Rules) -> MoonScoring:
    """The best way to score a moon for the shooter, given the match scores before the hand.

    Both ways give the shooter the same lead over every other seat. They differ only in when the
    match ends: the others add, unless that ends the match with another seat ahead of the shooter.
    """
    if rules.moon is not MoonScoring.SHOOTER_CHOOSES:
        return rules.moon
    added = [own if seat == shooter else own + rules.total for seat, own in enumerate(scores)]
    ends = max(added) >= rules.target_score
    loses = ranking(added)[shooter] > 1
    return MoonScoring.SHOOTER_SUBTRACTS if ends and loses else MoonScoring.OTHERS_ADD


def ranking(scores: Sequence[int]) -> tuple[int, ...]:
    """The rank of each score, 1 for the lowest; equal scores share the better rank."""
    return tuple(1 + sum(other < own for other in scores) for own in scores)

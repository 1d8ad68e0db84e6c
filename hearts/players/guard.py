"""The player `guard`: `cautious` with an early and strong defence against the moon."""

from hearts.game.cards import HEARTS, Card, CardSet
from hearts.game.rules import ALL_HEARTS
from hearts.players.cautious import CautiousPlayer
from hearts.players.passing import rule_pass
from hearts.players.reading import Reading
from hearts.views.view import View


class GuardPlayer(CautiousPlayer):
    """Plays as `cautious`, but pays more, and earlier, to stop a moon."""

    name = "guard"
    alarm = 4
    stop_worth = 26.0

    def worth_of_stopping(self, reading: Reading) -> float:
        """Proportional to the points of the shooter, from `alarm` on."""
        held = reading.shooter_points
        return self.stop_worth * held / reading.rules.total if held >= self.alarm else 0.0

    def burden(self, reading: Reading, card: Card) -> float:
        """As for `cautious`, but the highest heart is kept while a moon is possible."""
        if card >> 4 == HEARTS and not reading.higher_out(card) and moon_possible(reading):
            return -1.0
        return super().burden(reading, card)

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """Pass by heuristic rules, but keep the highest heart."""
        top = view.hand & ALL_HEARTS
        stopper = 1 << top.bit_length() - 1 if top else 0
        return rule_pass(view.hand & ~stopper, view.direction, view.rules)


def moon_possible(reading: Reading) -> bool:
    """Whether another seat may still take every point."""
    return sum(points > 0 for points in reading.view.points) <= 1 and not have_points(reading)


def have_points(reading: Reading) -> bool:
    """Whether I have points, so that no other seat can shoot."""
    return reading.view.points[reading.view.seat] > 0

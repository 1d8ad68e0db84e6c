"""The playout policies by name."""

from enum import Enum

from hearts.game.rules import Rules


class Playout(Enum):
    """A policy that chooses the cards of a playout."""

    UNIFORM = "uniform"
    EPSILON_GREEDY = "epsilon-greedy"
    SHOOT_AWARE = "shoot-aware"
    SOFTMAX = "softmax"

    def under(self, rules: Rules) -> "Playout":
        """This policy, or ε-greedy if this policy does not support the rules.

        The softmax policy was trained on the usual scoring only; ε-greedy supports J♦.
        """
        supported = self is not Playout.SOFTMAX or rules.usual_scoring
        return self if supported else Playout.EPSILON_GREEDY

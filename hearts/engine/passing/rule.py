"""The pass by heuristic rules, without a search."""

import numpy as np

from hearts.engine.bridge.state import rules_word
from hearts.game.cards import CardSet
from hearts.game.rules import PassDirection, Rules
from hearts.kernels.policies.passing import pass_by_rule


def rule_pass(hand: CardSet, direction: PassDirection, rules: Rules) -> CardSet:
    """Choose three cards by the heuristic of hearts.kernels.policies.passing."""
    word = rules_word(rules)
    return int(pass_by_rule(np.uint64(hand), np.uint64(direction), word, 0.0, np.uint64(0)))

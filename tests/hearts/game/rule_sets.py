"""Hypothesis strategies for rules and hands."""

from typing import Any

from hypothesis import strategies as st

from hearts.game.cards import ALL_CARDS, set_of
from hearts.game.rules import FLAGS, MoonScoring, Rules


def rule_sets(**options: st.SearchStrategy[Any]) -> st.SearchStrategy[Rules]:
    """Rules with every flag on or off, and other options as given."""
    return st.builds(Rules, **{flag: st.booleans() for flag in sorted(FLAGS)}, **options)


ALL_RULES = rule_sets(moon=st.sampled_from(MoonScoring))
CARDS = st.sampled_from(ALL_CARDS)
HANDS = st.sets(CARDS, min_size=1, max_size=13).map(set_of)

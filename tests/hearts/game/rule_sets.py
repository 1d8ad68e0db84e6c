"""Hypothesis strategies for rules and hands."""

from dataclasses import replace

from hypothesis import strategies as st

from hearts.game.cards import ALL_CARDS, set_of
from hearts.game.rules import MoonScoring, Rules

MASKS = st.integers(0, (1 << 14) - 1)
ALL_RULES = st.builds(
    lambda mask, instead, moon: replace(
        Rules.from_mask(mask), hearts_instead_of_queen=instead, moon=moon
    ),
    MASKS,
    st.booleans(),
    st.sampled_from(MoonScoring),
)
CARDS = st.sampled_from(ALL_CARDS)
HANDS = st.sets(CARDS, min_size=1, max_size=13).map(set_of)

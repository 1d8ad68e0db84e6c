"""Rules as kernel words."""

from dataclasses import replace

from hearts.engine.bridge.state import rules_word
from hearts.game.rules import FLAGS, STANDARD, MoonScoring


def test_every_option_that_changes_play_or_points_has_a_bit_of_its_own():
    flipped = [replace(STANDARD, **{flag: not getattr(STANDARD, flag)}) for flag in sorted(FLAGS)]
    flipped.append(replace(STANDARD, moon=MoonScoring.SHOOTER_SUBTRACTS))
    bits = [int(rules_word(rules) ^ rules_word(STANDARD)) for rules in flipped]
    assert [bit.bit_count() for bit in bits] == [1] * len(bits)
    assert len(set(bits)) == len(bits)

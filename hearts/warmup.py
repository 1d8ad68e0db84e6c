"""Everything compiled once, so that the first real decision is as fast as the others."""

from itertools import product

from hearts.cards import parse_cards
from hearts.config import ALGORITHMS, SearchConfig
from hearts.decide import decide
from hearts.passing import choose_pass
from hearts.rules import PASSING, PassDirection
from hearts.trick import Trick
from hearts.view import View

_OPENING = "2C 5C 9C QC 3D 8D KD 4S QS 2H 6H 9H AH"


def compile_kernels() -> None:
    """Take one small decision of every kind."""
    hand = parse_cards(_OPENING)
    ending = View(0, parse_cards("3C 8D KD QS"), Trick(0), hearts_broken=True)
    middle = View(0, parse_cards("3C 9C 8D KD 4S QS 2H"), Trick(0), hearts_broken=True)
    for algorithm, view in product(ALGORITHMS, (ending, middle)):
        for time_ms in (None, 1.0):
            decide(
                view, SearchConfig(algorithm=algorithm, simulations=10, worlds=2, time_ms=time_ms)
            )
    passing = View(0, hand, Trick(0), rules=PASSING, direction=PassDirection.LEFT, passing=True)
    choose_pass(passing, SearchConfig(simulations=100))

"""Seeds of deals and decisions, and scores to start from, by the seed of a tournament.

The seed of a decision depends on the deal, the seat and the number of the card, not on the player.
So a player against itself plays the same hand in every seating, and the difference is exactly 0.
"""

import numpy as np

from hearts.engine.winning import shipped_model
from hearts.game.deal import Deal
from hearts.game.match import Match
from hearts.game.rules import PassDirection, Rules

_MASK = (1 << 64) - 1
PASS = 52  # the number of a pass among the decisions of a hand; plays are 0 … 51
FAULT = 64  # added to the number of a decision, to draw the card that replaces a fault
_START = -1 & _MASK  # in the place of a hand's number, to draw the hands before a start


def derive_seed(*values: int) -> int:
    """Hash integers to a 64-bit seed; the order matters (finaliser of SplitMix64)."""
    state = 0
    for value in values:
        state = (state ^ value) + 0x9E3779B97F4A7C15 & _MASK
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        state = (state ^ state >> 27) * 0x94D049BB133111EB & _MASK
        state ^= state >> 31
    return state


def deal_of(seed: int, number: int, hand: int, rules: Rules, direction: PassDirection) -> Deal:
    """Hand `hand` of deal `number`; hand 0 unless deals are matches."""
    rng = np.random.default_rng([seed, number, hand])
    return Deal.random(rules, direction, rng, leader=number % 4)


def match_of(seed: int, number: int, rules: Rules, from_score: int) -> Match:
    """Match `number` when a seat first has `from_score` points or more before a hand.

    The results of the hands so far are drawn from the hands of the match model; a match that is
    over by then is drawn again. With 0 it is a new match.
    """
    rng = np.random.default_rng([seed, number, _START])
    match = Match(rules)
    while max(match.scores) < from_score or match.finished:
        match = _with_hand(Match(rules) if match.finished else match, rng)
    return match


def _with_hand(match: Match, rng: np.random.Generator) -> Match:
    results, probabilities = shipped_model().results
    return match.add(tuple(results[rng.choice(len(results), p=probabilities)].tolist()))

"""Players that are programs: the protocol, and what happens when they break it."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from hearts.arena.referee import Referee
from hearts.cards import count, lowest, members
from hearts.deal import Deal
from hearts.players.command import CommandPlayer
from hearts.players.random import RandomPlayer
from hearts.rules import PASSING, PassDirection

SCRIPT = Path(__file__).with_name("scripted.py")


@contextmanager
def scripted(habit: str, limit: float = 10.0) -> Iterator[CommandPlayer]:
    """A player that runs our script."""
    player = CommandPlayer(shlex.join([sys.executable, str(SCRIPT), habit]), limit=limit)
    try:
        yield player
    finally:
        player.close()


def a_deal() -> Deal:
    return Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(5))


def test_a_program_plays_a_hand_and_says_what_it_did():
    with scripted("first") as player:
        referee = Referee([player, RandomPlayer(), RandomPlayer(), RandomPlayer()])
        deal = referee.play(a_deal(), seed=1)
    effort = referee.efforts[0]
    assert effort.faults == {}
    assert effort.simulations == 5 * effort.moves > 0
    assert deal.passes[0] == sum(1 << card for card in list(members(deal.dealt[0]))[:3])
    opening = deal.tricks[0].played_by(0)
    assert count(opening) == 1
    assert lowest(opening) in members(deal.dealt[0] | deal.passes[3])


@pytest.mark.parametrize(
    ("habit", "kind", "every"),
    [
        ("illegal", "illegal", True),
        ("babbles", "error", True),
        ("dies", "error", False),
        ("hangs", "timeout", False),
    ],
)
def test_faults_are_counted_and_the_hand_goes_on(habit, kind, every):
    with scripted(habit, limit=1.0 if habit == "hangs" else 10.0) as player:
        referee = Referee([player, RandomPlayer(), RandomPlayer(), RandomPlayer()])
        assert referee.play(a_deal(), seed=1).finished
    effort = referee.efforts[0]
    assert set(effort.faults) == {kind}
    assert (effort.faults[kind] == effort.moves) == every
    assert all(not other.faults for other in referee.efforts[1:])


def test_a_program_that_does_not_exist_is_a_fault_of_every_move():
    referee = Referee([CommandPlayer("/no/such/program")] + [RandomPlayer()] * 3)
    assert referee.play(a_deal(), seed=1).finished
    assert referee.efforts[0].faults == {"error": referee.efforts[0].moves}

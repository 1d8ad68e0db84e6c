"""Players that are programs: the protocol, and violations of it."""

import select
import shlex
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
import pytest

from hearts.arena.referee import Referee
from hearts.game.cards import count, lowest, members
from hearts.game.deal import Deal
from hearts.game.errors import InvalidConfig
from hearts.game.rules import PASSING, PassDirection
from hearts.players.command import CommandPlayer
from hearts.players.player import PlayerFailure, PlayerTimeout
from hearts.players.random import RandomPlayer
from hearts.views.view import View
from tests.server.service import wait_until

SCRIPT = Path(__file__).with_name("scripted.py")


@contextmanager
def running(*words: str, limit: float) -> Iterator[CommandPlayer]:
    player = CommandPlayer(shlex.join(words), limit=limit)
    try:
        yield player
    finally:
        player.close()


def shell(script: str, limit: float = 60.0) -> AbstractContextManager[CommandPlayer]:
    """A player that is a shell script."""
    return running("sh", "-c", script, limit=limit)


def a_deal() -> Deal:
    return Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(5))


def test_a_program_plays_a_hand_and_says_what_it_did():
    with running(sys.executable, str(SCRIPT), "first", limit=60.0) as player:
        referee = Referee([player, RandomPlayer(), RandomPlayer(), RandomPlayer()])
        deal = referee.play(a_deal(), seed=1)
    spent = referee.spending[0]
    assert spent.faults == {}
    assert spent.simulations == 5 * spent.moves > 0
    assert deal.passes[0] == sum(1 << card for card in list(members(deal.dealt[0]))[:3])
    opening = deal.tricks[0].played_by(0)
    assert count(opening) == 1
    assert lowest(opening) in members(deal.dealt[0] | deal.passes[3])


# The first legal card of the question, by the shell, which starts fast.
ANSWER = """legal=${line#*'"legal": ["'}; echo "{\\"card\\": \\"${legal%%\\"*}\\"}\""""


@pytest.mark.parametrize(
    ("habit", "kind", "every"),
    [
        ('echo \'{"card": "2C"}\'', "illegal", True),
        ("echo no JSON", "error", True),
        (f"[ $((n += 1)) = 4 ] && exit 1; {ANSWER}", "error", False),
        (f"[ $((n += 1)) = 4 ] && exec sleep 600; {ANSWER}", "timeout", False),
    ],
    ids=["illegal", "babbles", "dies", "hangs"],
)
def test_faults_are_counted_and_the_hand_goes_on(habit, kind, every):
    limit = 1.0 if kind == "timeout" else 60.0
    with shell(f"n=0; while read line; do {habit}; done", limit) as player:
        referee = Referee([player, RandomPlayer(), RandomPlayer(), RandomPlayer()])
        assert referee.play(Deal.of(PASSING, a_deal().dealt), seed=1).finished
    spent = referee.spending[0]
    assert spent.faults == {kind: spent.moves if every else spent.moves // 4}
    assert spent.moves > 4
    assert all(not other.faults for other in referee.spending[1:])


def test_a_program_that_does_not_exist_is_a_fault_of_every_move():
    referee = Referee([CommandPlayer("/no/such/program")] + [RandomPlayer()] * 3)
    assert referee.play(a_deal(), seed=1).finished
    assert referee.spending[0].faults == {"error": referee.spending[0].moves}


@pytest.mark.parametrize(
    ("script", "fault", "limit"),
    [
        ("exec sleep 600", PlayerTimeout, 0.2),  # silent
        ("exec cat /dev/zero", PlayerFailure, 600.0),  # a line without an end
        ("exit 1", PlayerFailure, 600.0),
        ("exec 0<&-; exec sleep 600", (PlayerFailure, PlayerTimeout), 0.2),  # closes its input
        ("exec 1>&-; exec sleep 600", PlayerFailure, 600.0),  # closes its output
        ("read line; echo '[1, 2]'", PlayerFailure, 600.0),
        ('read line; printf \'{"card": "2C"}\'', PlayerFailure, 600.0),  # cut off
        ("read line; printf '\\377\\n'", PlayerFailure, 600.0),  # no text
    ],
)
def test_a_program_that_is_no_player_costs_one_move(script, fault, limit):
    with shell(script, limit) as player:
        view = View.of(Deal.of(PASSING, a_deal().dealt), 0)
        with pytest.raises(fault):
            player.choose_card(view, 1)


def test_a_question_that_nobody_reads_does_not_block():
    with shell("exec sleep 600", limit=0.2) as player, pytest.raises(PlayerTimeout):
        player._exchange(b"?" * (1 << 21))  # more than a pipe holds


def test_an_answer_too_many_is_not_taken_for_the_next():
    with shell("while read line; do echo 1; sleep 0.05; echo 2; done") as player:
        assert player._exchange(b"?\n") == b"1\n"
        select.select([player.process.stdout], [], [])
        with pytest.raises(PlayerFailure, match="without being asked"):
            player._exchange(b"?\n")


def test_what_a_program_has_started_ends_with_it():
    with shell("read line; sleep 600 & echo $!; wait") as player:
        child = Path("/proc", player._exchange(b"?\n").decode().strip(), "stat")
        assert child.exists()
    wait_until(lambda: not child.exists() or ") Z " in child.read_text())


def test_a_command_that_cannot_be_read_is_refused():
    with pytest.raises(InvalidConfig, match="No closing quotation"):
        CommandPlayer('player "fast')

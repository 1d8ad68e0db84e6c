"""A player behind an address, against our own service on gunicorn."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from hearts.arena.referee import Referee
from hearts.game.cards import count
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, PassDirection
from hearts.players.passing import rule_pass
from hearts.players.random import RandomPlayer
from hearts.players.remote import RemotePlayer
from hearts.views.view import View
from tests.server.service import Service, free_port, hearts

QUICK = "simulations=200&worlds=10"


@pytest.fixture
def service(shared_service: Callable[..., Service]) -> Service:
    return shared_service()


def hand_with(
    player: RemotePlayer, seat: int, direction: PassDirection, limit: float = 30.0
) -> tuple[Deal, Referee]:
    """A whole hand of a player among three random ones, and what its referee has counted."""
    players = [player if each == seat else RandomPlayer() for each in range(4)]
    referee = Referee(players, limit)
    played = referee.play(Deal.random(PASSING, direction, np.random.default_rng(seat)), seed=seat)
    player.close()
    assert played.finished
    assert not any(referee.spending[each].faults for each in range(4) if each != seat)
    return played, referee


@pytest.mark.parametrize("seat", range(4))
def test_the_service_plays_whole_hands_from_every_seat_after_every_pass(service, seat):
    player = RemotePlayer(f"{service.base}?{QUICK}")
    _, referee = hand_with(player, seat, PassDirection(seat))
    spent = referee.spending[seat]
    assert spent.faults == {}
    assert spent.moves > 5
    assert spent.simulations > 200  # the figure of the answers arrives; endings are solved


def test_passing_is_the_service_s_or_ours(service):
    """A service without POST /api/pass, as the public C++ server, passes by our rules of thumb."""
    view = View.of(Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(5)), 2)
    theirs, ours = (RemotePlayer(f"{service.base}{path}?{QUICK}") for path in ("", "/nowhere"))
    passed = theirs.choose_pass(view, 1)
    assert count(passed & view.hand) == count(passed) == 3
    assert theirs.simulations > 100  # it was a search
    assert ours.choose_pass(view, 1) == rule_pass(view.hand, view.direction, view.rules)
    assert ours.simulations == 0
    theirs.close()
    ours.close()


def test_the_service_sits_at_the_table_of_a_tournament(service, tmp_path):
    address = f"{service.base}?{QUICK}"
    options = ("--deals", "2", "--jobs", "1", "--passing", "cycle", "--json")
    result = hearts("arena", address, "random", *options, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["hands"] == 8
    assert found["focus"]["faults"] == found["others"]["faults"] == {}
    assert found["focus"]["simulations_per_move"] > 20


def test_an_answer_that_comes_late_is_a_fault_and_the_hand_goes_on(service):
    player = RemotePlayer(f"{service.base}?simulations=100000&worlds=10", limit=0.02)
    _, referee = hand_with(player, 1, PassDirection.HOLD, limit=0.02)
    faults = referee.spending[1].faults
    assert set(faults) == {"timeout"}
    assert faults["timeout"] >= 3


def test_a_request_that_is_refused_is_a_fault_and_the_hand_goes_on(service):
    player = RemotePlayer(f"{service.base}?simulations=many")
    _, referee = hand_with(player, 2, PassDirection.HOLD)
    assert referee.spending[2].faults == {"error": referee.spending[2].moves}


def test_nobody_at_the_address_is_a_fault_and_the_hand_goes_on():
    player = RemotePlayer(f"http://127.0.0.1:{free_port()}")
    _, referee = hand_with(player, 3, PassDirection.RIGHT)
    assert referee.spending[3].faults == {"error": referee.spending[3].moves}

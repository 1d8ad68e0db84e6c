"""Players behind an address: what they are sent, and what may go wrong on the way."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from hearts.arena.referee import Referee
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, PassDirection
from hearts.players.player import PlayerFailure, PlayerTimeout
from hearts.players.random import RandomPlayer
from hearts.players.remote import RemotePlayer
from hearts.views.view import View


class Service(ThreadingHTTPServer):
    """Answers with the first legal card as a client would compute it, and keeps what it is sent."""

    daemon_threads = True
    behaviour = "plays"

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, dict]] = []
        self.connections = 0


# How an answer begins, what follows again and again, after how many seconds: none comes late.
ENDLESS = {
    "drips in its head": (b"X-Wait: ", b"a", 0.02),
    "drips in its body": (b"\r\n", b"a", 0.02),
    "floods": (b"\r\n", b"x" * 65536, 0.0),
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one write per answer

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def log_message(self, *_: object) -> None: ...

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, body))
        behaviour = self.server.behaviour
        if behaviour == "sleeps":
            time.sleep(1.0)
        if behaviour in ENDLESS:
            self.say_for_ever(*ENDLESS[behaviour])
        elif self.path.endswith("/pass") and behaviour == "no passing":
            self.answer(404, {"status": "error", "message": "not here"})
        elif self.path.endswith("/pass"):
            self.answer(200, {"status": "success", "pass": body["game_state"]["player_hand"][:3]})
        elif behaviour == "fails":
            self.answer(400, {"status": "error", "message": "no such state"})
        else:
            follows = behaviour != "invents"
            card = self.follow(body["game_state"]) if follows else self.foreign(body["game_state"])
            move = {"card": card, "player": 0}
            self.answer(200, {"status": "success", "move": move, "simulations": 7})

    def follow(self, state: dict) -> str:
        """The lowest card of the suit led, else any that is no point card if there is one."""
        hand, trick = state["player_hand"], state["current_trick"]["cards"]
        led = trick[0]["card"][-1] if trick else None
        quiet = [card for card in hand if card[-1] != "H" and card != "QS"]
        suit = [card for card in hand if card[-1] == led]
        if not state["trick_history"] and not trick:
            return "2C"
        return (suit or quiet or hand)[0]

    def foreign(self, state: dict) -> str:
        """A card that is not in the hand."""
        return next(card for card in ("2C", "3C", "4D") if card not in state["player_hand"])

    def say_for_ever(self, beginning: bytes, more: bytes, pause: float) -> None:
        with suppress(OSError):
            self.connection.sendall(b"HTTP/1.1 200 OK\r\n" + beginning)
            while True:
                self.connection.sendall(more)
                time.sleep(pause)

    def answer(self, status: int, body: dict) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def player(service: Service) -> Iterator[RemotePlayer]:
    made = RemotePlayer(f"http://127.0.0.1:{service.server_port}?simulations=50&level=easy")
    yield made
    made.close()


def a_deal(direction: PassDirection = PassDirection.LEFT) -> Deal:
    return Deal.random(PASSING, direction, np.random.default_rng(8))


def test_a_service_plays_hands_over_one_connection(service, player):
    referee = Referee([RandomPlayer(), player, RandomPlayer(), RandomPlayer()])
    for seed in range(3):
        assert referee.play(a_deal(), seed).finished
    spent = referee.spending[1]
    assert spent.faults == {}
    assert spent.simulations == 7 * (spent.moves - 3)
    assert service.connections == 1
    assert {path for path, _ in service.requests} == {"/api/move", "/api/pass"}
    config = service.requests[0][1]["ai_config"]
    assert (config["simulations"], config["level"]) == (50, "easy")


def test_a_service_without_passing_gets_our_pass(service, player):
    service.behaviour = "no passing"
    referee = Referee([player] + [RandomPlayer()] * 3)
    assert referee.play(a_deal(), seed=2).finished
    assert referee.spending[0].faults == {}


@pytest.mark.parametrize(
    ("behaviour", "kind"), [("invents", "illegal"), ("fails", "error"), ("sleeps", "timeout")]
)
def test_faults_of_a_service_are_counted_and_the_hand_goes_on(service, behaviour, kind):
    service.behaviour, limit = behaviour, 0.05 if behaviour == "sleeps" else 60.0
    player = RemotePlayer(f"http://127.0.0.1:{service.server_port}", limit=limit)
    referee = Referee([RandomPlayer(), RandomPlayer(), player, RandomPlayer()], limit=limit)
    assert referee.play(a_deal(PassDirection.HOLD), seed=2).finished
    player.close()
    spent = referee.spending[2]
    assert spent.moves > 5
    assert spent.faults == {kind: spent.moves}


def test_a_service_that_ends_in_the_middle_of_a_hand_costs_faults_and_no_hand(service):
    class Leaving(RemotePlayer):
        def choose_card(self, view, seed):
            if len(view.tricks) == 6:
                service.shutdown()
                service.server_close()  # nobody listens any more
                self.close()  # and the line is dead
            return super().choose_card(view, seed)

    player = Leaving(f"http://127.0.0.1:{service.server_port}")
    referee = Referee([player] + [RandomPlayer()] * 3)
    assert referee.play(a_deal(PassDirection.HOLD), seed=2).finished
    spent = referee.spending[0]
    assert set(spent.faults) == {"error"}
    assert 0 < spent.faults["error"] < spent.moves


def test_errors_and_lateness_are_told_apart(service, player):
    view = View.of(a_deal(PassDirection.HOLD), 0)
    service.behaviour = "fails"
    with pytest.raises(PlayerFailure, match="400 no such state"):
        player.choose_card(view, 1)
    service.behaviour = "sleeps"
    hasty = RemotePlayer(f"http://127.0.0.1:{service.server_port}", limit=0.2)
    with pytest.raises(PlayerTimeout):
        hasty.choose_card(view, 1)
    hasty.close()


@pytest.mark.parametrize("behaviour", ENDLESS)
def test_an_answer_without_an_end_is_cut_off(service, behaviour):
    fault, limit = (PlayerFailure, 600.0) if behaviour == "floods" else (PlayerTimeout, 0.3)
    view = View.of(a_deal(PassDirection.HOLD), 0)
    player = RemotePlayer(f"http://127.0.0.1:{service.server_port}", limit=limit)
    service.behaviour = behaviour
    with pytest.raises(fault):
        player.choose_card(view, 1)
    service.behaviour = "plays"
    player = RemotePlayer(f"http://127.0.0.1:{service.server_port}")
    assert view.legal & 1 << player.choose_card(view, 1)
    player.close()


def test_nobody_there_is_a_failure():
    with pytest.raises(PlayerFailure):
        RemotePlayer("http://127.0.0.1:9", limit=1.0).choose_card(
            View.of(a_deal(PassDirection.HOLD), 0), 1
        )

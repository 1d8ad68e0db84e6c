"""A player that is an external program; it reads and writes one JSON object per line.

    → {"ask": "card", "seed": 17, "legal": ["2S", "9S"], "view": {…}}
    ← {"card": "9S"}
    → {"ask": "pass", "seed": 18, "legal": [13 cards], "view": {…}}
    ← {"cards": ["QS", "AS", "KH"]}

`view` is `View.as_object` (`View.parse` reads it). `view.seat` must choose; seats are absolute.
An answer may have `simulations`, the number done. The program is started for the first
question and answers until its stdin ends. After a late or invalid answer it is killed, and started
again for the next question. It inherits stderr.
"""

import json
import os
import selectors
import shlex
import signal
import subprocess
from contextlib import suppress
from time import monotonic
from typing import Any

from hearts.game.cards import Card, CardSet, names, parse_card, parse_cards
from hearts.game.errors import InvalidConfig
from hearts.players.player import (
    LONGEST_ANSWER,
    Player,
    PlayerFailure,
    PlayerTimeout,
    simulations_in,
)
from hearts.views.view import View

CHUNK = 65536  # bytes read or written at once


class CommandPlayer(Player):
    """Runs a program and asks it line by line."""

    def __init__(self, command: str, name: str = "", limit: float = 30.0) -> None:
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise InvalidConfig("player", f"command: {command!r}: {error}") from error
        if not self.words:
            raise InvalidConfig("player", "command: names no program")
        self.name = name or self.words[0]
        self.limit = limit
        self.process: subprocess.Popen[bytes] | None = None

    def choose_card(self, view: View, seed: int) -> Card:
        """Ask the program for a card."""
        answer = self._ask({"ask": "card", "seed": seed, "legal": names(view.legal)}, view)
        return parse_card(answer.get("card"))

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """Ask the program for three cards."""
        answer = self._ask({"ask": "pass", "seed": seed, "legal": names(view.hand)}, view)
        cards = answer.get("cards")
        if not isinstance(cards, list):
            raise PlayerFailure(f"{self.name}: the answer has no cards")
        return parse_cards(cards)

    def close(self) -> None:
        """Kill the process group of the program."""
        process, self.process = self.process, None
        if process is None:
            return
        with suppress(ProcessLookupError):  # it has already ended
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def _ask(self, question: dict[str, Any], view: View) -> dict[str, Any]:
        try:
            line = json.dumps(question | {"view": view.as_object()}) + "\n"
            answer = json.loads(self._exchange(line.encode()))
        except PlayerTimeout:
            self.close()
            raise
        except (OSError, ValueError, PlayerFailure) as error:
            self.close()
            raise PlayerFailure(f"{self.name}: {error}") from error
        if not isinstance(answer, dict):
            raise PlayerFailure(f"{self.name}: {answer!r} is not an object")
        self.simulations += simulations_in(answer)
        return answer

    def _exchange(self, line: bytes) -> bytes:
        """Write a line to the program and read one, within the limit."""
        process, deadline = self._running(), monotonic() + self.limit
        assert process.stdin is not None  # both are pipes
        assert process.stdout is not None
        if _ready(process.stdout.fileno(), selectors.EVENT_READ, monotonic()):
            # Read as an answer, it would shift all following answers by one.
            raise PlayerFailure("the program has ended, or wrote without being asked")
        _write(process.stdin.fileno(), line, deadline)
        return _read_line(process.stdout.fileno(), deadline)

    def _running(self) -> subprocess.Popen[bytes]:
        if self.process is None or self.process.poll() is not None:
            self.close()
            pipe = subprocess.PIPE
            # In its own session, so that its child processes can be killed with it.
            self.process = subprocess.Popen(
                self.words, stdin=pipe, stdout=pipe, bufsize=0, start_new_session=True
            )
            assert self.process.stdin is not None
            os.set_blocking(self.process.stdin.fileno(), False)  # it may not be reading
        return self.process


def _write(target: int, line: bytes, deadline: float) -> None:
    while line:
        if not _ready(target, selectors.EVENT_WRITE, deadline):
            raise PlayerTimeout
        line = line[os.write(target, line[:CHUNK]) :]


def _read_line(source: int, deadline: float) -> bytes:
    """Read one line; further output answers no question, and is a fault."""
    line = bytearray()
    while not line.endswith(b"\n"):
        if not _ready(source, selectors.EVENT_READ, deadline):
            raise PlayerTimeout
        chunk = os.read(source, CHUNK)
        if not chunk:
            raise PlayerFailure("the program has ended")
        line += chunk
        if len(line) > LONGEST_ANSWER:
            raise PlayerFailure(f"an answer of more than {LONGEST_ANSWER} bytes")
    return bytes(line)


def _ready(pipe: int, event: int, deadline: float) -> bool:
    """Whether a pipe can be read or written before the deadline."""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, event)
        return bool(selector.select(max(0.0, deadline - monotonic())))

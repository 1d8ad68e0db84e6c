"""A player that is a program: one JSON object per line on its stdin, one on its stdout.

    → {"ask": "card", "seed": 17, "legal": ["2S", "9S"], "view": {…}}
    ← {"card": "9S"}
    → {"ask": "pass", "seed": 18, "legal": [13 cards], "view": {…}}
    ← {"cards": ["QS", "AS", "KH"]}

`view` is `View.as_object` (`hearts.notation.view_of` reads it): `view.seat` is asked, and seats are
absolute. An answer may have `simulations`, the number done. The program starts with the first
question and answers until its stdin ends; after an answer that is late or no JSON it is killed and
started anew. Its stderr goes to ours.
"""

import json
import os
import selectors
import shlex
import subprocess
from time import monotonic
from typing import Any

from hearts.cards import Card, CardSet, names, parse_card, parse_cards
from hearts.errors import InvalidConfig
from hearts.players.player import Player, PlayerFailure, PlayerTimeout
from hearts.view import View

CHUNK = 65536  # bytes read at once


class CommandPlayer(Player):
    """Starts a program and asks it line by line."""

    def __init__(self, command: str, name: str = "", limit: float = 30.0) -> None:
        self.words = shlex.split(command)
        if not self.words:
            raise InvalidConfig("player", "command: names no program")
        self.name = name or self.words[0]
        self.limit = limit
        self.process: subprocess.Popen[bytes] | None = None

    def choose_card(self, view: View, seed: int) -> Card:
        """The card of the program's answer."""
        answer = self._ask({"ask": "card", "seed": seed, "legal": names(view.legal)}, view)
        return parse_card(answer.get("card"))

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """The three cards of the program's answer."""
        answer = self._ask({"ask": "pass", "seed": seed, "legal": names(view.hand)}, view)
        cards = answer.get("cards")
        if not isinstance(cards, list):
            raise PlayerFailure(f"{self.name}: the answer has no cards")
        return parse_cards(cards)

    def close(self) -> None:
        """End the program."""
        process, self.process = self.process, None
        if process is None:
            return
        process.kill()
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
            raise PlayerFailure(f"{self.name}: {answer!r} is no object")
        done = answer.get("simulations", 0)
        self.simulations += done if isinstance(done, int) else 0
        return answer

    def _exchange(self, line: bytes) -> bytes:
        """Write a line to the program and read one, within the limit."""
        process = self._running()
        assert process.stdin is not None  # both are pipes
        assert process.stdout is not None
        process.stdin.write(line)
        return _read_line(process.stdout.fileno(), self.limit, self.name)

    def _running(self) -> subprocess.Popen[bytes]:
        if self.process is None or self.process.poll() is not None:
            self.close()
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(self.words, stdin=pipe, stdout=pipe, bufsize=0)
        return self.process


def _read_line(source: int, limit: float, who: str) -> bytes:
    """A line from a pipe; what would follow it belongs to no question, and is a fault."""
    deadline, line = monotonic() + limit, b""
    with selectors.DefaultSelector() as selector:
        selector.register(source, selectors.EVENT_READ)
        while not line.endswith(b"\n"):
            if not selector.select(max(0.0, deadline - monotonic())):
                raise PlayerTimeout(who)
            chunk = os.read(source, CHUNK)
            if not chunk:
                raise PlayerFailure("the program has ended")
            line += chunk
    return line

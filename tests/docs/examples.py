"""Examples of the documents, executed: curl commands, the answers shown below them, Python."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.docs.markdown import Block, all_blocks, split_commands

ADDRESS = "http://127.0.0.1:8080"  # where the documents expect a service
STATUS = re.compile(r'title="(\d+)')
CUT = "…"  # stands for whatever a document leaves out


class Example(NamedTuple):
    """A request as a document writes it, and the answer that it shows."""

    words: list[str]  # of the curl command
    shown: Block | None

    @property
    def status(self) -> int:
        """The status that the document promises."""
        found = STATUS.search(self.shown.about) if self.shown else None
        return int(found[1]) if found else 200


def examples(text: str) -> Iterator[Example]:
    """The curl commands of a text, each with the answer that follows it."""
    found = all_blocks(text)
    for block, after in zip(found, [*found[1:], None], strict=True):
        for words in split_commands(block.text) if block.language == "sh" else ():
            if words[0] == "curl":
                answered = after is not None and after.language in ("json", "text")
                yield Example(words, after if answered else None)


class Shell:
    """Sends the examples of one document in order; variables come from earlier answers."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self.variables: dict[str, str] = {}

    def run(self, example: Example) -> TestResponse:
        """Send a request, and remember what later ones refer to."""
        answer = self._send([self._expanded(word) for word in example.words[1:]])
        found = answer.json if answer.is_json else {}
        if "table_id" in found:
            self.variables["TABLE"] = found["table_id"]
        if "game_id" in found:
            self.variables["GAME"] = found["game_id"]
        if found.get("tokens"):
            self.variables["TOKEN"] = found["tokens"][0]
        return answer

    def _expanded(self, word: str) -> str:
        for name, value in self.variables.items():
            word = word.replace(f"${name}", value)
        return word

    def _send(self, words: list[str]) -> TestResponse:
        headers, body, url, method = {}, None, "", None
        options = iter(words)
        for word in options:
            if word == "-H":
                name, _, value = next(options).partition(": ")
                headers[name] = value
            elif word == "-d":
                body = next(options)
            elif word == "-X":
                method = next(options)
            elif not word.startswith("-"):
                url = word
        assert url.startswith(ADDRESS), f"no address in {words}"
        place = urlsplit(url)
        method = method or ("GET" if body is None else "POST")
        path = f"{place.path}?{place.query}" if place.query else place.path
        return self.client.open(path, method=method, headers=headers, data=body)


def check_shown(shown: Block, answer: TestResponse) -> None:
    """Every key that a document shows is in the answer, with a value of the same kind."""
    if shown.language == "json":
        check_value(json.loads(shown.text), answer.json, "answer")
    else:
        for line in shown.text.split(CUT):
            assert line.strip() in answer.text


def check_value(shown: Any, real: Any, place: str) -> None:
    """Compare keys and kinds of values; figures may differ."""
    if isinstance(shown, dict):
        assert isinstance(real, dict), place
        for key, value in shown.items():
            assert key in real, f"{place} has no {key}"
            check_value(value, real[key], f"{place}.{key}")
    elif isinstance(shown, list):
        assert isinstance(real, list), place
        for value, below in zip(shown, real, strict=False):
            check_value(value, below, f"{place}[]")
    elif shown != CUT and isinstance(shown, bool | str | None):
        assert isinstance(real, type(shown)), f"{place}: {real!r} is not like {shown!r}"

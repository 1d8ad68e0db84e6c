"""Server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Event = tuple[str, Mapping[str, Any]]  # its name and its JSON object


def read_events(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events in the lines of a stream."""
    event = "message"
    for line in lines:
        name, _, value = line.decode().rstrip("\r\n").partition(": ")
        if name == "event":
            event = value
        elif name == "data":
            yield event, json.loads(value)

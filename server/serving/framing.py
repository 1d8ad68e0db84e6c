"""Where a request in a buffer ends, found before a thread reads it.

Only unambiguous requests are framed: one Content-Length of digits, or `Transfer-Encoding: chunked`
alone with chunks as RFC 9112 writes them. For anything else what has arrived is handed over:
gunicorn's parser answers it with an error, or the application does without reading the body. Then
the connection is closed, so no byte of it can pass for another request.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from server.serving.targets import NO_TARGET, Target, target_of

MAX_HEAD = 64 * 1024  # bytes; gunicorn's own limits on lines and fields are lower
_END = b"\r\n\r\n"
_LINE = b"\r\n"
_MAX_CHUNK_LINE = 256  # bytes of the line with the size of a chunk, extensions included
_MAX_DIGITS = 20  # of a Content-Length
_CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]{1,16})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?")


class TooLarge(Exception):
    """The body of a request is larger than allowed."""


@dataclass
class Framing:
    """The progress through one request; `end` is its size in bytes, None until that is known."""

    limit: int  # bytes of a body
    limits: Mapping[str, int] = field(default_factory=dict)  # of paths that have another limit
    end: int | None = None
    target: Target = NO_TARGET  # until the head has arrived
    awaits_continue: bool = False  # the client sends the body after `100 Continue`
    is_last: bool = False  # it cannot be said where a further request would begin
    _head: int | None = None  # size of the head
    _is_chunked: bool = False
    _seen: int = 0  # bytes that have been examined
    _body: int = 0  # bytes of the chunks so far

    def is_complete(self, data: bytearray) -> bool:
        """Whether the whole request has arrived; raises TooLarge."""
        if self._head is None:
            self._find_head(data)
        if self._is_chunked and self.end is None:
            self._find_last_chunk(data)
        return self.end is not None and len(data) >= self.end

    def _find_head(self, data: bytearray) -> None:
        begin = len(_LINE) if data.startswith(_LINE) else 0  # gunicorn skips one empty line, too
        at = data.find(_END, max(begin, self._seen - len(_END)))
        self._seen = len(data)
        if at >= 0:
            self._head = self._seen = at + len(_END)
            self._read_head(bytes(data[begin:at]))
        elif len(data) > MAX_HEAD:
            self._give_up(data)

    def _read_head(self, head: bytes) -> None:
        """Take the size of the body from the head."""
        assert self._head is not None
        lengths, codings, expects = [], [], False
        request_line, *lines = head.split(_LINE)
        self.target = target_of(request_line)
        self.limit = self.limits.get(self.target.path, self.limit)
        for line in lines:
            name, _, value = line.partition(b":")
            match name.strip().lower():
                case b"content-length":
                    lengths.append(value.strip())
                case b"transfer-encoding":
                    codings.append(value.strip().lower())
                case b"expect":
                    expects = value.strip().lower() == b"100-continue"
        self.awaits_continue = expects and not request_line.endswith(b"HTTP/1.0")
        if not lengths and not codings:
            self.end = self._head
        elif codings == [b"chunked"] and not lengths:
            self._is_chunked = True
        elif len(lengths) == 1 and _is_length(lengths[0]) and not codings:
            self._expect(int(lengths[0]))
        else:
            self.end, self.is_last = self._head, True

    def _expect(self, length: int) -> None:
        if length > self.limit:
            raise TooLarge
        assert self._head is not None
        self.end = self._head + length

    def _find_last_chunk(self, data: bytearray) -> None:
        """Go on from chunk to chunk; `_seen` is where the next one begins, after a CRLF."""
        while len(data) >= self._seen:
            if not data.endswith(_LINE, 0, self._seen):
                self._give_up(data)
                return
            line = data.find(_LINE, self._seen, self._seen + _MAX_CHUNK_LINE)
            if line < 0:
                if len(data) - self._seen >= _MAX_CHUNK_LINE:
                    self._give_up(data)
                return
            size = _chunk_size(bytes(data[self._seen : line]))
            if not size:
                self._give_up(data) if size is None else self._find_trailer(data, line)
                return
            self._add_chunk(line + len(_LINE), size)

    def _add_chunk(self, begin: int, size: int) -> None:
        """Count a chunk whose data begin somewhere; raises TooLarge."""
        assert self._head is not None
        self._body += size
        self._seen = begin + size + len(_LINE)
        if self._body > self.limit or self._seen - self._head > 2 * self.limit:
            raise TooLarge  # tiny chunks take a multiple of their content

    def _find_trailer(self, data: bytearray, last: int) -> None:
        """Find the empty line after the last chunk, which begins before `last`."""
        at = data.find(_END, last)
        if at >= 0:
            self.end = at + len(_END)
        elif len(data) - last > MAX_HEAD:
            self._give_up(data)

    def _give_up(self, data: bytearray) -> None:
        """Hand over everything that has arrived."""
        self.end, self.is_last = len(data), True


def _is_length(value: bytes) -> bool:
    return value.isdigit() and len(value) <= _MAX_DIGITS


def _chunk_size(line: bytes) -> int | None:
    found = _CHUNK_LINE.fullmatch(line)
    return int(found[1], 16) if found else None

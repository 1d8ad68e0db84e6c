"""A server on a socket that follows a script, and counts the requests that it has executed."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
BUSY = b"HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 2\r\n\r\n{}"
LIMITED = BUSY.replace(b"503 Busy", b"429 Too many")
DOWN = b"HTTP/1.1 503 Down\r\nContent-Length: 2\r\n\r\n{}"
# An answer that never ends: its beginning, what follows again and again, the seconds between.
ENDLESS = {
    "trickles in its head": (b"HTTP/1.1 200 OK\r\nX-Wait: ", b"a", 0.02),
    "trickles in its body": (b"HTTP/1.1 200 OK\r\n\r\n", b"a", 0.02),
    "floods": (b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65536, 0.0),
}
# How a connection ends, by what the server has done until then. The last two have executed.
ENDS = ("on accept", "by a reset", "in the head", "in the body", "unanswered", "half an answer")


@dataclass
class Server:
    """What was asked, and what comes next: answers, or how to end the connection."""

    script: list[bytes | str]
    executed: list[bytes] = field(default_factory=list)  # heads of requests that came complete
    connections: int = 0
    port: int = 0

    @property
    def url(self) -> str:
        """The address."""
        return f"http://127.0.0.1:{self.port}"

    def serve(self, listener: socket.socket) -> None:
        """Serve one connection after the other until the listener is closed."""
        with suppress(OSError):
            while True:
                line, _ = listener.accept()
                self.connections += 1
                with line, suppress(OSError):
                    line.settimeout(30)
                    self._talk(line)

    def _talk(self, line: socket.socket) -> None:
        while True:
            step = self.script.pop(0) if self.script else OK
            if step == "on accept":
                return
            if step in ("in the head", "by a reset"):
                line.recv(10)
                abrupt = struct.pack("ii", step == "by a reset", 0)
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, abrupt)
                return
            if not self._read(line, whole=step != "in the body"):
                return
            if step in ENDLESS:
                self._say_for_ever(line, *ENDLESS[str(step)])
            if not isinstance(step, bytes):
                line.sendall(OK[:-1] if step == "half an answer" else b"")
                return
            line.sendall(step)
            if b"Connection: close" in step:
                return

    def _read(self, line: socket.socket, whole: bool) -> bool:
        """Read a request, or its head and a part of the body; false where none comes."""
        data = b""
        while b"\r\n\r\n" not in data:
            piece = line.recv(65536)
            if not piece:
                return False
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        lengths = [text for text in head.split(b"\r\n") if text.startswith(b"Content-Length: ")]
        length = int(lengths[0].split()[1]) if lengths else 0
        while whole and len(body) < length:
            body += line.recv(65536)
        if whole:
            self.executed.append(head)
        return True

    def _say_for_ever(self, line: socket.socket, beginning: bytes, more: bytes, s: float) -> None:
        line.sendall(beginning)
        while True:
            line.sendall(more)
            time.sleep(s)


@contextmanager
def serving(*script: bytes | str) -> Iterator[Server]:
    """A server that follows `script`, step by step with every request, and then answers 200."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(list(script), port=listener.getsockname()[1])
        thread = threading.Thread(target=server.serve, args=(listener,), daemon=True)
        thread.start()
        yield server
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(timeout=10)

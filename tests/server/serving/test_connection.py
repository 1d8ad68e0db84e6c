"""A client's connection, with a real socket."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from server.serving import connection as module
from server.serving.connection import Connection
from server.serving.worker import Worker
from tests.server.service import AT_ONCE

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
EXPECTING = b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
MEGABYTE = b"x" * 1024 * 1024


@pytest.fixture
def ends() -> Iterator[tuple[Connection, socket.socket]]:
    """The service's end of a connection, and the client's."""
    ours, theirs = socket.socketpair()
    theirs.settimeout(10)
    made = Connection(ours, "client", "server")
    with theirs:
        yield made, theirs
    made.free()


def fill(connection: Connection) -> None:
    """Send until the kernel's buffer is full."""
    with suppress(BlockingIOError):
        while True:
            os.write(connection.fileno(), MEGABYTE)


def test_a_request_is_not_served_before_the_client_has_read_earlier_answers(ends):
    ours, theirs = ends
    theirs.sendall(REQUEST * 2)
    assert ours.read()
    fill(ours)
    ours.next_request()
    assert not ours.read()
    theirs.shutdown(socket.SHUT_WR)
    ours.peer.gone = True  # as the poller reports
    assert not ours.is_over  # an answer is still to be sent
    while not ours.read():
        theirs.recv(65536)


def test_the_word_to_send_a_body_neither_blocks_nor_fails(ends):
    ours, theirs = ends
    fill(ours)
    theirs.sendall(EXPECTING)
    begun = time.monotonic()
    assert not ours.read()
    assert time.monotonic() - begun < AT_ONCE  # and not the 10 s of a blocking write


def test_the_word_to_send_a_body_may_come_too_late(ends):
    ours, theirs = ends
    theirs.sendall(EXPECTING)
    theirs.shutdown(socket.SHUT_RD)  # writing to it fails
    assert not ours.read()


def test_a_client_that_reads_slowly_but_steadily_gets_a_large_answer(ends):
    ours, theirs = ends
    ours.settimeout(1.0)
    received = bytearray()

    def read() -> None:
        while len(received) < 2 * len(MEGABYTE):
            received.extend(theirs.recv(65536))
            time.sleep(0.05)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    begun = time.monotonic()
    ours.sendall(MEGABYTE * 2)
    assert time.monotonic() - begun > 1.0  # longer than any pause may be
    reader.join(10)
    assert len(received) == 2 * len(MEGABYTE)


def test_a_client_that_stops_reading_is_given_up(ends):
    ours, _ = ends
    ours.settimeout(0.2)
    with pytest.raises(TimeoutError):
        ours.sendall(MEGABYTE * 4)


def test_a_client_that_reads_too_slowly_is_given_up_in_the_end(ends, monkeypatch):
    monkeypatch.setattr(module, "ANSWER_SECONDS", 0.3)
    ours, theirs = ends
    over = threading.Event()

    def trickle() -> None:
        while not over.wait(0.01):
            theirs.recv(8192)

    reader = threading.Thread(target=trickle, daemon=True)
    reader.start()
    with pytest.raises(TimeoutError):
        ours.sendall(MEGABYTE * 64)
    over.set()
    reader.join(10)


def test_who_has_hung_up_stays_so_for_the_next_request(ends):
    ours, theirs = ends
    theirs.sendall(REQUEST * 2)
    assert ours.read()
    ours.peer.gone = True
    ours.next_request()
    assert ours.read()
    assert ours.peer.gone


def test_closing_it_sends_the_end_but_keeps_the_descriptor(ends):
    ours, theirs = ends
    descriptor = ours.fileno()
    ours.close()
    assert theirs.recv(1) == b""
    assert ours.fileno() == descriptor
    theirs.sendall(b"more")
    assert os.read(descriptor, 10) == b"more"


def test_draining_a_client_that_sends_faster_than_it_is_read_leaves_turns_to_others():
    """/dev/zero never has to be waited for; no client is as fast on a busy machine."""
    again: list[object] = []
    queue = SimpleNamespace(defer=lambda *call: again.append(call))
    worker = SimpleNamespace(method_queue=queue, drain="drain")
    with Path("/dev/zero").open("rb") as endless:
        flood = SimpleNamespace(is_closed=False, fileno=endless.fileno)
        thread = threading.Thread(target=Worker.drain, args=(worker, flood), daemon=True)
        thread.start()
        thread.join(AT_ONCE)
        assert again == [("drain", flood)]

"""A worker survives errors of the application, a lack of descriptors, and rude clients."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from server.serving.worker import OTHER_FILES
from tests.server.api import SHORT
from tests.server.service import AT_ONCE, Service, serving, wait_until
from tests.server.serving.faulty import FILES
from tests.server.serving.test_workers import asking, workers_of

COMMAND = (sys.executable, "-m", "tests.server.serving.faulty")
ROOT = Path(__file__).parents[3]
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One worker with one slot that may open few files."""
    settings = {"PYTHONPATH": str(ROOT), "HEARTS_SLOTS": "1"}
    with serving(tmp_path_factory.mktemp("faulty"), None, COMMAND, **settings) as running:
        yield running


@pytest.fixture(autouse=True)
def survives(service: Service) -> Iterator[None]:
    """The worker of the service is the same after a test, and answers."""
    before = workers_of(service)
    yield
    assert service.get("/healthz", seconds=AT_ONCE)[0] == 200
    assert workers_of(service) == before


def connected(service: Service, request: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", service.port), timeout=AT_ONCE)
    connection.sendall(request)
    return connection


def everything_on(connection: socket.socket) -> bytes:
    """What comes until the service closes the connection."""
    data = b""
    while more := connection.recv(65536):
        data += more
    return data


def test_an_error_in_a_stream_cuts_it_and_nothing_else(service):
    for _ in range(3):
        with connected(service, b"GET /fail HTTP/1.1\r\nHost: x\r\n\r\n" + HEALTH) as connection:
            data = everything_on(connection)
        assert data.startswith(b"HTTP/1.1 200")
        assert data.endswith(b"\r\n\r\n5\r\nfirst\r\n")  # the last chunk is missing
        assert service.get("/healthz")[0] == 200


def test_connections_wait_while_no_descriptor_is_free(service):
    with connected(service, b"GET /use-up HTTP/1.1\r\nHost: x\r\n\r\n"):
        time.sleep(0.5)
        with connected(service, HEALTH) as late:
            assert late.recv(65536).startswith(b"HTTP/1.1 200")
    assert service.log.read_text().count("cannot accept connections: Too many open files") == 1


def test_a_worker_keeps_descriptors_for_other_things_than_connections(service):
    most = FILES - OTHER_FILES
    with ExitStack() as stack:
        clients = [stack.enter_context(connected(service, HEALTH)) for _ in range(most + 20)]
        wait_until(lambda: len(select.select(clients, [], [], 0)[0]) >= most)
        time.sleep(0.3)  # in which the others would be answered
        assert len(select.select(clients, [], [], 0)[0]) == most


def test_a_client_that_never_stops_sending_stops_nobody(service):
    over, cut = threading.Event(), threading.Event()

    def flood() -> None:
        too_long = b"POST /api/move HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n"
        with connected(service, too_long) as connection, suppress(OSError):
            while not over.is_set():
                connection.sendall(b"x" * 1_000_000)
        if not over.is_set():
            cut.set()

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        time.sleep(0.5)
        assert service.get("/healthz", seconds=AT_ONCE)[0] == 200
        assert cut.wait(AT_ONCE)
    finally:
        over.set()
        thread.join()


def test_a_client_that_hangs_up_with_its_request_keeps_no_slot(service):
    long = {"game_state": {"player_hand": SHORT}, "ai_config": {"time_ms": 10_000, "threads": 1}}
    (worker,) = workers_of(service)
    os.kill(worker, signal.SIGSTOP)  # so that it hears of request and end at the same time
    try:
        asking(service, long).close()
    finally:
        os.kill(worker, signal.SIGCONT)
    begun = time.monotonic()
    wait_until(lambda: '"path": "/api/move"' in service.log.read_text(), AT_ONCE)
    assert time.monotonic() - begun < AT_ONCE

"""Several worker processes of one service."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.server.api import SHORT
from tests.server.service import AT_ONCE, Service, free_port, hearts, serving, wait_until

QUICK = {"game_state": {"player_hand": SHORT}, "ai_config": {"simulations": 100}}
LONG = {"game_state": {"player_hand": SHORT}, "ai_config": {"time_ms": 10_000}}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Two workers that share one slot."""
    settings = {"HEARTS_WORKERS": "2", "HEARTS_SLOTS": "1", "HEARTS_QUEUE": "16"}
    with serving(tmp_path_factory.mktemp("workers"), **settings) as running:
        yield running


def workers_of(service: Service) -> list[int]:
    pid = service.process.pid
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def sockets_of(pid: int) -> int:
    links = [os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir() if path.is_symlink()]
    return sum(link.startswith("socket:") for link in links)


def connected(service: Service) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", service.port), timeout=30)
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    assert connection.recv(65536).startswith(b"HTTP/1.1 200")
    return connection


def asking(service: Service, body: object) -> socket.socket:
    """A connection on which a move was asked for."""
    data = json.dumps(body).encode()
    connection = socket.create_connection(("127.0.0.1", service.port), timeout=30)
    head = b"POST /api/move HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    connection.sendall(head + b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
    return connection


def assert_a_move_is_quick(service: Service) -> None:
    begun = time.monotonic()
    assert service.post("/api/move", QUICK)["status"] == "success"
    assert time.monotonic() - begun < AT_ONCE


def test_clients_that_keep_their_connections_are_spread(service):
    time.sleep(0.2)  # until the connections of earlier requests are closed
    before = Counter({pid: sockets_of(pid) for pid in workers_of(service)})
    with ExitStack() as stack:
        for _ in range(8):
            stack.enter_context(connected(service))
        more = [sockets_of(pid) - count for pid, count in before.items()]
    assert sum(more) == 8
    assert min(more) >= 3


def test_a_search_whose_client_has_gone_stops(service):
    clients = [asking(service, LONG) for _ in range(3)]  # one searches, two wait
    time.sleep(0.5)
    for client in clients:
        client.close()
    assert_a_move_is_quick(service)


def test_a_killed_worker_gives_its_slot_back_and_is_replaced(service):
    before = set(workers_of(service))
    with asking(service, LONG):
        time.sleep(0.5)
        for pid in before:  # one of them searches
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: len(set(workers_of(service)) - before) == 2)
        assert_a_move_is_quick(service)


def test_a_reload_replaces_all_workers_and_fails_no_request(service):
    over, statuses, before = threading.Event(), Counter[int](), set(workers_of(service))

    def hammer() -> None:
        while not over.is_set():
            with closing(HTTPConnection("127.0.0.1", service.port, timeout=30)) as connection:
                reused = True
                while reused and not over.is_set():
                    connection.request("GET", "/healthz")
                    answer = connection.getresponse()
                    answer.read()
                    statuses[answer.status] += 1
                    reused = answer.headers["Connection"] == "keep-alive"

    with ThreadPoolExecutor(4) as pool:
        clients = [pool.submit(hammer) for _ in range(4)]
        time.sleep(0.3)
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: len(workers_of(service)) == 2 and not before & set(workers_of(service)))
        over.set()
        for client in clients:
            client.result()
    assert statuses.keys() == {200}


@pytest.mark.thorough
def test_workers_whose_master_is_killed_leave_the_port(tmp_path):
    with serving(tmp_path, HEARTS_WORKERS="2") as running, connected(running), connected(running):
        workers = workers_of(running)
        running.process.kill()
        running.process.wait()
        wait_until(lambda: _is_free(running.port), seconds=15)  # and not the 30 s of a shutdown
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def test_a_busy_port_is_reported_before_anything_is_served(tmp_path):
    port = free_port()
    with socket.create_server(("127.0.0.1", port)):
        ran = hearts("serve", "--port", str(port), cwd=tmp_path)
    assert ran.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in ran.stderr
    assert "serving on" not in ran.stderr
    assert "Traceback" not in ran.stderr


def test_any_worker_answers_for_the_metrics_of_all(service):
    counted = 'hearts_requests_total{endpoint="/api/ladder",method="GET",status="200"} '

    def count() -> float:
        found = [line for line in service.metrics().splitlines() if line.startswith(counted)]
        return float(found[0].removeprefix(counted)) if found else 0.0

    before = count()
    for _ in range(6):  # each on a connection of its own, which any worker may accept
        assert service.get("/api/ladder")[0] == 200
    assert [count() for _ in range(3)] == [before + 6] * 3
    assert "\nhearts_slots 1.0\n" in service.metrics()  # which the workers share
    victim, *_ = workers_of(service)
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: victim not in workers_of(service) and len(workers_of(service)) == 2)
    service.wait_until_ready()
    assert count() == before + 6
    assert service.searches() == 0


def test_the_directory_of_metrics_is_private_and_deleted(tmp_path):
    with serving(tmp_path, HEARTS_WORKERS="2", TMPDIR=str(tmp_path)):
        (folder,) = tmp_path.glob("hearts-metrics-*")
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()

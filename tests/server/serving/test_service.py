"""A real `hearts serve` under gunicorn: what only a network shows."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.server.api import SHORT
from tests.server.service import AT_ONCE, Service, serving, wait_until

FORCED = {"game_state": {"player_hand": ["5H"]}}
LONG = {"game_state": {"player_hand": SHORT}, "ai_config": {"time_ms": 4000, "threads": 1}}
QUICK = {"game_state": {"player_hand": SHORT}, "ai_config": {"simulations": 100}}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One server with a single search at a time, a queue of one, and 10 threads in all."""
    folder: Path = tmp_path_factory.mktemp("service")
    with serving(folder, HEARTS_SLOTS="1", HEARTS_QUEUE="1", HEARTS_WATCHERS="0") as running:
        yield running


def post(service: Service, body: object, path: str = "/api/move") -> tuple[int, dict[str, Any]]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with closing(HTTPConnection("127.0.0.1", service.port, timeout=30)) as connection:
        connection.request("POST", path, data, {"Content-Type": "application/json"})
        with connection.getresponse() as answer:
            found = json.loads(answer.read())
    found["retry_after"] = answer.headers.get("Retry-After")
    return answer.status, found


def raw(service: Service, body: bytes) -> bytes:
    return (
        b"POST /api/move HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % len(body)
    ) + body


def whole_answer(connection: socket.socket) -> tuple[bytes, bytes]:
    """The head and the body of the next answer on a connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        received = connection.recv(65536)
        assert received, "the connection was closed without an answer"
        data += received
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(65536)
    return head, body


def test_an_answer_does_not_wait_for_an_acknowledgement(service):
    """gunicorn writes head and body apart: without TCP_NODELAY every answer would take 40 ms."""
    request = raw(service, json.dumps(FORCED).encode())
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        begun = time.perf_counter()
        for _ in range(400):
            connection.sendall(request)
            assert whole_answer(connection)[0].startswith(b"HTTP/1.1 200")
        assert time.perf_counter() - begun < 12  # and not 16


def test_a_connection_is_kept_for_many_questions(service):
    connection = HTTPConnection("127.0.0.1", service.port, timeout=10)
    for _ in range(5):
        connection.request("POST", "/api/move", json.dumps(FORCED))
        answer = connection.getresponse()
        assert (answer.status, answer.headers["Connection"]) == (200, "keep-alive")
        answer.read()
    connection.close()


def test_an_answer_without_a_body_leaves_too(service):
    connection = HTTPConnection("127.0.0.1", service.port, timeout=5)
    for method in ("HEAD", "OPTIONS", "HEAD"):
        connection.request(method, "/healthz")
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b"")
    connection.close()


def answer_on(connection: socket.socket) -> bytes:
    """The status line of the next answer on a connection."""
    return whole_answer(connection)[0].partition(b"\r\n")[0]


def test_a_body_that_nobody_reads_does_not_delay_the_next_question(service):
    good = raw(service, json.dumps(FORCED).encode())
    refused = good.replace(b"POST", b"PUT")
    cut = refused.index(b"\r\n\r\n") + 4
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        begun = time.perf_counter()
        for _ in range(30):
            connection.sendall(refused[:cut])
            time.sleep(0.003)  # the answer may come before the body has left
            connection.sendall(refused[cut:])
            assert answer_on(connection).startswith(b"HTTP/1.1 405")
            connection.sendall(good[: cut + 1])
            connection.sendall(good[cut + 1 :])
            assert answer_on(connection).startswith(b"HTTP/1.1 200")
    assert time.perf_counter() - begun < 8


@pytest.mark.parametrize("more", [{}, {"Connection": "close"}])
def test_ten_megabytes_are_refused_and_the_client_hears_it(service, more):
    connection = HTTPConnection("127.0.0.1", service.port, timeout=20)
    with suppress(OSError):  # refused while it was still sending: the answer is there all the same
        connection.request("POST", "/api/move", b"[" * 10_000_000, more)
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["error_code"]) == (413, "HTTP_ERROR")
    connection.close()


def test_many_states_may_be_a_large_body(service):
    states = [{"player_hand": ["5H"], "comment": "x" * 2_000}] * 256
    answer = service.post("/api/moves", {"states": states})
    assert (answer["answered"], answer["rejected"]) == (256, 0)


def test_what_is_no_http_does_not_disturb_it(service):
    for data in (
        b"\0\xff\n\n",
        b"GET\r\n\r\n",
        b"POST /api/move HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(65536)
    assert service.get("/healthz")[0] == 200


@pytest.mark.parametrize(("data", "status"), [
    (b"GET\r\n\r\n", 400), (b"POST /api/move HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
    (b"GET /" + b"x" * 5000 + b" HTTP/1.1\r\n\r\n", 414),
    (b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"x" * 9000 + b"\r\n\r\n", 431),
    (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: x\r\n" * 200 + b"\r\n", 431),
])  # fmt: skip
def test_what_is_no_http_gets_an_error_of_the_usual_shape(service, data, status):
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        connection.sendall(data)
        head, body = whole_answer(connection)
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert b"\r\nAccess-Control-Allow-Origin: *" in head
    answer = json.loads(body)
    assert answer.keys() == {"status", "error_code", "message"}
    assert (answer["status"], answer["error_code"]) == ("error", "HTTP_ERROR")


def chunked(*chunks: bytes) -> bytes:
    """A request whose body comes in chunks, as they are given."""
    head = b"POST /api/move HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(chunks)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


MOVE = json.dumps(FORCED).encode()
BODIES = {
    "chunks": (chunked(chunk(MOVE[:9]), chunk(MOVE[9:]), chunk(b"")), 200, None),
    "no size of a chunk": (
        chunked(b"zz\r\n", MOVE),
        400,
        "the body is not chunked correctly: ",
    ),
    "chunks that end too soon": (chunked(b"fff\r\n", MOVE), 400, "the body is incomplete"),
    "chunks of 512 KB": (
        chunked(chunk(MOVE), *[chunk(b" " * 65536)] * 8, chunk(b"")),
        413,
        "The data value transmitted exceeds the capacity limit.",
    ),
    "a body shorter than its length": (
        b"POST /api/move HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b"
        % (len(MOVE) + 5, MOVE),
        400,
        "the body is incomplete",
    ),
}


@pytest.mark.parametrize("case", BODIES)
def test_a_body_comes_whole_or_is_refused(service, case):
    data, status, message = BODIES[case]
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        with suppress(OSError):  # refused while it was still sending
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        head, body = whole_answer(connection)
    assert head.startswith(b"HTTP/1.1 %d " % status), head
    assert message is None or json.loads(body)["message"].startswith(message)


def test_past_the_queue_it_is_busy_at_once_and_healthy(service):
    with ThreadPoolExecutor(6) as pool:
        answers = [pool.submit(post, service, LONG) for _ in range(6)]
        # one is thought about, one waits, the others were sent away
        wait_until(lambda: sum(answer.done() for answer in answers) == 4)
        begun = time.perf_counter()
        assert service.get("/healthz")[0] == 200
        assert service.searches() == 1
        assert post(service, FORCED)[0] == 200  # needs no search
        refused = post(service, QUICK)
        assert time.perf_counter() - begun < AT_ONCE
        found = [answer.result() for answer in answers]
    assert refused[0] == 503
    assert (refused[1]["error_code"], refused[1]["retry_after"]) == ("BUSY", "1")
    assert sorted(status for status, _ in found) == [200, 200, 503, 503, 503, 503]


def test_many_clients_at_once_see_only_answers_and_refusals(service):
    def ask_until_answered(_: int) -> list[int]:
        """The statuses that a client gets until it has a move."""
        found = [post(service, QUICK)[0]]
        while found[-1] == 503 and len(found) < 2_000:
            time.sleep(0.01)
            found.append(post(service, QUICK)[0])
        return found

    with ThreadPoolExecutor(32) as pool:
        found = list(pool.map(ask_until_answered, range(32)))
    assert {status for each in found for status in each} <= {200, 503}
    assert all(each[-1] == 200 for each in found)


def worker_of(service: Service) -> int:
    children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children")
    return int(children.read_text().split()[0])


def test_a_killed_worker_is_replaced_and_no_client_hangs(service):
    over = threading.Event()
    answers: list[str] = []

    def hammer() -> None:
        while not over.is_set():
            try:
                answers.append(str(post(service, QUICK)[0]))
            except (OSError, HTTPException) as error:
                answers.append(type(error).__name__)
                time.sleep(0.05)

    with ThreadPoolExecutor(4) as pool:
        clients = [pool.submit(hammer) for _ in range(4)]
        time.sleep(0.5)
        before = worker_of(service)
        os.kill(before, signal.SIGKILL)
        killed = time.monotonic()
        service.wait_until_ready(60)
        back = time.monotonic() - killed
        over.set()
        for client in clients:
            client.result(timeout=35)  # its own timeout is 30: nobody waits for ever
    assert worker_of(service) != before
    assert "TimeoutError" not in answers
    assert back < 45
    assert post(service, QUICK)[0] == 200


def test_a_client_that_says_nothing_does_not_keep_others_waiting(service):
    silent = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(40)]
    for connection in silent[:6]:
        connection.sendall(b"POST /api/move HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
    begun = time.perf_counter()
    assert service.get("/healthz")[0] == 200
    for connection in silent:
        connection.close()
    assert time.perf_counter() - begun < AT_ONCE


def refusing_to_close(service: Service) -> socket.socket:
    """A client that asks for one answer, reads it, and leaves its end of the connection open."""
    connection = socket.create_connection(("127.0.0.1", service.port), timeout=10)
    connection.sendall(b"GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert answer_on(connection).startswith(b"HTTP/1.1 200")
    return connection


def test_a_client_that_does_not_close_delays_nobody(service):
    begun = time.perf_counter()
    clients = [refusing_to_close(service) for _ in range(4)]
    assert service.get("/healthz")[0] == 200
    assert time.perf_counter() - begun < AT_ONCE
    for connection in clients:
        assert connection.recv(1) == b""  # it was told at once that nothing follows
        connection.close()


def test_a_connection_that_its_client_leaves_open_is_closed_in_the_end(service):
    with refusing_to_close(service) as connection:
        closed, begun = False, time.monotonic()
        while not closed and time.monotonic() - begun < 10:
            time.sleep(0.1)
            try:
                connection.sendall(b"x")
            except OSError:
                closed = True
        assert closed


@pytest.mark.parametrize("half", [
    b"GET /healthz HTTP/1.1\r\n", b"GET /readyz HTTP/1.1\r\nHost", b"POST /api/legal HTTP/1.1\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n",
])  # fmt: skip
def test_half_a_request_delays_nobody(service, half):
    silent = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(40)]
    for connection in silent[:1] if half.startswith(b"GET /healthz") else silent:
        connection.sendall(half)
    time.sleep(0.2)
    begun = time.perf_counter()
    for path in ("/healthz", "/readyz"):
        assert service.get(path)[0] == 200
    assert post(service, FORCED, "/api/legal")[0] == 200
    assert time.perf_counter() - begun < AT_ONCE
    for connection in silent:
        connection.close()


@pytest.mark.parametrize("size", [len(MOVE), 200_000])
def test_a_client_may_wait_for_the_word_to_send_its_body(service, size):
    head = (
        b"POST /api/move HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        for _ in range(2):
            connection.sendall(head % size)
            assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
            connection.sendall(MOVE + b" " * (size - len(MOVE)))
            assert answer_on(connection).startswith(b"HTTP/1.1 200")
        connection.sendall(head % len(MOVE) + MOVE)  # it does not wait for the word
        assert answer_on(connection).startswith(b"HTTP/1.1 200")
    for _ in range(20):  # the thread that answered may see it before the poller does
        with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
            connection.sendall(raw(service, MOVE))
            assert answer_on(connection).startswith(b"HTTP/1.1 200")
            connection.sendall(head % 300_000)
            assert answer_on(connection).startswith(b"HTTP/1.1 413")


def test_requests_may_be_sent_before_their_answers_come(service):
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        one = raw(service, MOVE)
        connection.sendall(one * 3 + one[:50])
        answers = received(connection, 3)
        connection.sendall(one[50:])
        answers += received(connection, 1)
    assert answers.count(b"HTTP/1.1 200") == 4


def received(connection: socket.socket, successes: int) -> bytes:
    """The bytes up to some successful answers."""
    answers = b""
    while answers.count(b"HTTP/1.1 200") < successes:
        more = connection.recv(65536)
        assert more, "the service has closed the connection"
        answers += more
    return answers


def test_a_request_may_come_in_pieces(service):
    request = raw(service, json.dumps(FORCED).encode())
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        for _ in range(2):  # the second time on a connection that was kept
            for begin in range(0, len(request), 40):
                connection.sendall(request[begin : begin + 40])
                time.sleep(0.01)
            assert answer_on(connection).startswith(b"HTTP/1.1 200")


def test_half_a_request_costs_no_processor_time(service):
    def spent() -> int:
        fields = Path(f"/proc/{worker_of(service)}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])  # hundredths of a second

    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        connection.sendall(b"POST /api/legal HTTP/1.1\r\n")
        time.sleep(0.2)
        before = spent()
        time.sleep(1)
        assert spent() - before < 30


def test_the_log_never_shows_a_hand(service):
    post(service, QUICK)
    post(service, {"game_state": {"player_hand": ["2C", "2C"]}})
    log = service.log.read_text()
    assert '"path": "/api/move"' in log
    assert not any(f'"{card}"' in log or f" {card} " in log for card in ("2C", "5C", "JH"))


def interrupt(service: Service, how: signal.Signals) -> None:
    """Send a signal as a terminal does: to all processes."""
    os.kill(worker_of(service), how)
    service.process.send_signal(how)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_a_search_finish(tmp_path, how):
    search = LONG | {"ai_config": {"time_ms": 2000, "threads": 1}}
    with serving(tmp_path) as running, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(post, running, search)
        wait_until(lambda: running.searches() == 1)
        interrupt(running, how)
        assert running.process.wait(timeout=60) == 0
        assert answer.result()[0] == 200


def test_a_second_interrupt_stops_at_once(tmp_path):
    endless = LONG | {"ai_config": {"time_ms": 10_000, "threads": 1}}
    with serving(tmp_path) as running, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(post, running, endless)
        wait_until(lambda: running.searches() == 1)
        interrupt(running, signal.SIGINT)
        time.sleep(0.5)
        begun = time.monotonic()
        interrupt(running, signal.SIGINT)
        assert running.process.wait(timeout=60) == 0
        assert time.monotonic() - begun < AT_ONCE
        assert isinstance(answer.exception(), OSError | HTTPException)

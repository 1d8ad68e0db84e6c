"""No kind of request makes another one wait."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from sqlalchemy import create_engine, text

from server.http.routes import docs
from server.runtime.settings import Settings
from server.serving.framing import Framing
from server.serving.kinds import Kind, Size, kind_of, sizes
from server.serving.pools import Pool
from server.serving.targets import target_of
from tests.postgres import PostgresServer
from tests.server.api import SHORT
from tests.server.service import AT_ONCE, Service, serving, wait_until

MOVE = {"game_state": {"player_hand": SHORT}, "ai_config": {"simulations": 100}}
FEW = {"HEARTS_SLOTS": "2", "HEARTS_QUEUE": "1", "HEARTS_WATCHERS": "0"}


@pytest.fixture(scope="module")
def service(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer
) -> Iterator[Service]:
    url = postgres_server.new_database()
    with serving(tmp_path_factory.mktemp("pools"), HEARTS_DATABASE_URL=url, **FEW) as running:
        running.url = url  # type: ignore[attr-defined]
        yield running


def assert_moves_are_quick(service: Service) -> None:
    begun = time.monotonic()
    assert service.post("/api/move", MOVE)["status"] == "success"
    assert time.monotonic() - begun < AT_ONCE


def trickle(connection: socket.socket, over: threading.Event) -> None:
    """Send a request at one byte every two seconds."""
    connection.sendall(b"POST /api/move HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n")
    while not over.wait(2):
        connection.sendall(b" ")


def test_45_clients_that_send_slowly_delay_no_move(service):
    over = threading.Event()
    with ExitStack() as stack, ThreadPoolExecutor(45) as pool:
        address = ("127.0.0.1", service.port)
        slow = [stack.enter_context(socket.create_connection(address)) for _ in range(45)]
        for each in slow:
            pool.submit(trickle, each, over)
        time.sleep(0.5)
        try:
            assert_moves_are_quick(service)
        finally:
            over.set()


def asking(service: Service, request: bytes) -> socket.socket:
    """A client that asks, and reads nothing."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", service.port))
    connection.sendall(request)
    return connection


def file_of_docs(name: str) -> str:
    """The path of a file of Swagger UI."""
    return f"/docs/{docs.VERSION}/{name}"


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


def wait_until_nothing_is_served(service: Service) -> None:
    """Wait until no request ends for a second: those that are left wait for their clients."""
    size = -1
    while size != (size := service.log.stat().st_size):
        time.sleep(1)


def test_clients_that_do_not_read_large_files_delay_no_move(service):
    request = get(file_of_docs("swagger-ui-bundle.js"))  # 1.4 MB; the kernel's buffer takes 3
    with ExitStack() as stack:
        for _ in range(18):
            stack.enter_context(asking(service, request * 3))
        wait_until_nothing_is_served(service)
        assert_moves_are_quick(service)


def test_clients_that_read_no_answer_hold_no_thread(service):
    path = file_of_docs("swagger-ui.css")
    with ExitStack() as stack:
        for _ in range(18):
            stack.enter_context(asking(service, get(path) * 40))
        wait_until_nothing_is_served(service)
        begun = time.monotonic()
        assert service.get(path, as_json=False)[0] == 200
        assert time.monotonic() - begun < AT_ONCE


def test_60_readers_of_a_locked_table_delay_no_move_and_are_told(service):
    engine = create_engine(service.url)
    with ThreadPoolExecutor(60) as pool:
        with engine.begin() as connection:
            connection.execute(text("LOCK TABLE games IN ACCESS EXCLUSIVE MODE"))
            readers = [pool.submit(service.get, "/api/games") for _ in range(60)]
            time.sleep(0.5)
            assert_moves_are_quick(service)
            wait_until(lambda: sum(each.done() for each in readers) >= 8)
            told = [each.result() for each in readers if each.done()]
        answers = [each.result()[0] for each in readers]
    engine.dispose()
    assert {status for status, _, _ in told} == {503}
    assert {body["error_code"] for _, body, _ in told} <= {"NOT_READY", "BUSY"}
    assert all(headers["Retry-After"] for _, _, headers in told)
    assert set(answers) <= {200, 503}


def test_60_plots_delay_no_move(service):
    with ThreadPoolExecutor(60) as pool:
        plots = [pool.submit(_status, service) for _ in range(60)]
        time.sleep(0.3)
        assert_moves_are_quick(service)
        found = [each.result() for each in plots]
    assert set(found) == {200, 503}


def _status(service: Service) -> int:
    """The status of a plot."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
        connection.sendall(
            b"GET /api/stats?plot=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        return int(connection.recv(65536).split()[1])


@pytest.mark.parametrize(("line", "kind"), [
    ("POST /api/move", Kind.ENGINE), ("GET /api/models?wait=1", Kind.ENGINE),
    ("POST http://x:1/api/move", Kind.ENGINE), ("POST /api/mov%65#x", Kind.ENGINE),
    ("POST /api/moves", Kind.BATCH), ("POST /api/analysis", Kind.BATCH),
    ("GET /", Kind.PAGE), ("GET /watch", Kind.PAGE), ("GET /docs", Kind.PAGE),
    ("GET /docs/1/x.js", Kind.PAGE), ("GET /static/1/x.js", Kind.PAGE),
    ("GET /openapi.json", Kind.PAGE),
    ("POST /api/games", Kind.DATABASE), ("GET /api/games/x?hand=1", Kind.DATABASE),
    ("GET /api/stats?plots=1", Kind.DATABASE), ("GET /api/unknown", Kind.DATABASE),
    ("GET /unknown", Kind.DATABASE), ("GET //docs/", Kind.DATABASE), ("GET *", Kind.DATABASE),
    ("POST /api/games/x/events", Kind.DATABASE), ("GET /api/tables/x?after=3", Kind.DATABASE),
    ("GET /api/games?wait=1&plot=1", Kind.DATABASE), ("GET /api/stats?plot=0", Kind.DATABASE),
    ("GET /%61pi/games", Kind.DATABASE), ("GET http://x/api/games", Kind.DATABASE),
    ("GET http://x/api/move/../games", Kind.DATABASE), ("GET /api/games?/api/move", Kind.DATABASE),
    ("GET /api/stats?player=x&plot=1", Kind.PLOT), ("GET /api/games/x/review?plot", Kind.PLOT),
    ("GET /api/stats?pl%6ft=1", Kind.PLOT), ("POST /%61pi/review?plot=1", Kind.PLOT),
    ("GET /api/games/x/review?hand=1", Kind.WATCH), ("POST /api/review?plot=0", Kind.WATCH),
    ("GET /api/tables/x/events", Kind.WATCH), ("GET /api/tables/x?after=1&wait=25", Kind.WATCH),
    ("HEAD /api/tables/x/events", Kind.WATCH), ("GET /api/tables/x/event%73", Kind.WATCH),
    ("GET /api/tables/x?after=1&w%61it=25", Kind.WATCH),
    ("GET /healthz", Kind.ALIVE), ("GET /api/health?x=1", Kind.ALIVE), ("GET /readyz", Kind.READY),
    ("GET /metrics", Kind.READY),
])  # fmt: skip
def test_requests_are_told_apart_as_flask_routes_them(line, kind):
    assert kind_of(target_of(f"{line} HTTP/1.1".encode())) is kind


def test_what_is_no_request_line_has_a_kind_too():
    lines = (b"", b"GET", b"\0\xff", b"GET  HTTP/1.1", b"GET http://[ HTTP/1.1")
    assert {kind_of(target_of(line)) for line in lines} == {Kind.DATABASE}


def test_an_empty_line_before_a_request_hides_nothing():
    framing = Framing(100)
    assert framing.is_complete(bytearray(b"\r\nGET /api/move HTTP/1.1\r\nHost: x\r\n\r\n"))
    assert kind_of(framing.target) is Kind.ENGINE


def test_every_kind_has_threads():
    assert all(size.threads > 0 for size in sizes(Settings()).values())
    assert sizes(Settings()).keys() == set(Kind)


def test_a_pool_is_bounded_and_its_threads_start_when_they_are_needed():
    release, served = threading.Event(), []

    def serve(work: int) -> None:
        release.wait(10)
        served.append(work)

    pool = Pool("few", Size(threads=2, queue=3), serve)
    assert [pool.submit(number) for number in range(7)] == [True] * 5 + [False] * 2
    release.set()
    wait_until(lambda: len(served) == 5)
    assert sorted(served) == [0, 1, 2, 3, 4]
    wait_until(lambda: pool.submit(5))
    assert sum(each.name.startswith("few-") for each in threading.enumerate()) == 2


def test_work_goes_to_the_thread_that_became_idle_last():
    both, served = threading.Barrier(2), []

    def serve(work: str) -> None:
        if work == "together":
            both.wait(10)
        served.append(threading.current_thread().name)

    pool = Pool("warm", Size(threads=2, queue=3), serve)
    assert [pool.submit("together") for _ in range(2)] == [True, True]
    for number in range(3, 9):
        wait_until(lambda number=number: len(served) == number - 1 and len(pool._idle) == 2)
        pool.submit("alone")
    wait_until(lambda: len(served) == 8)
    assert set(served[:2]) == {"warm-1", "warm-2"}
    assert len(set(served[2:])) == 1


def test_an_error_costs_a_request_and_not_the_thread(caplog):
    served = []

    def serve(work: int) -> None:
        served.append(work)
        if work == 0:
            raise ValueError("broken")

    pool = Pool("tough", Size(threads=1, queue=3), serve)
    assert [pool.submit(number) for number in range(3)] == [True] * 3
    wait_until(lambda: served == [0, 1, 2])
    assert "a request was not answered" in caplog.text


def test_a_thread_that_cannot_start_costs_no_place_in_the_pool(monkeypatch):
    def refuse(_self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    served: list[int] = []
    pool = Pool("poor", Size(threads=1, queue=0), served.append)
    with monkeypatch.context() as context:
        context.setattr(threading.Thread, "start", refuse)
        assert not pool.submit(1)
    assert pool.submit(2)
    wait_until(lambda: served == [2])

"""`python -m tests.serving_probe`: the service's worker compared with gunicorn's threaded one.

Every line compares the service with one that differs in a single point. Run it on an idle machine;
variants take turns, and of single times the least counts, because other load only adds to them.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click
from gunicorn.workers.gthread import ThreadWorker

from server.runtime.settings import Settings
from server.serving import service as serving_module
from server.serving import worker
from server.serving.connection import Connection
from server.storage.database import opened_database
from tests.load import State, Swarm, question, row, with_probe
from tests.server.service import Service, clean_environment, free_port
from tests.server.states import sample

LEGAL = b'{"game_state": {"player_hand": ["5H"]}}'
ASK_LEGAL = (
    b"POST /api/legal HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(LEGAL), LEGAL)
)
ASK_HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
GIVE_UP = 15.0  # seconds


class Stock(ThreadWorker):  # type: ignore[misc]
    """gunicorn's own worker."""


class TwoWrites(Connection):
    """Sends the head of an answer at once, before the body comes."""

    def sendall(self, data: Any, flags: int = 0) -> None:
        socket.socket.sendall(self, data, flags)


def serve(name: str) -> None:
    """Serve with a variant of the worker."""
    if name == "two writes":
        worker.Connection = TwoWrites  # type: ignore[misc]
    if name == "5 ms":
        worker.SWITCH_INTERVAL = 0.005
    if name == "stock":
        serving_module.Worker = Stock  # type: ignore[misc]
    with opened_database():
        pass
    serving_module.serve(Settings.from_environment())


@contextmanager
def serving(name: str, **settings: str) -> Iterator[Service]:
    """A service with a variant of the worker."""
    port = str(free_port())
    given = clean_environment(HEARTS_PORT=port, HEARTS_LOG_LEVEL="warning", **settings)
    command = f"from tests.serving_probe import serve; serve({name!r})"
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", command],
            cwd=folder,
            env=given | {"PYTHONPATH": str(Path(__file__).parents[1])},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        service = Service(process, int(port), Path(folder) / "log")
        try:
            service.wait_until_ready()
            yield service
        finally:
            service.stop()


def connected(service: Service, data: bytes = b"") -> socket.socket:
    """A connection on which something was sent."""
    made = socket.create_connection(("127.0.0.1", service.port), timeout=GIVE_UP)
    made.sendall(data)
    return made


def ask(connection: socket.socket, request: bytes) -> None:
    """Send a request and read its answer."""
    connection.sendall(request)
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(65536)
    head, _, body = answer.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(65536)


def milliseconds(service: Service, request: bytes) -> float:
    """How long a new client waits for an answer; at most GIVE_UP."""
    begun = time.perf_counter()
    try:
        with connected(service) as connection:
            ask(connection, request)
    except TimeoutError:
        return GIVE_UP * 1000
    return (time.perf_counter() - begun) * 1000


def fastest(service: Service, request: bytes = ASK_HEALTH, requests: int = 2000) -> float:
    """The least time of an answer on a connection that is kept, in ms."""
    times = []
    with connected(service) as connection:
        for _ in range(requests):
            begun = time.perf_counter()
            ask(connection, request)
            times.append(time.perf_counter() - begun)
    return min(times) * 1000


def beside(service: Service, clients: int, data: bytes) -> float:
    """How long a request takes while clients have sent `data` and stay, in ms."""
    with ExitStack() as stack:
        for _ in range(clients):
            stack.enter_context(connected(service, data))
        time.sleep(0.5)
        return milliseconds(service, ASK_LEGAL)


def after_lingering(service: Service) -> float:
    """How long a probe takes after 4 clients that do not close their connections, in ms."""
    begun = time.perf_counter()
    with ExitStack() as stack:
        for _ in range(4):
            closing = ASK_HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
            stack.enter_context(connected(service, closing)).recv(65536)
        milliseconds(service, ASK_HEALTH)
    return (time.perf_counter() - begun) * 1000


def crowd(states: list[State], clients: int) -> Callable[[Service], tuple[float, float]]:
    """Measures the median of health probes (ms) and moves per second under many clients."""
    questions = [(question(state, simulations=2000), legal) for state, legal in states]

    def measure(service: Service) -> tuple[float, float]:
        swarm = Swarm(service.port, questions)
        outcome, health = with_probe(service.port, lambda: swarm.run(clients, seconds=8))
        return sorted(health)[len(health) // 2], outcome.per_second

    return measure


def compare(
    what: str, measure: Callable[[Service], Any], *names: str, repeats: int = 1, **settings: str
) -> None:
    """Measure the service as it is and with variants of its worker, in turns."""
    with ExitStack() as stack:
        services = {n: stack.enter_context(serving(n, **settings)) for n in ("ours", *names)}
        found: dict[str, list[Any]] = {name: [] for name in services}
        for _ in range(repeats):
            for name, service in services.items():
                found[name].append(measure(service))
    for name, values in found.items():
        row(f"{what}: {name}", shown(values))


def shown(values: list[Any]) -> str:
    """The least of some times, or the medians of health probes and of moves."""
    if isinstance(values[0], tuple):
        median, moves = (sorted(column)[len(column) // 2] for column in zip(*values, strict=True))
        return f"{median:.0f} ms, {moves:.0f} moves/s"
    late = ">= " if min(values) >= GIVE_UP * 1000 else ""
    return f"{late}{min(values):.3f} ms"


@click.command()
@click.option("--repeats", default=4, help="How often comparisons of small times are repeated.")
def main(repeats: int) -> None:
    """Measure, and print a table."""
    states = sample(500)
    row("load average before", f"{os.getloadavg()[0]:.1f}")
    half = b"POST /api/legal HTTP/1.1\r\n"
    slow = half + b"Host: x\r\nContent-Length: 100\r\n\r\n{"
    for what, data in {"half heads": half, "silent clients": b"", "half bodies": slow}.items():
        compare(f"120 {what}", partial(beside, clients=120, data=data), "stock")
    compare("4 clients that do not close", after_lingering, "stock")
    compare("64 clients, health and moves", crowd(states, 64), "stock", "5 ms", repeats=repeats)
    compare("200 clients, health and moves", crowd(states, 200), "stock", repeats=repeats)
    compare("a probe", fastest, "stock", "two writes", repeats=repeats)


if __name__ == "__main__":
    main()

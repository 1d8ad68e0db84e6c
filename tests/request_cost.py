"""`python -m tests.request_cost`: CPU time that the service needs for a request, and where it goes.

The service and one keep-alive client run on this machine. The CPU time of all threads of the worker
is read from the kernel before and after a round; the CPU time of the same decisions without a
service is subtracted. Of several repeats the least counts, because other load only adds to them.
Exits with 1 if a bar is missed.
"""

from __future__ import annotations

import cProfile
import pstats
import socket
import tempfile
import time
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import click

from hearts.engine.decide import decide
from hearts.views.codec import decode_to_play
from server.http.app import create_app
from server.runtime.settings import Settings
from server.search.options import AiOptions, Ceilings, read_config
from tests.hearts.warmup import compile_kernels
from tests.load import exit_if_missed, question, row, workers_of
from tests.server.service import Service, serving
from tests.server.states import sample

# The smallest search, so that what is subtracted is small.
OPTIONS: dict[str, Any] = {
    "simulations": 1, "worlds": 1, "threads": 1, "belief": "OM-1", "endgame": 0,
}  # fmt: skip
NANO = 1e-9
MAX_MOVE, MAX_FORCED = 2.0, 1.2  # milliseconds of CPU of the service for a request
State = dict[str, Any]


def cpu_of(pid: int) -> float:
    """The CPU time of all threads of a process, in seconds."""
    stats = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in stats) * NANO


def mid_hand(states: Sequence[tuple[State, list[str]]], forced: bool) -> list[State]:
    """States of the sixth to eighth trick, in which one card is legal or several are."""
    return [
        state
        for state, legal in states
        if 5 <= len(state["trick_history"]) <= 7 and (len(legal) == 1) == forced
    ]


def ask_all(connection: socket.socket, questions: Sequence[bytes]) -> None:
    """Send requests one after the other, and read their answers."""
    for each in questions:
        connection.sendall(each)
        answer = connection.recv(65536)
        while (end := answer.find(b"\r\n\r\n")) < 0:
            answer += connection.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200"), answer
        length = int(answer[:end].lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        while len(answer) < end + 4 + length:
            answer += connection.recv(65536)


def service_cost(service: Service, questions: Sequence[bytes], repeats: int) -> float:
    """CPU seconds of the worker for one request."""
    (worker,), found = workers_of(service), []
    with socket.create_connection(("127.0.0.1", service.port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(repeats):
            before = cpu_of(worker)
            ask_all(connection, questions)
            found.append((cpu_of(worker) - before) / len(questions))
    return min(found)


def search_cost(states: Sequence[State], repeats: int) -> float:
    """CPU seconds of the engine for one of the same decisions."""
    found = []
    for _ in range(repeats):
        spent = 0.0
        for state in states:
            decoded = decode_to_play(state)
            config = read_config(
                AiOptions(knobs=OPTIONS, explain=False), Ceilings.of(Settings())
            ).config
            before = time.thread_time()
            decide(decoded.view, config)
            spent += time.thread_time() - before
        found.append(spent / len(states))
    return min(found)


def profile(questions: Sequence[bytes], lines: int) -> None:
    """Print the functions in which the application, without a server, spends its time."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database_url=f"sqlite:///{folder}/hearts.db", spool=f"{folder}/spool")
        app = create_app(settings)
        bodies = [each.partition(b"\r\n\r\n")[2] for each in questions]

        def ask() -> None:
            for body in bodies:
                environ = _environ(body)
                b"".join(app(environ, lambda *_: lambda _: None))

        ask()
        begun = time.thread_time()
        ask()
        row("application alone", f"{(time.thread_time() - begun) / len(bodies) * 1000:.2f} ms")
        with cProfile.Profile() as profiler:
            ask()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(lines)


def _environ(body: bytes) -> dict[str, Any]:
    return {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/api/move",
        "SCRIPT_NAME": "",
        "QUERY_STRING": "",
        "SERVER_NAME": "x",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_HOST": "x",
        "wsgi.input": BytesIO(body),
        "wsgi.errors": BytesIO(),
        "wsgi.url_scheme": "http",
        "wsgi.version": (1, 0),
    }


@click.command()
@click.option("--requests", default=150, help="Requests of a round.")
@click.option("--repeats", default=25, help="Repeats, of which the least counts.")
@click.option("--lines", default=0, help="Lines of a profile of the application.")
def main(requests: int, repeats: int, lines: int) -> None:
    """Measure, and print a table."""
    compile_kernels()
    states = sample(4000)
    free, forced = (mid_hand(states, kind)[:requests] for kind in (False, True))
    searched, known = ([question(s, **OPTIONS) for s in group] for group in (free, forced))
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as service:
        ask = service_cost(service, searched, repeats) * 1000
        search = search_cost(free, repeats) * 1000
        row("full mid-hand state, search included", f"{ask:.2f} ms of CPU")
        row("… the search", f"{search:.2f} ms")
        cost = ask - search
        row("… the service", f"{cost:.2f} ms", f"at most {MAX_MOVE} ms", met=cost <= MAX_MOVE)
        cost = service_cost(service, known, repeats) * 1000
        row("forced card", f"{cost:.2f} ms", f"at most {MAX_FORCED} ms", met=cost <= MAX_FORCED)
    if lines:
        profile(searched, lines)
    exit_if_missed()


if __name__ == "__main__":
    main()

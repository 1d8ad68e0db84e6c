"""`make load`: how fast the service is, how it behaves when too much is asked, and how it recovers.

Prints a table, and exits with 1 if a bar is missed. The service has two workers. Clients are
connections of one small program that shares the machine with it, so its cores do both. What is
compared: the kernel alone on all cores, in threads. `python -m tests.request_cost` and `python -m
tests.workers_probe` have the bars on costs and throughput.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.engine.levels import DEFAULT
from hearts.views.codec import decode_state
from tests.hearts.warmup import compile_kernels
from tests.server.service import Service, serving
from tests.server.states import sample

PROBE = Path(__file__).with_name("probe.py")
CORES = len(os.sched_getaffinity(0))
WORKERS = 2
MAX_HEALTH = 250  # ms, at p99 under overload
MAX_GROWTH = 0.05  # of a worker's memory
missed: list[str] = []  # bars

State = tuple[dict[str, Any], list[str]]  # and the cards that may be played in it
Question = tuple[bytes, list[str]]  # a request, and the cards that may be answered


@dataclass
class Outcome:
    """What some clients saw."""

    seconds: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    latencies: list[float] = field(default_factory=list)  # of answers, in ms
    overheads: list[float] = field(default_factory=list)  # answer's time less the search, in ms
    illegal: int = 0

    @property
    def per_second(self) -> float:
        """Answers per second."""
        return self.statuses[200] / self.seconds


@dataclass(frozen=True)
class Kernel:
    """The engine without a service."""

    per_second: float  # moves per second on all cores
    milliseconds: float  # the median of one move on one core
    cpu: float  # milliseconds of CPU for a move


@dataclass(eq=False)
class Client:
    """One connection, and the question that it waits for."""

    connection: socket.socket
    asked: float = 0.0
    question: int = 0
    answer: bytes = b""


class Swarm:
    """Clients that ask one question after the other, in one thread."""

    def __init__(self, port: int, questions: Sequence[Question]) -> None:
        self.port, self.questions = port, questions
        self.number = 0

    def run(self, clients: int, seconds: float = 1e9, requests: float = 1e9) -> Outcome:
        """Ask until time is up or everything is asked."""
        outcome, begun = Outcome(), time.perf_counter()
        with selectors.DefaultSelector() as selector:
            for _ in range(clients):
                client = Client(socket.create_connection(("127.0.0.1", self.port)))
                client.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                selector.register(client.connection, selectors.EVENT_READ, client)
                self._ask(client)
            left = requests - clients
            open_ = clients
            while open_:
                for key, _ in selector.select(timeout=30):
                    if not self._read(key.data, outcome):
                        continue
                    if left > 0 and time.perf_counter() - begun < seconds:
                        left -= 1
                        self._ask(key.data)
                    else:
                        selector.unregister(key.data.connection)
                        key.data.connection.close()
                        open_ -= 1
        outcome.seconds = time.perf_counter() - begun
        return outcome

    def _ask(self, client: Client) -> None:
        client.question = self.number % len(self.questions)
        self.number += 1
        client.answer, client.asked = b"", time.perf_counter()
        client.connection.sendall(self.questions[client.question][0])

    def _read(self, client: Client, outcome: Outcome) -> bool:
        """Take what has come; whether the answer is complete."""
        client.answer += client.connection.recv(1 << 16)
        head, end, body = client.answer.partition(b"\r\n\r\n")
        assert client.answer, "the service closed the connection"
        if not end:
            return False
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        if len(body) < length:
            return False
        taken = (time.perf_counter() - client.asked) * 1000
        status = int(head.split()[1])
        outcome.statuses[status] += 1
        if status == 200:
            self._check(client, json.loads(body), taken, outcome)
        return True

    def _check(self, client: Client, answer: Any, taken: float, outcome: Outcome) -> None:
        outcome.latencies.append(taken)
        outcome.overheads.append(taken - answer["computation_time_ms"])
        outcome.illegal += answer["move"]["card"] not in self.questions[client.question][1]


def question(state: dict[str, Any], game: str | None = None, **config: Any) -> bytes:
    """A whole request for a move, to be logged with a game if there is one."""
    asked = {"game_state": state, "ai_config": {"explain": False, **config}, "game_id": game}
    body = json.dumps(asked).encode()
    head = "POST /api/move HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def new_game(service: Service) -> str:
    """The id of a game that is logged."""
    head = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{service.base}/api/games", b"{}", head)
    with urllib.request.urlopen(request, timeout=30) as answer:
        game: str = json.load(answer)["game_id"]
        return game


def searches(states: Sequence[State]) -> list[Question]:
    """Requests that need a search, each on one core."""
    choices = [(state, legal) for state, legal in states[:500] if len(legal) > 1]
    return [(question(state, use_threads=False), legal) for state, legal in choices]


def kernel_alone(
    states: Sequence[dict[str, Any]], seconds: float, config: SearchConfig = DEFAULT
) -> Kernel:
    """Measure the engine on the same states."""
    views = [decode_state(state).view for state in states]
    one = []
    for view in views[:60]:
        begun = time.perf_counter()
        decide(view, config)
        one.append((time.perf_counter() - begun) * 1000)
    until = time.perf_counter() + seconds

    def work(first: int) -> tuple[int, float]:
        done, begun = 0, time.thread_time()
        while time.perf_counter() < until:
            decide(views[(first + CORES * done) % len(views)], config)
            done += 1
        return done, time.thread_time() - begun

    begun = time.perf_counter()
    with ThreadPoolExecutor(CORES) as pool:
        done_by = list(pool.map(work, range(CORES)))
    took, done = time.perf_counter() - begun, sum(part[0] for part in done_by)
    cpu = sum(part[1] for part in done_by)
    return Kernel(done / took, statistics.median(one), cpu / done * 1000)


def with_probe(port: int, work: Callable[[], Outcome]) -> tuple[Outcome, list[float]]:
    """Do some work while health is asked for: what came of it, and the milliseconds of health."""
    command = [sys.executable, PROBE, str(port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        outcome = work()
        times: list[float] = json.loads(process.communicate()[0])
    return outcome, times


def workers_of(service: Service) -> list[int]:
    """The process ids of gunicorn's workers."""
    pid = service.process.pid
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def megabytes(pid: int) -> float:
    """The memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def cpu_seconds(pid: int) -> float:
    """The CPU time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def quantile(times: Sequence[float], share: float) -> float:
    """A quantile of some times."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def row(what: str, value: str, bar: str = "", *, met: bool = True) -> None:
    """Print a line of the table, and remember whether its bar was met."""
    click.echo(f"{what:<52} {value:<28} {bar}{'' if met else '  MISSED'}")
    if not met:
        missed.append(what)


def exit_if_missed() -> None:
    """Exit with 1 if a bar was missed."""
    if missed:
        raise SystemExit(f"missed: {', '.join(missed)}")


def times(service: Service, states: Sequence[State]) -> None:
    """How long one client waits."""
    forced = [(question(state), legal) for state, legal in states if len(legal) == 1][:100]
    waited = statistics.median(Swarm(service.port, forced).run(1, requests=400).latencies)
    row("a forced card, median", f"{waited:.2f} ms")
    single = Swarm(service.port, searches(states)).run(1, requests=400)
    added = statistics.median(single.overheads)
    row("HTTP adds to a search, median", f"{added:.2f} ms")
    game = new_game(service)
    choices = [(state, legal) for state, legal in states if len(legal) > 1][:400]
    waits = [
        statistics.median(Swarm(service.port, asked).run(1, requests=len(asked)).latencies)
        for kept in (None, game) * 3
        for asked in [[(question(s, kept, simulations=100), legal) for s, legal in choices]]
    ]
    added = min(waits[1::2]) - min(waits[::2])
    row("a log of it adds, median, best of 3", f"{added:.2f} ms")


def throughput(service: Service, states: Sequence[State], repeats: int = 5) -> None:
    """Four clients and the kernel alone, in turns: the machine's pace changes within a minute."""
    kernels, rates, costs = [], [], []
    swarm, workers = Swarm(service.port, searches(states)), workers_of(service)
    for _ in range(repeats):
        kernels.append(kernel_alone([state for state, legal in states if len(legal) > 1], 4))
        cpu, own = sum(map(cpu_seconds, workers)), time.process_time()
        four = swarm.run(4, seconds=4)
        rates.append(four.per_second)
        used = sum(map(cpu_seconds, workers)) - cpu, time.process_time() - own
        costs.append([seconds / four.statuses[200] * 1000 for seconds in used])
    kernel = statistics.median(kernel.per_second for kernel in kernels)
    one = statistics.median(kernel.milliseconds for kernel in kernels)
    row("kernel alone, all cores, 10,000 simulations", f"{kernel:.0f} moves/s, {one:.1f} ms each")
    per_second = statistics.median(rates)
    row("4 clients, 10,000 simulations", f"{per_second:.0f} moves/s")
    ratios = sorted(each / kernel.per_second for each, kernel in zip(rates, kernels, strict=True))
    shown = f"{statistics.median(ratios):.0%} ({ratios[0]:.0%} … {ratios[-1]:.0%})"
    row("… of the kernel alone", shown)
    alone = statistics.median(kernel.cpu for kernel in kernels)
    ours, theirs = (statistics.median(column) for column in zip(*costs, strict=True))
    shown = f"{alone:.1f}, {ours:.1f}, {theirs:.1f} ms"
    row("… CPU of a move: kernel alone, service, client", shown)


def overload(service: Service, states: Sequence[State], seconds: float) -> None:
    """Many more clients than can be served."""
    swarm = Swarm(service.port, [(question(state), legal) for state, legal in states])
    many, health = with_probe(service.port, lambda: swarm.run(64, seconds=seconds))
    shown = f"{dict(many.statuses)}, {many.illegal} illegal"
    met = many.statuses.keys() <= {200, 503} and not many.illegal
    row(f"64 clients, {seconds:.0f} s", shown, "only 200 and 503, 0 illegal", met=met)
    late = quantile(health, 0.99)
    shown = f"{quantile(health, 0.5):.0f}, {late:.0f} ms"
    row("… health p50, p99", shown, f"p99 under {MAX_HEALTH} ms", met=late < MAX_HEALTH)


def growth(service: Service, asked: Sequence[Question], requests: int) -> None:
    """What the memory of the workers does over many requests of each."""

    def memory() -> list[float]:
        return [megabytes(pid) for pid in workers_of(service)]

    def shown(sizes: Sequence[float]) -> str:
        return " and ".join(f"{size:.0f}" for size in sizes)

    before = memory()
    Swarm(service.port, asked).run(4, requests=2_000 * WORKERS)
    settled = memory()
    Swarm(service.port, asked).run(4, requests=requests * WORKERS)
    grown = max(after / then - 1 for after, then in zip(memory(), settled, strict=True))
    row("memory before, after 2,000 requests each", f"{shown(before)}, {shown(settled)} MB")
    bar = f"less than {MAX_GROWTH:.0%}"
    row(f"… growth over {requests} requests each", f"{grown:+.1%}", bar, met=grown < MAX_GROWTH)


def recovery(service: Service) -> None:
    """How soon killed workers are replaced."""
    for worker in workers_of(service):
        os.kill(worker, signal.SIGKILL)
    begun = time.perf_counter()
    service.wait_until_ready()
    took = f"{time.perf_counter() - begun:.1f} s"
    row("kill -9 of all workers, ready again after", took)


@click.command()
@click.option("--seconds", default=60.0, help="How long 64 clients ask.")
@click.option("--requests", default=20_000, help="Requests of each worker while memory is watched.")
@click.option("--records", default=5_000, help="States from recorded hands that must be answered.")
def main(seconds: float, requests: int, records: int) -> None:
    """Measure, and print a table."""
    compile_kernels()
    states = sample(max(records, 500))
    every = [(question(state, simulations=100), legal) for state, legal in states[:records]]
    row("load average before", f"{os.getloadavg()[0]:.1f} on {CORES} cores")
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), HEARTS_LOG_LEVEL="warning", HEARTS_WORKERS=str(WORKERS)) as service,
    ):
        times(service, states)
        throughput(service, states[:500])
        all_ = Swarm(service.port, every).run(4, requests=records)
        shown = f"{dict(all_.statuses)}, {all_.illegal} illegal"
        met = all_.statuses.keys() == {200} and not all_.illegal
        row(f"{records} recorded states", shown, "0 errors, 0 illegal", met=met)
        overload(service, states[:500], seconds)
        growth(service, every, requests)
        recovery(service)
    exit_if_missed()


if __name__ == "__main__":
    main()

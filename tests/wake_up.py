"""`python -m tests.wake_up`: how fast a move at one instance is seen at another, and takeovers.

Two real services share a database. A person moves at one of them; a long poll and an event stream
wait at the other. Then the instance that plays for a table of bots is killed.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from hearts.client import HeartsClient, Table
from tests.postgres import running_server
from tests.server.service import Service, serving, wait_until

BOT = {"ai_config": {"simulations": 50, "worlds": 3, "passing": "rule"}}


@contextmanager
def two_services(url: str, **settings: str) -> Iterator[tuple[Service, Service]]:
    """Two services on one database."""
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(2)]
        first = stack.enter_context(serving(folders[0], HEARTS_DATABASE_URL=url, **settings))
        second = stack.enter_context(serving(folders[1], HEARTS_DATABASE_URL=url, **settings))
        yield first, second


@contextmanager
def databases() -> Iterator[dict[str, str]]:
    """The URL of an empty database of each kind."""
    with tempfile.TemporaryDirectory() as folder, running_server() as server:
        yield {
            "SQLite": f"sqlite:///{folder}/hearts.db",
            "PostgreSQL": server.new_database(),
        }


def seated(client: HeartsClient) -> tuple[Table, list[str]]:
    """A table of four people, and their tokens."""
    made = client.new_table(seats=["human"] * 4, rules=2465, target_score=1000)
    others = [client.join_table(made.table_id, each or "") for each in made.invitations[1:]]
    return made.table, [made.tokens[0] or "", *(other.token for other in others)]


def next_move(client: HeartsClient, table_id: str, tokens: list[str]) -> tuple[int, str, str]:
    """The version, the token of the seat to play, and its card; deals if a hand is over."""
    view = client.table(table_id, tokens[0])
    if view.phase == "hand_over":
        view = client.next_hand(table_id, tokens[0])
    token = tokens[view.answer["hand"]["turn"]]
    return view.version, token, client.table(table_id, token).legal[0]


class Watcher:
    """Notes when each version of a table arrives at a service, by an event stream."""

    def __init__(self, base: str, table_id: str, token: str) -> None:
        self.client, self.seen = HeartsClient(base), {}
        self.views = self.client.watch_table(table_id, token)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        """Follow the stream until its service ends."""
        for view in self.views:
            self.seen[view.version] = time.perf_counter()


def latencies(here: str, there: str, moves: int) -> tuple[list[float], list[float]]:
    """Milliseconds from a move's acknowledgement at one service to its arrival at another."""
    polls, streams = [], []
    with HeartsClient(here) as mover, HeartsClient(there) as poller, ThreadPoolExecutor(1) as pool:
        table, tokens = seated(mover)
        watcher = Watcher(there, table.table_id, tokens[0])

        def poll(known: int) -> float:
            found = poller.table(table.table_id, tokens[0], after=known, wait=20)
            assert found.version == known + 1
            return time.perf_counter()

        for _ in range(moves):
            known, token, card = next_move(mover, table.table_id, tokens)
            waiting = pool.submit(poll, known)
            time.sleep(0.02)  # it waits by then
            mover.play_card(table.table_id, token, card, known)
            acknowledged = time.perf_counter()
            polls.append(1000 * (waiting.result() - acknowledged))
            wait_until(lambda version=known + 1: version in watcher.seen)
            streams.append(1000 * (watcher.seen[known + 1] - acknowledged))
    return polls, streams


def takeover(here: Service, there: Service) -> float:
    """Seconds from the kill of the instance that plays for bots to their next move elsewhere."""
    with HeartsClient(here.base) as client:
        made = client.new_table(seats=[BOT] * 4, pace_ms=50, target_score=1000)
        client.table(made.table_id, after=3, wait=20)
    with HeartsClient(there.base) as client:
        here.kill()
        killed = time.perf_counter()
        last = client.table(made.table_id).version
        while True:
            found = client.table(made.table_id, after=last, wait=20).version
            if time.perf_counter() - killed > 0.5 and found > last:
                return time.perf_counter() - killed
            last = found


def shown(name: str, latencies_ms: list[float]) -> str:
    """The quantiles of a list of milliseconds."""
    cuts = statistics.quantiles(latencies_ms, n=20)
    return (
        f"{name:<28}{len(latencies_ms):>6} moves   p50 {statistics.median(latencies_ms):6.1f} ms   "
        f"p95 {cuts[18]:6.1f} ms   max {max(latencies_ms):6.1f} ms"
    )


@click.command()
@click.option("--moves", default=208, help="moves per database")
def main(moves: int) -> None:
    """Measure both databases."""
    with databases() as urls:
        for name, url in urls.items():
            with two_services(url) as (here, there):
                polls, streams = latencies(here.base, there.base, moves)
                click.echo(shown(f"{name}, long poll", polls))
                click.echo(shown(f"{name}, event stream", streams))
                click.echo(f"{name}, takeover after kill -9: {takeover(here, there):.2f} s")
                sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Plays the deals of a tournament: in this process, in several, or on a Dask cluster.

Every deal is a function of the tournament and its number, and results are taken in the order of
the deals. So the result, the deal at which an early stop ends it included, is the same however many
processes there are.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any
from warnings import catch_warnings, simplefilter

from joblib import Parallel, cpu_count, delayed

from hearts.arena.keeping import Keeper, Keeping
from hearts.arena.results import DealResult
from hearts.arena.statistics import bootstrap
from hearts.arena.tournament import Tournament, play_deal
from hearts.game.errors import InvalidConfig
from hearts.players.registry import close_players

CHECK_EVERY = 20  # deals between two looks at the interval, for an early stop
IDLE_SECONDS = 60  # after which a process without work ends: its parent may have been killed
WORKERS_SECONDS = 60  # until the first worker of a cluster must be there

Progress = Callable[[Sequence[DealResult]], None]


@dataclass(frozen=True)
class Machines:
    """Where deals are played."""

    jobs: int = -1  # processes of this machine; −1: one per core
    cluster: str | None = None  # a Dask scheduler, such as tcp://10.0.0.1:8786

    def __post_init__(self) -> None:
        if self.jobs < 1 and self.jobs != -1:
            raise InvalidConfig("jobs", f"{self.jobs} is out of range: at least 1, or -1")

    @property
    def processes(self) -> int:
        """The number of processes on this machine."""
        return cpu_count() if self.jobs < 0 else self.jobs


HERE, NOTHING = Machines(), Keeping()


def run(
    tournament: Tournament,
    deals: int,
    *,
    machines: Machines = HERE,
    keeping: Keeping = NOTHING,
    until: float | None = None,
    progress: Progress = lambda results: None,
) -> list[DealResult]:
    """The results of the deals, by number; fewer when the interval is ±`until` before the end."""
    if deals < 1:
        raise InvalidConfig("deals", f"{deals} is out of range: at least 1")
    if until is not None and not until > 0:
        raise InvalidConfig("until", f"{until} is out of range: more than 0")
    results: list[DealResult] = []
    stream = _in_order(tournament, deals, machines, Keeper(keeping, tournament))
    try:
        for result in stream:
            results.append(result)
            progress(results)
            if tight_enough(results, until):
                break
    finally:
        stream.close()
        close_players()
    return results


def tight_enough(results: Sequence[DealResult], until: float | None) -> bool:
    """Whether to stop early; looked at every so many deals only, to not stop at a lucky moment."""
    if until is None or len(results) % CHECK_EVERY:
        return False
    return bootstrap([result.difference for result in results]).half_width <= until


def _in_order(
    tournament: Tournament, deals: int, machines: Machines, keeper: Keeper
) -> Generator[DealResult]:
    """Every deal in order, as it was kept, or newly played and then kept."""
    finished = keeper.finished
    pending = [number for number in range(deals) if number not in finished]
    played = _played(tournament, pending, machines, keeper.wants_hands)
    try:
        for number in range(deals):
            result = finished.get(number)
            yield keeper.add(next(played)) if result is None else result
    finally:
        played.close()


def _played(
    tournament: Tournament, numbers: list[int], machines: Machines, keep: bool
) -> Generator[DealResult]:
    """The deals played, in order, as they become ready."""
    if machines.cluster is not None:
        yield from _on_cluster(tournament, numbers, machines.cluster, keep)
    elif machines.processes == 1 or len(numbers) < 2:
        for number in numbers:
            yield play_deal(tournament, number, keep)
    else:
        play = delayed(play_deal)
        deals = (play(tournament, number, keep) for number in numbers)
        yield from in_processes(deals, machines.processes)


def in_processes(calls: Iterable[Any], processes: int) -> Generator[Any]:
    """What `delayed` calls return, in order, as they become ready."""
    # joblib makes batches of quick deals by itself, so that they are worth their way.
    parallel = Parallel(
        n_jobs=processes,
        backend="loky",
        return_as="generator",
        idle_worker_timeout=IDLE_SECONDS,
    )
    played = parallel(calls)
    try:
        # Not `yield from`, which would close `played` before the warning is off.
        for result in played:  # noqa: UP028
            yield result
    finally:
        with catch_warnings():
            simplefilter("ignore", UserWarning)  # deals under way are given up on purpose
            played.close()


def _on_cluster(
    tournament: Tournament, numbers: list[int], address: str, keep: bool
) -> Generator[DealResult]:
    """The deals as tasks of a cluster.

    A worker that is lost loses nothing but time: the scheduler gives its deals to the others.
    """
    play = partial(play_deal, tournament, keep=keep)
    with _client(address) as client:
        _check_workers(client, address)
        tasks = deque(client.map(play, numbers, pure=False))  # unknown to later runs
        try:
            while tasks:
                yield tasks[0].result()
                tasks.popleft()
        finally:
            client.cancel(list(tasks))  # after an early stop


def _client(address: str) -> Any:
    try:
        client: Any = import_module("dask.distributed").Client
    except ImportError as error:
        raise InvalidConfig("cluster", "needs `pip install hearts-ai[cluster]`") from error
    try:
        return client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InvalidConfig("cluster", f"{address}: {error}") from error


def _check_workers(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=WORKERS_SECONDS)
    except TimeoutError as error:
        raise InvalidConfig("cluster", f"{address}: there are no workers") from error
    if max(client.nthreads().values()) > 1:
        # Threads would share players, and each would count the CPU of all.
        raise InvalidConfig("cluster", f"{address}: start its workers with --nthreads 1")

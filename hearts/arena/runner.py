"""Run the deals of a tournament: in this process, in several, or on a Dask cluster.

A deal is a function of the tournament and its number, and results are taken in the order of deals.
So the results, and the deal of an early stop, do not depend on the number of processes.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any
from warnings import catch_warnings, simplefilter

from joblib import Parallel, cpu_count, delayed

from hearts.arena.outputs import Outputs, ResultWriter
from hearts.arena.results import DealResult
from hearts.arena.stopping import StopRule
from hearts.arena.tournament import Tournament, play_deal
from hearts.game.errors import InvalidConfig
from hearts.players.registry import close_players

CHECK_EVERY = 20  # deals between two checks for an early stop, to limit optional-stopping bias
IDLE_SECONDS = 60  # an idle process ends after this time: its parent may have been killed
WORKER_TIMEOUT_SECONDS = 60  # wait this long for the first worker of a cluster

Progress = Callable[[Sequence[DealResult]], None]


@dataclass(frozen=True)
class Workers:
    """The processes that play deals: on this machine, or on a cluster."""

    jobs: int = -1  # processes of this machine; −1: one per core
    cluster: str | None = None  # a Dask scheduler, such as tcp://10.0.0.1:8786

    def __post_init__(self) -> None:
        if self.jobs < 1 and self.jobs != -1:
            raise InvalidConfig("jobs", f"{self.jobs} is out of range: must be at least 1, or -1")

    @property
    def processes(self) -> int:
        """The number of processes on this machine."""
        return cpu_count() if self.jobs < 0 else self.jobs


LOCAL, NO_OUTPUTS = Workers(), Outputs()


def run(
    tournament: Tournament,
    deals: int,
    *,
    workers: Workers = LOCAL,
    outputs: Outputs = NO_OUTPUTS,
    stop: StopRule | None = None,
    progress: Progress = lambda results: None,
) -> list[DealResult]:
    """Play deals 0 to `deals` − 1, or fewer if `stop` says so at a check."""
    if deals < 1:
        raise InvalidConfig("deals", f"{deals} is out of range: must be at least 1")
    results: list[DealResult] = []
    stream = _in_order(tournament, deals, workers, ResultWriter(outputs, tournament))
    try:
        for result in stream:
            results.append(result)
            progress(results)
            if stop is not None and _stops(stop, results):
                break
    finally:
        stream.close()
        close_players()
    return results


def _stops(stop: StopRule, results: Sequence[DealResult]) -> bool:
    """Whether to stop early; checked every CHECK_EVERY deals."""
    if len(results) % CHECK_EVERY:
        return False
    return stop.stops([result.figure for result in results])


def _in_order(
    tournament: Tournament, deals: int, workers: Workers, writer: ResultWriter
) -> Generator[DealResult]:
    """Yield every deal in order: read from the journal, or played and written."""
    finished = writer.finished
    pending = [number for number in range(deals) if number not in finished]
    played = _played(tournament, pending, workers, writer.wants_hands)
    try:
        for number in range(deals):
            result = finished.get(number)
            yield writer.add(next(played)) if result is None else result
    finally:
        played.close()


def _played(
    tournament: Tournament, numbers: list[int], workers: Workers, keep_records: bool
) -> Generator[DealResult]:
    """Play some deals; yield each result as soon as it and all earlier ones are done."""
    if workers.cluster is not None:
        yield from _on_cluster(tournament, numbers, workers.cluster, keep_records)
    elif workers.processes == 1 or len(numbers) < 2:
        for number in numbers:
            yield play_deal(tournament, number, keep_records)
    else:
        play = delayed(play_deal)
        deals = (play(tournament, number, keep_records) for number in numbers)
        yield from in_processes(deals, workers.processes)


def in_processes(calls: Iterable[Any], processes: int) -> Generator[Any]:
    """Run `delayed` calls; yield each result as soon as it and all earlier ones are done."""
    # joblib batches quick deals by itself.
    parallel = Parallel(
        n_jobs=processes,
        backend="loky",
        return_as="generator",
        idle_worker_timeout=IDLE_SECONDS,
    )
    played = parallel(calls)
    try:
        # `yield from` would close `played` before the warning is ignored.
        for result in played:  # noqa: UP028
            yield result
    finally:
        with catch_warnings():
            simplefilter("ignore", UserWarning)  # running deals are abandoned on purpose
            played.close()


def _on_cluster(
    tournament: Tournament, numbers: list[int], address: str, keep_records: bool
) -> Generator[DealResult]:
    """Play deals as tasks of a cluster; the scheduler reassigns the deals of a lost worker."""
    play = partial(play_deal, tournament, keep_records=keep_records)
    with _client(address) as client:
        _check_workers(client, address)
        tasks = deque(client.map(play, numbers, pure=False))  # not cached across runs
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
        client.wait_for_workers(1, timeout=WORKER_TIMEOUT_SECONDS)
    except TimeoutError as error:
        raise InvalidConfig("cluster", f"{address}: there are no workers") from error
    if max(client.nthreads().values()) > 1:
        # Threads would share players, and CPU time is measured per process.
        raise InvalidConfig("cluster", f"{address}: start its workers with --nthreads 1")

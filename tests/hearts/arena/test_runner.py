"""Runs: the same results in one process, in two and on a cluster; early stops and resuming."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

import distributed  # noqa: F401  # so that its settings survive the restore of Dask's settings
import pytest
from dask import config as dask_config

from hearts.arena.journal import Journal
from hearts.arena.outputs import Outputs
from hearts.arena.results import DealResult
from hearts.arena.runner import CHECK_EVERY, Workers, run
from hearts.arena.statistics import bootstrap
from hearts.arena.stopping import Precision, Sprt
from hearts.arena.tournament import Tournament, play_deal
from hearts.game.errors import InvalidConfig, InvalidRecord
from hearts.game.records import read_records
from hearts.players.spec import Spec

TOURNAMENT = Tournament(Spec("cautious"), Spec("careless"), seed=5, passing="cycle")
ONE, TWO = Workers(jobs=1), Workers(jobs=2)
SPRT = Sprt(-4.0, -3.0)


@cache
def plain(number: int) -> DealResult:
    return play_deal(TOURNAMENT, number)


def plainly(deals: int) -> list[DealResult]:
    return [plain(number) for number in range(deals)]


def test_two_processes_play_the_same_hands_as_one():
    one = run(TOURNAMENT, 20, workers=ONE)
    assert run(TOURNAMENT, 20, workers=ONE) == one
    assert run(TOURNAMENT, 20, workers=TWO) == one
    digests = [table.digest for result in one for table in result.tables]
    assert len(set(digests)) == len(digests)


@contextmanager
def dask(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process that is a scheduler or a worker of Dask."""
    command = [sys.executable, "-m", "dask", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def waited_for(process: subprocess.Popen[str], words: str) -> str:
    """The first line of a process's log that has some words."""
    assert process.stderr is not None
    line = next(line for line in process.stderr if words in line)
    threading.Thread(target=process.stderr.read, daemon=True).start()  # drains its pipe
    return line


@contextmanager
def cluster() -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """A scheduler with two worker processes, and its address."""
    place = ("--host", "127.0.0.1", "--no-dashboard")
    worker = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
    with dask("scheduler", *place, "--port", "0") as scheduler:
        address = waited_for(scheduler, "Scheduler at:").split()[-1]
        with dask("worker", address, *worker) as first, dask("worker", address, *worker) as second:
            for process in (first, second):
                waited_for(process, "Registered to:")
            yield address, [first, second]


def test_a_cluster_that_loses_a_worker_plays_the_same_hands():
    deals, lost_at = 100, []
    with cluster() as (address, processes):

        def lose_one(results):
            if len(results) >= 20 and not lost_at:
                lost_at.append(len(results))
                os.kill(processes[0].pid, signal.SIGKILL)

        workers = Workers(cluster=address)
        found = run(TOURNAMENT, deals, workers=workers, progress=lose_one)
        assert processes[0].wait(timeout=10) == -signal.SIGKILL
        assert processes[1].poll() is None
    assert lost_at == [20]
    assert found == plainly(deals)


def test_what_a_worker_refuses_is_said_as_if_here():
    unknown = Tournament(Spec("engine", (("belief", "OM-9"),)), Spec("random"))
    with pytest.raises(InvalidConfig, match=r"^belief: 'OM-9' is not installed"):
        run(unknown, 2, workers=TWO)


def test_an_address_without_a_scheduler_is_said():
    with (
        dask_config.set({"distributed.comm.timeouts.connect": "500ms"}),
        pytest.raises(InvalidConfig, match=r"cluster: tcp://127\.0\.0\.1:9"),
    ):
        run(TOURNAMENT, 2, workers=Workers(cluster="tcp://127.0.0.1:9"))


@pytest.mark.parametrize("workers", [ONE, TWO], ids=["one process", "two"])
def test_an_early_stop_is_at_the_same_deal_for_all(workers):
    wide = run(TOURNAMENT, 200, workers=workers, stop=Precision(0.9))
    assert CHECK_EVERY < len(wide) < 200
    assert len(wide) % CHECK_EVERY == 0
    values = [result.difference for result in wide]
    assert bootstrap(values).half_width <= 0.9
    assert bootstrap(values[:-CHECK_EVERY]).half_width > 0.9
    assert wide == plainly(len(wide))


@pytest.mark.parametrize("workers", [ONE, TWO], ids=["one process", "two"])
def test_a_sequential_test_ends_at_the_same_deal_for_all(workers):
    found = run(TOURNAMENT, 200, workers=workers, stop=SPRT)
    assert CHECK_EVERY < len(found) < 200
    assert len(found) % CHECK_EVERY == 0
    values = [result.difference for result in found]
    assert SPRT.result(values).decision == "H1"
    assert not any(SPRT.stops(values[:n]) for n in range(CHECK_EVERY, len(values), CHECK_EVERY))
    assert found == plainly(len(found))


def test_a_sequential_test_resumes_from_a_journal(tmp_path):
    outputs = Outputs(tmp_path / "journal.jsonl")
    with pytest.raises(Interrupted):
        run(TOURNAMENT, 200, workers=ONE, outputs=outputs, stop=SPRT, progress=interrupt)
    found = run(TOURNAMENT, 200, workers=ONE, outputs=outputs, stop=SPRT)
    assert found == run(TOURNAMENT, 200, workers=ONE, stop=SPRT)
    run(TOURNAMENT, len(found) + 30, workers=ONE, outputs=outputs)  # more deals, without the test
    assert run(TOURNAMENT, 200, workers=ONE, outputs=outputs, stop=SPRT) == found


class Interrupted(Exception):
    """An interruption, as by Ctrl-C."""


def interrupt(results: list[DealResult]) -> None:
    if len(results) == 5:
        raise Interrupted


@pytest.mark.parametrize("workers", [ONE, TWO], ids=["one process", "two"])
def test_an_interrupted_run_goes_on_and_ends_the_same(tmp_path, workers):
    outputs = Outputs(tmp_path / "journal.jsonl", tmp_path / "hands.jsonl")
    with pytest.raises(Interrupted):
        run(TOURNAMENT, 12, workers=workers, outputs=outputs, progress=interrupt)
    assert len(outputs.journal.read_text().splitlines()) == 1 + 5
    with outputs.journal.open("a") as stream:
        stream.write('{"deal": 5, "tab')  # an incomplete line
    with outputs.records.open("a") as stream:
        left = play_deal(TOURNAMENT, 5, keep_records=True).records[0]  # not in the journal
        stream.write(json.dumps(left) + '\n{"id": "x')
    found = run(TOURNAMENT, 12, workers=workers, outputs=outputs)
    assert found == plainly(12)
    assert not any(result.records for result in found)  # they are on disk only
    records = list(read_records(outputs.records))
    assert [record.extra["deal"] for record in records] == [n for n in range(12) for _ in range(4)]
    assert len(Journal(outputs.journal, TOURNAMENT).finished) == 12


def test_all_seatings_resume_from_their_journal(tmp_path):
    tournament = replace(TOURNAMENT, seats="all")
    outputs = Outputs(tmp_path / "journal.jsonl", tmp_path / "hands.jsonl")
    with pytest.raises(Interrupted):
        run(tournament, 6, workers=ONE, outputs=outputs, progress=interrupt)
    found = run(tournament, 6, workers=ONE, outputs=outputs)
    assert found == [play_deal(tournament, number) for number in range(6)]
    places = [(each.extra["deal"], each.extra["seating"]) for each in read_records(outputs.records)]
    assert places == [(deal, seating) for deal in range(6) for seating in range(14)]
    with pytest.raises(InvalidRecord, match="another tournament"):
        run(TOURNAMENT, 6, workers=ONE, outputs=outputs)


def test_finished_deals_are_not_played_again(tmp_path, monkeypatch):
    outputs = Outputs(tmp_path / "journal.jsonl")
    before = run(TOURNAMENT, 4, workers=ONE, outputs=outputs)
    monkeypatch.setattr("hearts.arena.runner.play_deal", None)
    assert run(TOURNAMENT, 4, workers=ONE, outputs=outputs) == before


def test_what_cannot_be_done_is_said(tmp_path):
    with pytest.raises(InvalidConfig, match="deals: 0"):
        run(TOURNAMENT, 0)
    with pytest.raises(InvalidConfig, match="jobs: 0"):
        run(TOURNAMENT, 1, workers=Workers(jobs=0))
    with pytest.raises(InvalidConfig, match="only with a journal"):
        run(TOURNAMENT, 1, outputs=Outputs(records=tmp_path / "hands.jsonl"))

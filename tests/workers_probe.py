"""`python -m tests.workers_probe`: moves per second with one worker and with two, and the kernel's.

wrk asks over 8 connections that are kept. Services with one and two workers and the engine alone
take turns, because the machine's pace changes within a minute. Also printed: the CPU time of all
workers per move, and the memory that each further worker takes. Exits with 1 if a bar is missed.
"""

from __future__ import annotations

import json
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from hearts.engine.levels import DEFAULT
from tests import load
from tests.hearts.warmup import compile_kernels
from tests.request_cost import cpu_of
from tests.server.service import Service, serving
from tests.server.states import sample

SCRIPT = Path(__file__).with_name("wrk_moves.lua")
KILO = 1024
# The least throughput of two workers, as a multiple of the throughput of one worker, or of the
# kernel on all cores; by search.
BARS = {("100 simulations", 1): 1.7, ("default", "kernel"): 0.75}
# A search that costs less than the rest of its request, and the default.
SEARCHES: dict[str, dict[str, Any]] = {
    "100 simulations": {"simulations": 100, "worlds": 10, "belief": "OM-1", "endgame": 0},
    "default": {},
}


def proportional_memory(pid: int) -> float:
    """The memory of a process in MB; what n processes share counts 1/n."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    found = re.search(r"^Pss: +(\d+) kB", text, re.M)
    assert found
    return int(found[1]) / KILO


def moves_per_second(service: Service, bodies: Path, seconds: float) -> tuple[float, float]:
    """Answers per second, and CPU milliseconds of the workers for each."""
    workers = load.workers_of(service)
    before = sum(map(cpu_of, workers))
    command = ["wrk", "-t1", "-c8", f"-d{seconds}s", "-s", SCRIPT, service.base, "--", bodies]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "Non-2xx" not in text, text
    requests = int(re.search(r"(\d+) requests in", text)[1])  # type: ignore[index]
    moves = float(re.search(r"Requests/sec: +([\d.]+)", text)[1])  # type: ignore[index]
    return moves, (sum(map(cpu_of, workers)) - before) / requests * 1000


def measure(what: str, states: Sequence[dict[str, Any]], seconds: int, repeats: int) -> None:
    """Compare one worker, two workers and the kernel."""
    options = {**SEARCHES[what], "use_threads": False, "explain": False}
    config = replace(DEFAULT, **SEARCHES[what])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        bodies = folder / "bodies"
        lines = [json.dumps({"game_state": state, "ai_config": options}) for state in states]
        bodies.write_text("\n".join(lines))
        services = {}
        for workers in (1, 2):
            (place := folder / str(workers)).mkdir()
            given = {"HEARTS_WORKERS": str(workers), "HEARTS_LOG_LEVEL": "warning"}
            services[workers] = stack.enter_context(serving(place, **given))
        found: dict[object, list[tuple[float, float]]] = {1: [], 2: [], "kernel": []}
        for _ in range(repeats):
            for workers, service in services.items():
                found[workers].append(moves_per_second(service, bodies, seconds))
            kernel = load.kernel_alone(states, seconds, config)
            found["kernel"].append((kernel.per_second, kernel.cpu))
        for who, values in found.items():
            moves, cpu = (statistics.median(column) for column in zip(*values, strict=True))
            load.row(f"{what}, {who}", f"{moves:.0f}/s, {cpu:.2f} ms of CPU")
        for name, other in (("two workers / one", 1), ("two workers / kernel", "kernel")):
            ratios = [two[0] / one[0] for two, one in zip(found[2], found[other], strict=True)]
            ratio, bar = statistics.median(ratios), BARS.get((what, other), 0.0)
            shown = f"at least {bar}" if bar else ""
            load.row(f"… {name}", f"{ratio:.2f}", shown, met=ratio >= bar)
        memory = [proportional_memory(pid) for pid in load.workers_of(services[2])]
        load.row("… memory of each of two workers", f"{statistics.mean(memory):.0f} MB")


@click.command()
@click.option("--seconds", default=4, help="Of a measurement.")
@click.option("--repeats", default=5, help="Measurements, in turns.")
def main(seconds: int, repeats: int) -> None:
    """Measure, and print a table."""
    if shutil.which("wrk") is None:
        raise click.ClickException("wrk is missing: apt-get install wrk")
    compile_kernels()
    states = [state for state, legal in sample(500) if len(legal) > 1]
    for what in SEARCHES:
        measure(what, states, seconds, repeats)
    load.exit_if_missed()


if __name__ == "__main__":
    main()

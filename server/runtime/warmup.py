"""Warm-up: compile or load all kernels before the service reports that it is ready."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial

import numpy as np
import structlog

from hearts.analysis.forecasts import forecasts_of
from hearts.engine.beliefs import belief_names, load_belief, sample_worlds
from hearts.engine.clock import UNLIMITED
from hearts.engine.levels import DEFAULT
from hearts.engine.warmup import STEPS as ENGINE_STEPS
from hearts.engine.warmup import views
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, PassDirection

Step = Callable[[], object]

log = structlog.stdlib.get_logger("hearts.warmup")


def ask_belief(name: str) -> None:
    """Ask an opponent model what requests ask it; only the default model must answer."""
    try:
        belief = load_belief(name)
        for view in views():
            belief.probabilities(view)
            sample_worlds(belief, view, 2, np.random.default_rng(0), UNLIMITED)
    except Exception:
        if name == DEFAULT.belief:
            raise
        log.exception("opponent model failed its warm-up", model=name)


def forecast() -> None:
    """Forecast queen and moon of one deal."""
    forecasts_of(Deal.random(PASSING, PassDirection.HOLD, np.random.default_rng(1)), playouts=1)


def steps() -> dict[str, Step]:
    """All steps by name, the costliest to compile first."""
    beliefs = {name: partial(ask_belief, name) for name in sorted(belief_names(), reverse=True)}
    costliest = {name: step for name, step in beliefs.items() if name == "OM-2"}
    return {**costliest, **ENGINE_STEPS, "forecasts": forecast, **beliefs}


def take_step(name: str) -> str:
    """Take one step in this process, and return its name."""
    steps()[name]()
    return name


def compile_ahead(jobs: int | None = None) -> Iterator[tuple[str, int]]:
    """Compile all kernels in several processes; yields each step that is done and how many remain.

    Processes and not threads: numba compiles under one global lock. What they compile is on disk
    afterwards, where every later process loads it from.
    """
    names = list(steps())
    spawn = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
    with ProcessPoolExecutor(jobs or os.cpu_count(), mp_context=spawn) as pool:
        pending = [pool.submit(take_step, name) for name in names]
        for done, future in enumerate(as_completed(pending), 1):
            yield future.result(), len(names) - done


class WarmUp:
    """Takes its steps once, and knows what keeps the service from being ready."""

    def __init__(self, named: Mapping[str, Step] | None = None) -> None:
        self.steps = steps() if named is None else dict(named)
        self.problem: str | None = "warm-up has not begun"

    def run(self) -> None:
        """Take every step; a step that fails leaves the service not ready."""
        try:
            for step in self.steps.values():
                step()
        except Exception:
            log.exception("warm-up failed")
            self.problem = "warm-up failed, see the log"
        else:
            log.info("warm-up done", steps=len(self.steps))
            self.problem = None

"""Counters, histograms and gauges for Prometheus.

One process counts in memory. If `shared_metrics` has prepared a directory, every worker process
counts in files there, and any of them can answer for all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    values,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

CONTENT_TYPE = CONTENT_TYPE_LATEST
# Upper bounds of the buckets: a forced card takes a millisecond, an analysis seconds.
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
IS_SHARED = values.ValueClass is not values.MutexValue  # as decided by the import above
REFRESH_SECONDS = 1.0  # how often a worker writes its gauges for the others


class Metrics:
    """The metrics of one application, in a registry of its own."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        self.is_shared = IS_SHARED
        # If shared:
        self._gauges: list[tuple[Gauge, Callable[[], float]]] = []  # to be added up
        self._common: list[tuple[str, str, Callable[[], float]]] = []  # name, about, value
        self._stopping = threading.Event()
        self.requests = Counter(
            "hearts_requests", "Requests answered", ["method", "endpoint", "status"],
            registry=registry,
        )  # fmt: skip
        self.latency = Histogram(
            "hearts_request_seconds", "Time from request to answer", ["endpoint"],
            registry=registry, buckets=_SECONDS,
        )  # fmt: skip
        self.search = Histogram(
            "hearts_search_seconds", "Time in the engine alone", ["endpoint"],
            registry=registry, buckets=_SECONDS,
        )  # fmt: skip
        self.simulations = Counter(
            "hearts_simulations", "Playouts done in searches", registry=registry
        )
        self.rejections = Counter(
            "hearts_busy_refusals",
            "Requests refused because all slots or threads, and the queue for them, were taken",
            registry=registry,
        )

    def gauge(
        self,
        name: str,
        about: str,
        value: Callable[[], float],
        *,
        common: bool = False,
    ) -> None:
        """Add a gauge that calls `value` whenever the metrics are read.

        The values of all workers are added, unless each of them knows the `common` value.
        """
        if self.is_shared and common:
            self._common.append((name, about, value))
            return
        made = Gauge(name, about, registry=self.registry, multiprocess_mode="livesum")
        if self.is_shared:
            self._gauges.append((made, value))
        else:
            made.set_function(value)

    def start(self) -> None:
        """Keep the gauges of this worker up to date for the others."""
        if self.is_shared:
            threading.Thread(target=self._refresh_often, name="gauges", daemon=True).start()

    def close(self) -> None:
        """Stop doing so."""
        self._stopping.set()

    def count_search(self, endpoint: str, seconds: float, simulations: int) -> None:
        """Count a search."""
        self.search.labels(endpoint).observe(seconds)
        self.simulations.inc(simulations)

    def count_request(self, method: str, endpoint: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self.requests.labels(method, endpoint, str(status)).inc()
        self.latency.labels(endpoint).observe(seconds)

    def text(self) -> bytes:
        """All metrics in Prometheus' text format, of all workers."""
        if not self.is_shared:
            return generate_latest(self.registry)
        self._refresh()
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        registry.register(self)
        return generate_latest(registry)

    def collect(self) -> Iterator[Metric]:
        """The common gauges, for a registry of prometheus_client."""
        for name, about, value in self._common:
            yield GaugeMetricFamily(name, about, value=value())

    def _refresh(self) -> None:
        for gauge, value in self._gauges:
            gauge.set(value())

    def _refresh_often(self) -> None:
        self._refresh()
        while not self._stopping.wait(REFRESH_SECONDS):
            self._refresh()


def forget_process(pid: int) -> None:
    """Remove the gauges of a worker that has ended; its counts remain."""
    if IS_SHARED:
        mark_process_dead(pid)  # type: ignore[no-untyped-call]

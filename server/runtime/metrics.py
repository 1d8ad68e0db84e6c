"""What Prometheus is told."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from server.search.admission import Slots

CONTENT_TYPE = CONTENT_TYPE_LATEST
# A forced card takes one millisecond, an analysis seconds.
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The counters of one application, in a registry of their own."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
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
        self.refusals = Counter(
            "hearts_busy_refusals", "Requests refused because all was taken", registry=registry
        )

    def watch(self, slots: Slots) -> None:
        """Show how many searches run and wait."""
        gauges = {
            "hearts_searches_running": ("Searches that run now", lambda: len(slots.running)),
            "hearts_queue_waiting": ("Requests that wait for a search", lambda: slots.waiting),
            "hearts_slots": ("Searches that may run at the same time", lambda: slots.size),
        }
        for name, (about, value) in gauges.items():
            Gauge(name, about, registry=self.registry).set_function(value)

    def watch_spool(self, size: Callable[[], int]) -> None:
        """Show how much waits for the database."""
        about = "Bytes of decisions that wait on disk for the database"
        Gauge("hearts_spool_bytes", about, registry=self.registry).set_function(size)

    def count_search(self, endpoint: str, seconds: float, simulations: int) -> None:
        """Add a search."""
        self.search.labels(endpoint).observe(seconds)
        self.simulations.inc(simulations)

    def count_request(self, method: str, endpoint: str, status: int, seconds: float) -> None:
        """Add an answer."""
        self.requests.labels(method, endpoint, str(status)).inc()
        self.latency.labels(endpoint).observe(seconds)

    def text(self) -> bytes:
        """Everything, in Prometheus' text format."""
        return generate_latest(self.registry)

"""Counters and histograms for Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

CONTENT_TYPE = CONTENT_TYPE_LATEST
# Upper bounds of the buckets: a forced card takes a millisecond, an analysis seconds.
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The metrics of one application, in a registry of its own."""

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
        self.rejections = Counter(
            "hearts_busy_refusals",
            "Requests answered with 503 because all slots were taken",
            registry=registry,
        )

    def gauge(self, name: str, about: str, value: Callable[[], float]) -> None:
        """Add a gauge that calls `value` whenever the metrics are read."""
        Gauge(name, about, registry=self.registry).set_function(value)

    def count_search(self, endpoint: str, seconds: float, simulations: int) -> None:
        """Count a search."""
        self.search.labels(endpoint).observe(seconds)
        self.simulations.inc(simulations)

    def count_request(self, method: str, endpoint: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self.requests.labels(method, endpoint, str(status)).inc()
        self.latency.labels(endpoint).observe(seconds)

    def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        return generate_latest(self.registry)

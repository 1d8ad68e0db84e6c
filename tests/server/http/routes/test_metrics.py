"""What /metrics counts."""

from __future__ import annotations

from tests.server.api import SHORT


def test_metrics_count_requests_searches_and_simulations(api):
    def value(line: str) -> float:
        found = [
            row for row in api.client.get("/metrics").text.splitlines() if row.startswith(line)
        ]
        return float(found[0].split()[-1]) if found else 0.0

    lines = (
        'hearts_requests_total{endpoint="/api/move",method="POST",status="200"}',
        'hearts_request_seconds_count{endpoint="/api/move"}',
        'hearts_search_seconds_count{endpoint="/api/move"}',
        "hearts_simulations_total",
    )
    before = [value(line) for line in lines]
    api.move({"player_hand": SHORT}, simulations=70)
    after = [value(line) for line in lines]
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 1, 1, 70]
    api.client.get("/a/path/that/a/stranger/made/up")
    assert "stranger" not in api.client.get("/metrics").text
    for name_ in ("hearts_queue_waiting", "hearts_busy_refusals_total", "hearts_slots"):
        assert f"\n{name_} " in api.client.get("/metrics").text


def counted(api, endpoint: str, method: str, status: int) -> bool:
    """Whether a request has been counted under these names."""
    labels = f'{{endpoint="{endpoint}",method="{method}",status="{status}"}}'
    return f"hearts_requests_total{labels}" in api.client.get("/metrics").text


def test_strangers_make_no_metrics_of_their_own(api):
    api.client.open("/api/legal", method="BREW")
    assert counted(api, "/api/legal", "other", 405)
    assert "BREW" not in api.client.get("/metrics").text
    api.client.put("/api/legal")
    assert counted(api, "/api/legal", "PUT", 405)
    api.client.get("/nowhere")
    assert counted(api, "unknown", "GET", 404)

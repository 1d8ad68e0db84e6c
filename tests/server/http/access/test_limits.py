"""Rate limits: which requests they count, and for whom."""

from __future__ import annotations

import sys
import time

import pytest

from server.http.access.counters import MonotonicStorage, RateLimit
from server.http.access.limits import EXPENSIVE
from server.runtime.caller import Caller
from tests.server.application import application
from tests.server.service import hearts

FORCED = {"game_state": {"player_hand": ["5H"]}}


def statuses(client, *requests):
    """The statuses of requests, each a path to GET or a path and a body to POST."""
    return [
        (
            client.get(each) if isinstance(each, str) else client.post(each[0], json=each[1])
        ).status_code
        for each in requests
    ]


def test_one_limit_holds_over_all_endpoints(tmp_path):
    with application(tmp_path, rate_limit="3 per minute") as app:
        asked = ("/api/models", ("/api/move", FORCED), "/nowhere", "/api/ladder")
        assert statuses(app.test_client(), *asked) == [200, 200, 404, 429]


def test_expensive_requests_have_a_limit_of_their_own(tmp_path):
    with application(tmp_path, expensive_rate_limit="2 per minute") as app:
        client = app.test_client()
        asked = (
            ("/api/analysis", {}),
            ("/api/tables", {}),
            ("/api/review", {}),
            "/api/stats?plot=1",
        )
        assert statuses(client, *asked) == [400, 201, 429, 429]
        assert statuses(client, "/api/stats", "/api/tables") == [200, 200]
        refused = client.post("/api/review", json={}).json["message"]
        assert refused == "more than 2 per 1 minute of expensive requests: try again later"


def test_head_is_as_expensive_as_get(tmp_path):
    with application(tmp_path, expensive_rate_limit="1 per minute") as app:
        client, path = app.test_client(), "/api/games/nothere/review"
        assert [client.head(path).status_code for _ in range(2)] == [404, 429]


def test_many_sampled_worlds_are_expensive(tmp_path):
    with application(tmp_path, expensive_rate_limit="1 per minute") as app:
        hand = {"player_hand": ["2C", "5H"]}
        asked = [("/api/beliefs", {"game_state": hand, "worlds": n}) for n in (100, 101, 101, 100)]
        assert statuses(app.test_client(), *asked) == [200, 200, 429, 200]


def test_every_expensive_request_exists(api):
    known = {
        (method, rule.rule) for rule in api.app.url_map.iter_rules() for method in rule.methods
    }
    assert known >= EXPENSIVE


def test_a_clock_that_is_set_back_makes_nobody_wait_longer(tmp_path, monkeypatch):
    with application(tmp_path, rate_limit="1 per minute") as app:
        client, now = app.test_client(), time.time
        assert client.get("/api/models").status_code == 200
        monkeypatch.setattr(time, "time", lambda: now() - 3 * 3600)
        assert 1 <= int(client.get("/api/models").headers["Retry-After"]) <= 60


def test_a_window_ends_although_the_clock_was_set_back(monkeypatch):
    limit, now, ticks = RateLimit("1 per minute", None, 1), time.time, time.monotonic
    assert [limit.hit("me") is None for _ in range(2)] == [True, False]
    monkeypatch.setattr(time, "time", lambda: now() - 3 * 3600)
    monkeypatch.setattr(time, "monotonic", lambda: ticks() + 61)
    assert limit.hit("me") is None


def test_a_window_that_a_shared_counter_keeps_too_long_is_reset():
    class SetBack(MonotonicStorage):
        """Counters whose server had its clock set back by three hours."""

        def get_expiry(self, key):
            return super().get_expiry(key) + 3 * 3600

    limit = RateLimit("1 per minute", SetBack(), 1)
    assert limit.hit("me") is None
    assert limit.hit("me") == ("1 per 1 minute", 60)
    assert limit.hit("me") is None


def test_workers_without_redis_enforce_their_share():
    limit = RateLimit("10 per minute; 1 per second", None, 4)
    assert [limit.hit("me") is None for _ in range(2)] == [True, False]
    assert [item.amount for item in limit._shares] == [2, 1]


def test_expired_counters_are_deleted(monkeypatch):
    storage, ticks = MonotonicStorage(), time.monotonic
    for n in range(100):
        storage.incr(str(n), 1)
    monkeypatch.setattr(time, "monotonic", lambda: ticks() + 100)
    storage.incr("me", 1)
    assert storage.reset() == 1


@pytest.mark.parametrize(
    ("address", "identity"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
    ],
)
def test_a_network_of_ipv6_counts_as_one_client(address, identity):
    assert Caller(None, None, address).identity == identity


def test_ipv4_clients_of_a_socket_for_both_have_limits_of_their_own(tmp_path):
    with application(tmp_path, rate_limit="1 per minute") as app:
        client = app.test_client()

        def status(address: str) -> int:
            asked = client.get("/api/models", environ_base={"REMOTE_ADDR": address})
            return asked.status_code

        assert [status(f"::ffff:192.0.2.{n}") for n in (1, 2, 1)] == [200, 200, 429]
        assert status("192.0.2.2") == 429  # the same client
        assert status("fe80::1%eth0") == 200


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "redis", None)
    ran = hearts("serve", cwd=tmp_path, HEARTS_LIMITS_URL="redis://127.0.0.1:1/0")
    assert ran.returncode == 1
    assert ran.stderr == (
        "Error: HEARTS_LIMITS_URL: redis is missing: pip install 'hearts-ai[redis]'\n"
    )

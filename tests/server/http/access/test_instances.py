"""Two real services that share a Redis, one of them behind a real nginx."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from urllib.request import urlopen

import pytest

from tests.nginx import running_nginx
from tests.redis import RedisServer
from tests.server.http.access.clients import Client
from tests.server.service import Service, free_port, serving, wait_until

SITE = """
server {
    listen 80;
    location / {
        proxy_pass http://127.0.0.1:PORT;
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Host $http_host;
        proxy_set_header X-Forwarded-Proto $scheme;
    }
}
"""


@dataclass(frozen=True)
class Instances:
    """Two services, and the addresses of the proxy and of the metrics of the first."""

    first: Service
    second: Service
    proxy: str
    metrics: str


@pytest.fixture(scope="module")
def instances(
    tmp_path_factory: pytest.TempPathFactory, redis_server: RedisServer
) -> Iterator[Instances]:
    folder = tmp_path_factory.mktemp("instances")
    settings = {
        "HEARTS_TRUSTED_PROXIES": "127.0.0.1",
        "HEARTS_ALLOW_OPEN": "true",
        "HEARTS_RATE_LIMIT": "4 per hour",
        "HEARTS_LIMITS_URL": redis_server.url,
        "HEARTS_SLOTS": "1",
        "HEARTS_DATABASE_URL": f"sqlite:///{folder / 'hearts.db'}",
    }
    with ExitStack() as stack, ThreadPoolExecutor() as pool:
        (folder / "second").mkdir()
        operators = {"HEARTS_METRICS_PORT": str(free_port()), "HEARTS_METRICS_TOKEN": "none"}
        first = stack.enter_context(serving(folder, **settings, **operators))
        second = serving(folder / "second", **settings)
        begun = pool.submit(second.__enter__)
        site = SITE.replace("PORT", str(first.port))
        proxy = stack.enter_context(running_nginx(folder / "nginx", site))
        stack.push(second.__exit__)
        metrics = f"http://127.0.0.1:{operators['HEARTS_METRICS_PORT']}"
        yield Instances(first, begun.result(), proxy, metrics)


def test_clients_behind_a_proxy_have_limits_of_their_own(instances):
    first, second = (Client(instances.proxy, f"127.1.0.{n}") for n in (1, 2))
    assert first.statuses(5) == [200, 200, 200, 200, 429]
    assert second.statuses(1) == [200]
    # The proxy appends the address of its peer, so whatever a client adds stands before it.
    forged = {"X-Forwarded-For": "127.1.0.99, 127.1.0.98"}
    assert first.statuses(1, **forged) == [429]


def test_only_the_proxy_may_say_who_asks(instances):
    stranger = Client(instances.first.base, "127.2.0.1")
    forged = [
        stranger.ask("/api/models", **{"X-Forwarded-For": f"127.2.1.{n}"})[0] for n in range(5)
    ]
    assert forged == [200, 200, 200, 200, 429]


def test_all_endpoints_and_all_instances_count_together(instances):
    here, there = (Client(each.base, "127.3.0.1") for each in (instances.first, instances.second))
    assert here.statuses(1, "/api/models") + here.statuses(1, "/nowhere") == [200, 404]
    assert there.statuses(1, "/api/ladder") + there.statuses(1) == [200, 200]
    assert here.statuses(1, "/api/models") + there.statuses(1, "/api/ladder") == [429, 429]
    _, _, refused = there.ask("/api/models")
    assert 3000 < int(refused.headers["Retry-After"]) <= 3600


def test_without_redis_each_instance_counts_for_itself(instances, redis_server):
    client = Client(instances.first.base, "127.4.0.1")
    redis_server.stop()
    try:
        assert client.statuses(5) == [200, 200, 200, 200, 429]
        assert "Redis does not answer" in instances.first.log.read_text()
    finally:
        redis_server.start()
    # The counters in Redis are new, and it is asked again after a few seconds.
    wait_until(lambda: client.statuses(1) == [200])


def test_metrics_are_on_a_port_of_their_own(instances):
    with urlopen(f"{instances.metrics}/metrics", timeout=60) as answer:
        assert "\nhearts_slots 1.0\n" in answer.read().decode()
    for base, path in ((instances.first.base, "/metrics"), (instances.metrics, "/api/models")):
        assert Client(base, "127.5.0.1").ask(path)[0] == 403
    assert Client(instances.proxy, "127.5.0.2").ask("/metrics")[0] == 403

"""The processes of compose.yaml on loopback: PostgreSQL, Redis, instances, a worker and nginx."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import yaml

from tests.nginx import running_nginx, shipped_site
from tests.postgres import PostgresServer, running_server
from tests.redis import RedisServer, running_redis
from tests.server.service import HEARTS, PATIENCE, Service, clean_environment, free_port

COMPOSE = Path(__file__).parents[2] / "compose.yaml"
INSTANCES = 3


class Instance:
    """One `hearts serve`, which can be killed and started again on the same port."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        folder.mkdir()
        self.folder, self.settings, self.port = folder, settings, free_port()
        self.service = self._start()

    def kill(self) -> None:
        """End all of its processes without a warning."""
        self.service.kill()

    def restart(self) -> None:
        """Start it again after it has ended."""
        self.service = self._start()

    def stop(self) -> None:
        """End it, if it runs."""
        if self.service.process.poll() is None:
            self.service.stop(signal.SIGTERM)

    def _start(self) -> Service:
        log = self.folder / "serve.log"
        with log.open("ab") as output:
            process = subprocess.Popen(
                [HEARTS, "serve", "--port", str(self.port)],
                cwd=self.folder,
                env=clean_environment(**self.settings),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        return Service(process, self.port, log)


class Cluster:
    """Three instances behind nginx, with one worker, one database and one Redis."""

    def __init__(
        self, database: PostgresServer, limits: RedisServer, instances: list[Instance], url: str
    ) -> None:
        self.database, self.limits = database, limits
        self.instances, self.url = instances, url

    def wait_until_ready(self) -> None:
        """Wait until every instance that runs is ready."""
        for instance in self.instances:
            instance.service.wait_until_ready()

    def restart_database(self, seconds: float = 1.0) -> None:
        """Stop the database at once, and start it again after some seconds."""
        self.database.stop()
        time.sleep(seconds)
        self.database.run()


def settings_of_compose() -> dict[str, str]:
    """What compose.yaml sets for the instances and the worker, unless the operator does."""
    services = yaml.safe_load(COMPOSE.read_text("utf-8"))["services"]
    given: dict[str, str] = services["hearts-1"]["environment"]
    assert services["worker"]["environment"] == given
    assert services["worker"]["command"] == ["hearts", "worker"]
    return {name: re.sub(r"\$\{\w+:-(.*)\}", r"\1", value) for name, value in given.items()}


@contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster with the settings of compose.yaml while the block runs."""
    with ExitStack() as stack:
        database = stack.enter_context(running_server())
        limits = stack.enter_context(running_redis())
        settings = settings_of_compose() | {
            "HEARTS_DATABASE_URL": database.new_database(),
            "HEARTS_LIMITS_URL": limits.url,
            "HEARTS_TRUSTED_PROXIES": "127.0.0.1",
            # All people have one address here; Redis is asked for every request all the same.
            "HEARTS_RATE_LIMIT": "1000000 per minute",
            "HEARTS_EXPENSIVE_RATE_LIMIT": "1000000 per minute",
            "HEARTS_WORKERS": "1",  # three machines would have more cores than this one
            "HEARTS_LOG_LEVEL": "warning",
        }
        instances = []
        for number in range(INSTANCES):
            instance = Instance(folder / f"hearts-{number + 1}", settings)
            stack.callback(instance.stop)
            instances.append(instance)
        site = shipped_site([instance.port for instance in instances])
        url = stack.enter_context(running_nginx(folder / "nginx", site))
        cluster = Cluster(database, limits, instances, url)
        cluster.wait_until_ready()  # the database is migrated
        stack.enter_context(running_worker(folder / "worker", settings))
        yield cluster


@contextmanager
def running_worker(folder: Path, settings: dict[str, str]) -> Iterator[None]:
    """A `hearts worker` while the block runs."""
    folder.mkdir()
    with (folder / "worker.log").open("wb") as output:
        process = subprocess.Popen(
            [HEARTS, "worker"],
            cwd=folder,
            env=clean_environment(**settings),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        yield
        assert process.poll() is None, (folder / "worker.log").read_text()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)

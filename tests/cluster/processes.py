"""The processes of a cluster on loopback: PostgreSQL, Redis, instances and nginx."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.nginx import running_nginx, shipped_site
from tests.postgres import PostgresServer, running_server
from tests.redis import running_redis
from tests.server.service import HEARTS, Service, clean_environment, free_port

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
    """Three instances behind nginx, with one database and one Redis."""

    def __init__(self, database: PostgresServer, instances: list[Instance], url: str) -> None:
        self.database, self.instances, self.url = database, instances, url

    def wait_until_ready(self) -> None:
        """Wait until every instance that runs is ready."""
        for instance in self.instances:
            instance.service.wait_until_ready()

    def restart_database(self, seconds: float = 1.0) -> None:
        """Stop the database at once, and start it again after some seconds."""
        self.database.stop()
        time.sleep(seconds)
        self.database.run()


@contextmanager
def running_cluster(folder: Path, **settings: str) -> Iterator[Cluster]:
    """A cluster while the block runs."""
    with ExitStack() as stack:
        database = stack.enter_context(running_server())
        limits = stack.enter_context(running_redis()).url
        given = {
            "HEARTS_DATABASE_URL": database.new_database(),
            "HEARTS_LIMITS_URL": limits,
            "HEARTS_TRUSTED_PROXIES": "127.0.0.1",
            "HEARTS_ALLOW_OPEN": "true",
            "HEARTS_RATE_LIMIT": "off",
            "HEARTS_EXPENSIVE_RATE_LIMIT": "off",
            "HEARTS_JOB_WORKERS": "0",
            "HEARTS_WORKERS": "1",
            "HEARTS_LOG_LEVEL": "warning",
        }
        instances = []
        for number in range(INSTANCES):
            instance = Instance(folder / f"hearts-{number + 1}", given | settings)
            stack.callback(instance.stop)
            instances.append(instance)
        site = shipped_site([instance.port for instance in instances])
        url = stack.enter_context(running_nginx(folder / "nginx", site))
        cluster = Cluster(database, instances, url)
        cluster.wait_until_ready()
        yield cluster

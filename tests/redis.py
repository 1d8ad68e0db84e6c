"""A real Redis for the tests, on a port of the loopback address and without files."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.server.service import PATIENCE, free_port


class RedisServer:
    """A server that can be stopped and started again on the same port."""

    def __init__(self, folder: str) -> None:
        self.folder, self.port = folder, free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        found = shutil.which("redis-server")
        assert found, "redis-server is missing: run tests/install_system_packages"
        options = ("--port", str(self.port), "--bind", "127.0.0.1", "--save", "")
        self.process = subprocess.Popen(
            [found, *options],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            assert self.process.poll() is None, "redis-server has ended"
            assert time.monotonic() < deadline, "redis-server does not answer"
            time.sleep(0.02)

    def stop(self) -> None:
        """End it; what it has stored is gone."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=PATIENCE)

    def keys(self) -> int:
        """How many keys are stored."""
        return int(self._ask(b"DBSIZE").removeprefix(b":"))

    def _answers(self) -> bool:
        try:
            return self._ask(b"PING").startswith(b"+PONG")
        except ConnectionRefusedError:
            return False

    def _ask(self, command: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(command + b"\r\n")
            return connection.recv(64)


@contextmanager
def running_redis() -> Iterator[RedisServer]:
    """A server while the block runs; whoever stops it starts it again."""
    with tempfile.TemporaryDirectory(prefix="hearts-redis-") as folder:
        server = RedisServer(folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """A running server, one for each process of the test run."""
    with running_redis() as server:
        yield server

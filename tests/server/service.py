"""Real `hearts` processes for the tests."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from server.cli import main
from server.runtime import shared_metrics

OPERATOR_TOKEN = "token-of-the-operator"  # with which tests read metrics
HEARTS = Path(sys.executable).with_name("hearts")


# Seconds that even a busy machine needs for a few requests, and less than any wait that must not
# happen: how fast things are, no test asserts.
AT_ONCE = 6
# Seconds after which whatever is waited for will not come any more.
PATIENCE = 120


def wait_until(true: Callable[[], bool], seconds: float = 60) -> None:
    """Look again and again until `true()`."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)


def clean_environment(**settings: str) -> dict[str, str]:
    """This environment without the developer's own settings, plus `settings`.

    A service in this process may have set the directory of shared metrics, too.
    """
    own = ("HEARTS_", shared_metrics.VARIABLE)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return kept | settings


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def hearts(*arguments: str, cwd: Path, **settings: str) -> Ran:
    """Run `hearts` with `arguments` in this process, as if it had been started in `cwd`."""
    unset = {name: None for name in os.environ if name.startswith("HEARTS_")}
    with chdir(cwd):
        result = CliRunner().invoke(main, arguments, env=unset | settings, prog_name="hearts")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def hearts_process(*arguments: str, cwd: Path, **settings: str) -> Ran:
    """Run `hearts` with `arguments` as a process of its own, to its end."""
    done = subprocess.run(
        [HEARTS, *arguments],
        cwd=cwd,
        env=clean_environment(**settings),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def free_port() -> int:
    """A port of the loopback address that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Service:
    """A running `hearts serve`."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
        self.process = process
        self.port = port
        self.base = f"http://127.0.0.1:{port}"
        self.log = log

    def get(
        self, path: str, *, as_json: bool = True, seconds: float = PATIENCE, **headers: str
    ) -> tuple[int, Any, dict[str, str]]:
        """The status, body (JSON or text) and headers of the answer to `GET path`."""
        request = urllib.request.Request(self.base + path, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                body = json.load(answer) if as_json else answer.read().decode()
                return answer.status, body, dict(answer.headers)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error), dict(error.headers)

    def post(self, path: str, body: object) -> dict[str, Any]:
        """The answer to `POST path` with a JSON body; OSError where there is none."""
        kind = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.base + path, json.dumps(body).encode(), kind)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    def metrics(self) -> str:
        """What operators read."""
        headers = {"Authorization": f"Bearer {OPERATOR_TOKEN}"}
        text: str = self.get("/metrics", as_json=False, **headers)[1]
        return text

    def searches(self) -> int:
        """How many run now."""
        lines = self.metrics().splitlines()
        name = "hearts_searches_running "
        return next(int(float(line.removeprefix(name))) for line in lines if line.startswith(name))

    def table_searches(self) -> int:
        """How many searches it has made for bots at tables."""
        name = 'hearts_search_seconds_count{endpoint="/api/tables"} '
        lines = self.metrics().splitlines()
        return sum(int(float(line.removeprefix(name))) for line in lines if line.startswith(name))

    def wait_until_ready(self, seconds: float = 300) -> None:
        """Ask `/readyz` until it says yes."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if self.get("/readyz", seconds=10)[0] == 200:
                    return
            except OSError:  # not listening yet, or killed before it could answer
                pass
            time.sleep(0.05)
        raise AssertionError(f"not ready; the log says\n{self.log.read_text()}")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit status."""
        self.process.send_signal(how)
        return self.process.wait(timeout=PATIENCE)

    def kill(self) -> None:
        """End it and its worker without a warning."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        workers = [int(worker) for worker in children.read_text().split()]
        self.stop(signal.SIGKILL)  # first: it would start another worker
        for worker in workers:
            os.kill(worker, signal.SIGKILL)


@contextmanager
def serving(
    directory: Path,
    port: int | None = None,
    command: Sequence[str | Path] = (HEARTS, "serve"),
    **settings: str,
) -> Iterator[Service]:
    """A `hearts serve` in `directory` on `port` or a free one, ready when the block begins.

    It has one worker and none of jobs unless settings say otherwise: few tests need more.
    """
    settings = {"HEARTS_WORKERS": "1", "HEARTS_JOB_WORKERS": "0"} | settings
    port, log = port or free_port(), directory / "serve.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--port", str(port)],
            cwd=directory,
            env=clean_environment(**{"HEARTS_METRICS_TOKEN": OPERATOR_TOKEN} | settings),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    service = Service(process, port, log)
    try:
        service.wait_until_ready()
        yield service
    finally:
        if process.poll() is None:
            service.stop()

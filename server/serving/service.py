"""The service under gunicorn: worker processes that share the kernels of their master.

The master loads the application and all kernels, and opens neither connections nor threads. Then it
forks the workers. A worker that dies is replaced within milliseconds, and each costs little memory.
"""

from __future__ import annotations

import gc
import os
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger
from gunicorn.util import is_ipv6

from server.http.app import create_app
from server.http.services import services
from server.runtime import logs
from server.runtime.errors import SettingsError
from server.runtime.metrics import forget_process
from server.runtime.settings import Settings
from server.serving.connection_counts import ConnectionCounts
from server.serving.job_workers import JobWorkers
from server.serving.master import Master
from server.serving.worker import Worker

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

KEEP_ALIVE = 30  # seconds that an idle connection stays open
CLOSE_SECONDS = 2  # that a worker has to write what is pending after its last request


class GunicornLogger(Logger):  # type: ignore[misc]  # gunicorn has no types
    """Sends gunicorn's messages through the handler of the root logger."""

    def setup(self, cfg: object) -> None:
        """Remove the handlers of gunicorn's loggers."""
        super().setup(cfg)
        for logger in (self.error_log, self.access_log):
            logger.handlers.clear()
            logger.propagate = True


class Service(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """The application under gunicorn.

    gunicorn's own command line would put the working directory on the import path, where a foreign
    `models.py` could shadow the package `models`.
    """

    def __init__(self, settings: Settings, on_ready: Callable[[], object]) -> None:
        self.settings, self.on_ready = settings, on_ready
        self.connection_counts = ConnectionCounts()
        super().__init__()

    def load_config(self) -> None:
        """Convert our settings to those of gunicorn."""
        for name, value in gunicorn_settings(self.settings).items():
            self.cfg.set(name, value)
        self.cfg.set("when_ready", lambda _arbiter: self.on_ready())

    def load(self) -> WSGIApplication:
        """Create the application and load its kernels; called once, before the first fork."""
        app = create_app(self.settings)
        services(app).warm_up.run()
        gc.collect()
        gc.freeze()  # a collection would otherwise write to, and so copy, every shared page
        return app

    def run(self) -> None:
        """Serve until the master is stopped."""
        Master(self, JobWorkers(self.settings.job_workers)).run()


def gunicorn_settings(settings: Settings) -> dict[str, object]:
    """The settings of gunicorn."""
    return {
        "bind": addresses(settings),
        "worker_class": Worker,
        "workers": settings.workers,
        "preload_app": True,
        "threads": 1,
        "keepalive": KEEP_ALIVE,
        "graceful_timeout": settings.shutdown_seconds + CLOSE_SECONDS,
        "pre_fork": prepare,
        "post_worker_init": begin,
        "worker_exit": end,
        "child_exit": forget,
        # gunicorn_h1c, which gunicorn prefers where it is installed, takes a bare LF for the end
        # of a line: it would read other requests than server.serving.framing.
        "http_parser": "python",
        "logger_class": GunicornLogger,
        "loglevel": settings.log_level,
        "forwarded_allow_ips": "",  # server.http.access.proxies reads the headers of proxies
        "control_socket_disable": True,  # gunicorn would create it in the home directory
    }


def addresses(settings: Settings) -> list[str]:
    """Where the service listens: for clients, and perhaps for operators."""
    found = [f"{bracketed(settings.host)}:{settings.port}"]
    if settings.metrics_port:
        found.append(f"{bracketed(settings.metrics_host)}:{settings.metrics_port}")
    return found


def bracketed(host: str) -> str:
    """`host` as it is written before a port: IPv6 addresses in brackets."""
    return f"[{host}]" if ":" in host else host


def check_ports(settings: Settings) -> None:
    """Raise SettingsError if another program listens where the service should.

    A service whose sockets were opened by systemd, or by the master that it replaces (SIGUSR2),
    opens none.
    """
    if "GUNICORN_FD" in os.environ or os.environ.get("LISTEN_PID") == str(os.getpid()):
        return
    ports = {"HEARTS_PORT": (settings.host, settings.port)}
    if settings.metrics_port:
        ports["HEARTS_METRICS_PORT"] = (settings.metrics_host, settings.metrics_port)
    for variable, (host, port) in ports.items():
        # As gunicorn chooses the family: names are IPv4.
        family = socket.AF_INET6 if is_ipv6(host) else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except socket.gaierror as error:
                raise SettingsError(f"cannot listen on {host}: {error}") from None
            except OSError as error:
                reason = f"cannot listen on {bracketed(host)}:{port}: {error.strerror}"
                raise SettingsError(f"{reason}; choose another port ({variable})") from None


def prepare(arbiter: Any, worker: Any) -> None:
    """Give a worker its counter of connections; called in the master."""
    worker.index = arbiter.app.connection_counts.allocate()


def begin(worker: Any) -> None:
    """Start the background threads of a worker that has loaded the application."""
    here = services(worker.wsgi)
    here.decisions.start()
    here.runner.start()
    here.metrics.start()


def end(_arbiter: Any, worker: Any) -> None:
    """Write what is pending when a worker exits."""
    if (app := getattr(worker, "wsgi", None)) is not None:  # it may not have been loaded yet
        services(app).close()


def forget(arbiter: Any, worker: Any) -> None:
    """Forget the state of a worker that has ended; called in the master."""
    forget_process(worker.pid)
    services(arbiter.app.wsgi()).slots.forget(worker.pid)
    arbiter.app.connection_counts.free(worker.index)


def serve(settings: Settings, on_ready: Callable[[], object] = lambda: None) -> None:
    """Serve until SIGTERM or SIGINT; running requests are finished first."""
    logs.configure(settings.log_level)
    Service(settings, on_ready).run()

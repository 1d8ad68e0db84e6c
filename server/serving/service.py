"""The service under gunicorn: worker processes that share the kernels of their master.

The master loads the application and all kernels, and opens neither connections nor threads. Then it
forks the workers. A worker that dies is replaced within milliseconds, and each costs little memory.
"""

from __future__ import annotations

import gc
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger

from server.http.app import create_app
from server.http.services import services
from server.runtime import logs
from server.runtime.errors import SettingsError
from server.runtime.metrics import forget_process
from server.runtime.settings import Settings
from server.serving.board import Board
from server.serving.job_workers import JobWorkers
from server.serving.master import Master
from server.serving.worker import Worker

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

KEEP_ALIVE = 30  # seconds that an idle connection stays open


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
        self.board = Board()
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
        "graceful_timeout": settings.shutdown_seconds,
        "pre_fork": enter,
        "post_worker_init": begin,
        "worker_exit": end,
        "child_exit": forget,
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
    """Raise SettingsError if another program listens where the service should."""
    ports = {"HEARTS_PORT": (settings.host, settings.port)}
    if settings.metrics_port:
        ports["HEARTS_METRICS_PORT"] = (settings.metrics_host, settings.metrics_port)
    for variable, (host, port) in ports.items():
        family, kind, _, _, address = _resolved(host, port)
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(address)
            except OSError as error:
                reason = f"cannot listen on {bracketed(host)}:{port}: {error.strerror}"
                raise SettingsError(f"{reason}; choose another port ({variable})") from None


def _resolved(host: str, port: int) -> Any:
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise SettingsError(f"cannot listen on {host}: {error}") from None


def enter(arbiter: Any, worker: Any) -> None:
    """Give a worker its place on the board; called in the master."""
    worker.place = arbiter.app.board.enter()


def begin(worker: Any) -> None:
    """Start the background threads of a worker that has loaded the application."""
    here = services(worker.wsgi)
    here.decisions.start()
    here.runner.start()
    here.metrics.start()


def end(_arbiter: Any, worker: Any) -> None:
    """Write what is pending when a worker exits."""
    if worker.wsgi is not None:  # the application may have failed to load
        services(worker.wsgi).close()


def forget(arbiter: Any, worker: Any) -> None:
    """Forget the state of a worker that has ended; called in the master."""
    forget_process(worker.pid)
    services(arbiter.app.wsgi()).slots.forget(worker.pid)
    worker.app.board.leave(worker.place)


def serve(settings: Settings, on_ready: Callable[[], object] = lambda: None) -> None:
    """Serve until SIGTERM or SIGINT; running requests are finished first."""
    logs.configure(settings.log_level)
    Service(settings, on_ready).run()

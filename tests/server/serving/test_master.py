"""The master process: its ports, its timeouts, and the worker of jobs."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs

from server.runtime.errors import SettingsError
from server.runtime.settings import Settings
from server.serving import job_workers
from server.serving.job_workers import JobWorkers
from server.serving.service import check_ports, end, gunicorn_settings
from tests.server.service import free_port


def test_a_worker_of_jobs_that_cannot_start_is_tried_again(monkeypatch):
    monkeypatch.setattr(job_workers, "START_SECONDS", 0)
    monkeypatch.setattr(job_workers, "RESTART_SECONDS", 3600)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    jobs = JobWorkers(1)
    with capture_logs() as said:
        jobs.keep()
        jobs.keep()  # too soon
        jobs._due = 0.0
        jobs.keep()
    events = [each["event"] for each in said]
    assert events == ["cannot start a worker of jobs, trying again"] * 2


def test_a_worker_of_jobs_starts_some_time_after_the_service_is_ready(monkeypatch):
    monkeypatch.setattr(job_workers, "START_SECONDS", 0.2)
    jobs = JobWorkers(1)
    monkeypatch.setattr(jobs, "_start", lambda: pytest.fail("started too soon"))
    time.sleep(0.3)  # while kernels are loaded
    jobs.keep()


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which another program listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_port_that_is_taken_is_reported(taken):
    for host in ("127.0.0.1", "localhost"):
        with pytest.raises(SettingsError, match=f"cannot listen on {host}:{taken}: .*HEARTS_PORT"):
            check_ports(Settings(host=host, port=taken))
    busy = Settings(port=free_port(), metrics_port=taken)
    with pytest.raises(SettingsError, match="HEARTS_METRICS_PORT"):
        check_ports(busy)


def test_a_name_is_an_ipv4_address_as_for_gunicorn():
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as server:
        port = server.getsockname()[1]
        check_ports(Settings(host="localhost", port=port))
        with pytest.raises(SettingsError, match=r"cannot listen on \[::1\]"):
            check_ports(Settings(host="::1", port=port))
    with pytest.raises(SettingsError, match=r"cannot listen on nowhere\.invalid"):
        check_ports(Settings(host="nowhere.invalid"))


def test_sockets_that_were_opened_before_are_not_checked(taken, monkeypatch):
    settings = Settings(port=taken)
    with monkeypatch.context() as patch:
        patch.setenv("GUNICORN_FD", "5")  # SIGUSR2: the old master listens
        check_ports(settings)
    with monkeypatch.context() as patch:
        patch.setenv("LISTEN_FDS", "1")
        patch.setenv("LISTEN_PID", str(os.getpid()))
        check_ports(settings)
        patch.setenv("LISTEN_PID", "1")  # meant for another process
        with pytest.raises(SettingsError):
            check_ports(settings)


def test_a_worker_that_has_loaded_nothing_closes_nothing():
    end(None, object())


def test_a_worker_has_time_to_close_after_its_last_request():
    given = gunicorn_settings(Settings(shutdown_seconds=7))
    assert given["graceful_timeout"] > 7

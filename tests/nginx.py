"""A real nginx for the tests, on a port of the loopback address."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.server.service import PATIENCE, free_port

SITE = Path(__file__).parents[1] / "deploy" / "nginx.conf"  # the file that compose.yaml mounts

# What the Debian package and the container set around a site; everything stays in one directory.
MAIN = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
{user}
events {{ worker_connections 2048; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


def shipped_site(ports: Sequence[int]) -> str:
    """The shipped configuration, with instances on ports of the loopback address.

    Debian's nginx 1.22 resolves names once, and does not know the word `resolve`.
    """
    text = SITE.read_text("utf-8")
    for number, port in enumerate(ports, 1):
        name = rf"\bhearts-{number}:8080 (.*) resolve;"
        text, replaced = re.subn(name, rf"127.0.0.1:{port} \1;", text)
        assert replaced == 1
    return text


@contextmanager
def running_nginx(folder: Path, site: str) -> Iterator[str]:
    """An nginx with the configuration of a site, whose port 80 becomes a free one; yields its URL.

    `site` is what belongs into `conf.d`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    listening, found = re.subn(r"\blisten 80;", f"listen 127.0.0.1:{port};", site)
    assert found == 1, "the site must listen on port 80"
    (folder / "site.conf").write_text(listening, "utf-8")
    user = "user root;" if os.geteuid() == 0 else ""  # the folder is the test's own
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=user), "utf-8")
    command = [program(), "-e", folder / "error.log", "-p", folder, "-c", folder / "nginx.conf"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as process:
        try:
            _wait_for(port, process, folder / "error.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGTERM)


def program() -> str:
    """The path of nginx, which Debian keeps where only root looks for programs."""
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    assert found, "nginx is missing: run tests/install_system_packages"
    return found


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError(f"nginx does not run:\n{log.read_text() if log.exists() else ''}")

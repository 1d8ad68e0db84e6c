"""The Dockerfile, the compose file and nginx's configuration: what they name, and what they do."""

import json
import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import fields
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml

from server.http.access.guard import exposure_warning
from server.runtime.settings import Settings, variable
from server.serving.service import KEEP_ALIVE
from server.storage.database import make_engine
from tests.nginx import SITE, running_nginx, shipped_site

ROOT = Path(__file__).parents[3]
POOLS = 3  # of a worker process, as `server/http/services.py` makes them
ADMINISTRATOR = 3  # connections that PostgreSQL reserves
TLS_PROXY = "127.0.0.2"  # the address of the machine itself, in the test of nginx


def test_what_the_dockerfile_copies_is_there():
    text = (ROOT / "Dockerfile").read_text("utf-8")
    copied = [word for line in re.findall(r"^COPY (.*)$", text, re.M) for word in line.split()[:-1]]
    assert {"hearts", "models", "server", "migrations", "pyproject.toml"} <= set(copied)
    assert all((ROOT / path).exists() for path in copied)


def test_a_database_that_does_not_answer_restarts_no_container():
    text = (ROOT / "Dockerfile").read_text("utf-8")
    assert "/healthz" in text
    patience, probe = re.findall(r"timeout=(\d+)", text)
    assert int(probe) < int(patience)  # else the probe cannot say why it failed


def compose() -> dict[str, Any]:
    """The compose file."""
    read: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
    return read


def settings_of(service: str) -> Settings:
    """The settings of a service of the compose file, with its defaults."""
    given = compose()["services"][service]["environment"]
    defaults = {
        name: re.sub(r"\$\{\w+:[-?]([^}]*)\}", r"\1", value)
        for name, value in given.items()
        if name != "PGPASSWORD"
    }
    assert set(defaults) <= {variable(each.name) for each in fields(Settings)}
    return Settings.from_environment(defaults)


def test_the_compose_file_sets_settings_that_there_are():
    services = compose()["services"]
    instances = [name for name in services if name.startswith("hearts-")]
    assert instances == ["hearts-1", "hearts-2", "hearts-3"]
    for name in (*instances, "worker"):
        settings = settings_of(name)
        # The password is not in the URL, where `@` and `/` would need escapes.
        assert settings.database_url == "postgresql+psycopg://hearts@database/hearts"
        assert "PGPASSWORD" in services[name]["environment"]
        assert settings.limits_url == "redis://limits:6379/0"
        assert settings.proxies
        assert settings.allowed_hosts == "localhost"
        assert exposure_warning(settings) is None
    assert services["nginx"]["ports"] == ["127.0.0.1:8080:80"]
    assert services["worker"]["command"] == ["hearts", "worker"]
    assert services["worker"]["cpu_shares"] == 2
    assert services["database"]["environment"]["POSTGRES_DB"] == "hearts"


def test_the_instances_trust_nginx_alone():
    (network,) = compose()["networks"]["default"]["ipam"]["config"]
    nginx = compose()["services"]["nginx"]["networks"]["default"]["ipv4_address"]
    assert [str(each) for each in settings_of("hearts-1").proxies] == [f"{nginx}/32"]
    assert ip_address(nginx) in ip_network(network["subnet"])
    assert ip_address(nginx) not in ip_network(network["ip_range"])  # other containers are there
    assert re.findall(r"^ +([\d.]+) 1;", SITE.read_text("utf-8"), re.M) == [network["gateway"]]


def test_the_database_has_connections_for_all():
    """Every pool full at the same time."""
    engine = make_engine("postgresql+psycopg://postgres@/none")
    pool = engine.pool.size() + engine.pool._max_overflow
    most = POOLS * pool * settings_of("hearts-1").workers * 3 + pool + ADMINISTRATOR
    (limit,) = re.findall(r"max_connections=(\d+)", str(compose()["services"]["database"]))
    assert most <= int(limit)


def test_every_instance_keeps_its_spool_in_a_volume_of_its_own():
    services = compose()["services"]
    volumes = [services[f"hearts-{number}"]["volumes"] for number in (1, 2, 3)]
    assert volumes == [[f"data-{number}:/data"] for number in (1, 2, 3)]


def test_nginx_knows_the_instances_of_the_compose_file():
    named = re.findall(r"server (hearts-\d):8080", SITE.read_text("utf-8"))
    assert named == [name for name in compose()["services"] if name.startswith("hearts-")]


class Echo(BaseHTTPRequestHandler):
    """Answers with the headers of a request."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = json.dumps(dict(self.headers)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The shipped configuration in front of instances that echo headers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        site = shipped_site([server.server_port] * 3).replace("172.30.18.1 1;", f"{TLS_PROXY} 1;")
        with running_nginx(tmp_path_factory.mktemp("nginx"), site) as url:
            yield url
        server.shutdown()


def passed_on(nginx: str, source: str, **headers: str) -> dict[str, str]:
    """The headers that reach an instance when a request comes from an address."""
    host, port = nginx.removeprefix("http://").split(":")
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    request = ["GET / HTTP/1.0", "Host: cards.example.org", *lines, "", ""]
    address = (host, int(port))
    with socket.create_connection(address, timeout=10, source_address=(source, 0)) as client:
        client.sendall("\r\n".join(request).encode())
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    found: dict[str, str] = json.loads(answer.partition(b"\r\n\r\n")[2])
    return found


def test_nginx_passes_clients_of_a_tls_proxy_on(nginx):
    sent = {"X_Forwarded_For": "203.0.113.9", "X_Forwarded_Proto": "https"}
    seen = passed_on(nginx, TLS_PROXY, **sent)
    assert seen["X-Forwarded-For"] == f"203.0.113.9, {TLS_PROXY}"
    assert seen["X-Forwarded-Proto"] == "https"
    assert seen["X-Forwarded-Host"] == seen["Host"] == "cards.example.org"


def test_nginx_does_not_believe_other_clients(nginx):
    """What it claims is to the left of its own address, where the service does not look."""
    sent = {"X_Forwarded_For": "203.0.113.9", "X_Forwarded_Proto": "https"}
    seen = passed_on(nginx, "127.0.0.3", **sent)
    assert seen["X-Forwarded-For"].split(", ")[-1] == "127.0.0.3"
    assert seen["X-Forwarded-Proto"] == "http"


def test_nginx_closes_idle_connections_before_the_service_does():
    """Else a POST may meet a connection that closes, and is not repeated."""
    upstream = SITE.read_text("utf-8").partition("upstream hearts {")[2].partition("}")[0]
    (seconds,) = re.findall(r"keepalive_timeout (\d+)s;", upstream)
    assert int(seconds) < KEEP_ALIVE

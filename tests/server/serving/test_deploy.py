"""The Dockerfile and the compose file name things that exist."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml

from server.http.access.guard import exposure_warning
from server.runtime.settings import Settings, variable

ROOT = Path(__file__).parents[3]


def test_what_the_dockerfile_copies_is_there():
    text = (ROOT / "Dockerfile").read_text("utf-8")
    copied = [word for line in re.findall(r"^COPY (.*)$", text, re.M) for word in line.split()[:-1]]
    assert {"hearts", "models", "server", "migrations", "pyproject.toml"} <= set(copied)
    assert all((ROOT / path).exists() for path in copied)


def compose() -> dict[str, Any]:
    """The services of the compose file."""
    read: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
    return read["services"]


def test_the_compose_file_sets_settings_that_there_are():
    services = compose()
    known = {variable(each.name) for each in fields(Settings)}
    instances = [name for name in services if name.startswith("hearts-")]
    assert instances == ["hearts-1", "hearts-2", "hearts-3"]
    for name in (*instances, "worker"):
        given = services[name]["environment"]
        assert set(given) <= known
        defaults = {
            name: re.sub(r"\$\{\w+:[-?]([^}]*)\}", r"\1", value) for name, value in given.items()
        }
        settings = Settings.from_environment(defaults)
        assert settings.database_url.startswith("postgresql+psycopg://hearts:")
        assert settings.limits_url == "redis://limits:6379/0"
        assert settings.proxies
        assert settings.allowed_hosts == "localhost"
        assert exposure_warning(settings) is None
    assert services["nginx"]["ports"] == ["127.0.0.1:8080:80"]
    assert services["worker"]["command"] == ["hearts", "worker"]
    assert services["database"]["environment"]["POSTGRES_DB"] == "hearts"


def test_every_instance_keeps_its_spool_in_a_volume_of_its_own():
    volumes = [compose()[f"hearts-{number}"]["volumes"] for number in (1, 2, 3)]
    assert volumes == [[f"data-{number}:/data"] for number in (1, 2, 3)]


def test_nginx_knows_the_instances_of_the_compose_file():
    text = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
    named = re.findall(r"server (hearts-\d):8080", text)
    assert named == [name for name in compose() if name.startswith("hearts-")]

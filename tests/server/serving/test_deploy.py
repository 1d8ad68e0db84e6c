"""The Dockerfile and the compose file name things that exist."""

import re
from dataclasses import fields
from pathlib import Path

import yaml

from server.runtime.settings import Settings, variable

ROOT = Path(__file__).parents[3]


def test_what_the_dockerfile_copies_is_there():
    text = (ROOT / "Dockerfile").read_text("utf-8")
    copied = [word for line in re.findall(r"^COPY (.*)$", text, re.M) for word in line.split()[:-1]]
    assert {"hearts", "models", "server", "migrations", "pyproject.toml"} <= set(copied)
    assert all((ROOT / path).exists() for path in copied)


def test_the_compose_file_sets_settings_that_there_are():
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    known = {variable(each.name) for each in fields(Settings)}
    given = services["hearts"]["environment"]
    assert set(given) <= known
    defaults = {
        name: re.sub(r"\$\{\w+:[-?]([^}]*)\}", r"\1", value) for name, value in given.items()
    }
    settings = Settings.from_environment(defaults)
    assert settings.database_url.startswith("postgresql+psycopg://hearts:")
    assert services["hearts"]["ports"] == [f"127.0.0.1:{settings.port}:{settings.port}"]
    assert services["database"]["environment"]["POSTGRES_DB"] == "hearts"

"""`make fuzz`: schemathesis against a real service, for as long as one likes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import click

from tests.server.service import serving

ROOT = Path(__file__).parents[1]
SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")


def schemathesis(address: str, *options: str) -> subprocess.CompletedProcess[str]:
    """All checks on all operations; schemathesis.toml says what a 400 means here."""
    return subprocess.run(
        [SCHEMATHESIS, "run", f"{address}/openapi.json", "--checks", "all", "--no-color", *options],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


@click.command()
@click.option("--examples", default=1_000, help="Random requests for each operation.")
@click.option("--seed", default=None, type=int, help="For the same requests again.")
def main(examples: int, seed: int | None) -> None:
    """Fuzz until the examples are used up; exit 1 where something was found."""
    options = ["--max-examples", str(examples), "--continue-on-failure"]
    if seed is not None:
        options += ["--seed", str(seed)]
    settings = {"HEARTS_JOB_WORKERS": "1"}
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), **settings) as service:
        found = schemathesis(service.base, *options)
    click.echo(found.stdout)
    sys.exit(found.returncode)


if __name__ == "__main__":
    main()

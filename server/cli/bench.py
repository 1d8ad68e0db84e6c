"""`hearts bench`: how fast the kernels are here."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import click
from tqdm import tqdm

from hearts.bench import Step, measure


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
def bench(as_json: bool) -> None:
    """Measure the kernels: CPU time, the minimum over rounds."""
    figures = measure(_with_bar)
    click.echo(json.dumps(figures) if as_json else _table(figures))


def _with_bar(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps, with a progress bar on stderr that names the one under way."""
    with tqdm(list(steps), desc="bench", unit="step", disable=None) as bar:
        for step in bar:
            bar.set_postfix_str(step[0])
            yield step


def _table(figures: dict[str, Any]) -> str:
    width = max(map(len, figures))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in figures.items())

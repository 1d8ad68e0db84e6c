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
    click.echo(json.dumps(figures) if as_json else table_of(figures))


def _with_bar(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps, with a progress bar on stderr that names the one under way."""
    with tqdm(list(steps), desc="bench", unit="step", disable=None) as bar:
        for step in bar:
            bar.set_postfix_str(step[0])
            yield step


def table_of(figures: dict[str, Any]) -> str:
    """The figures for people, a row each."""
    rows = list(_rows(figures))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def _rows(figures: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Names and values; what was measured for several sizes has a row for each of them."""
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from ((f"{name} {size}", _shown(each)) for size, each in value.items())
        else:
            yield name, str(value)


def _shown(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    return ", ".join(f"{name} {figure}" for name, figure in value.items())

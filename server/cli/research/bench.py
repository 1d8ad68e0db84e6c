"""`hearts bench`: measure the speed of the kernels on this machine."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import click
from tqdm import tqdm

from hearts.bench.suite import Step, measure


@click.command()
@click.option("--full", is_flag=True, help="More repetitions, also without BMI2; takes minutes.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object.")
def bench(full: bool, as_json: bool) -> None:
    """Measure kernels and decisions: CPU time, the minimum over repetitions."""
    results = measure(_with_bar, full=full)
    click.echo(json.dumps(results) if as_json else table_of(results))


def _with_bar(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps, with a progress bar on stderr that names the current one."""
    with tqdm(list(steps), desc="bench", unit="step", disable=None) as bar:
        for step in bar:
            bar.set_postfix_str(step[0])
            yield step


def table_of(results: Mapping[str, Any]) -> str:
    """The results as text, one per line."""
    lines = list(_lines(results))
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in lines)


def _lines(results: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Names and values; an entry for several sizes has a line for each of them."""
    for name, value in results.items():
        if isinstance(value, dict):
            yield from ((f"{name} {size}", _shown(each)) for size, each in value.items())
        else:
            yield name, str(value)


def _shown(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    return ", ".join(f"{name} {each}" for name, each in value.items())

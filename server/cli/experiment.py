"""`hearts experiment`: the published experiments, and our own, as commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from hearts.arena.experiments import (
    Experiment,
    determinizations,
    estimated_seconds,
    levels,
    play_cell,
    playouts,
    table,
)
from hearts.arena.results import summarize
from hearts.arena.runner import Machines
from hearts.errors import HeartsError
from server.cli.arena import progress_bar

OPTIONS = [
    click.option("--quick", is_flag=True, help="Few cells, few deals: minutes, wide intervals."),
    click.option("--deals", type=int, help="Deals per cell, instead of the usual number."),
    click.option("--seed", default=0, show_default=True),
    click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one per core."),
    click.option("--cluster", metavar="tcp://HOST:PORT", help="Play on a Dask cluster."),
    click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("docs/figures"),
        show_default=True,
        help="Where table, figures and data go.",
    ),
    click.option(
        "--journals",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("var/experiments"),
        show_default=True,
        help="Where finished deals are kept; an interrupted experiment goes on from there.",
    ),
    click.option("--estimate", is_flag=True, help="Only say how long it will take."),
]


def _options(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@click.group()
def experiment() -> None:
    """Run an experiment: table, SVG and JSON into docs/figures.

    Every experiment first says how long it will take, from one deal of each of its cells.
    """


@experiment.command("determinizations")
@click.option("--budget", default=4000, show_default=True, help="Iterations per move.")
@_options
def determinizations_command(budget: int, **options: Any) -> None:
    """How many worlds for a fixed budget: pimc and ismcts against three open-loop players."""
    _run(determinizations(quick=options["quick"], budget=budget), options)


@experiment.command("playouts")
@_options
def playouts_command(**options: Any) -> None:
    """Which playouts: uniform, ε-greedy with several ε, shoot-aware."""
    _run(playouts(quick=options["quick"]), options)


@experiment.command("levels")
@_options
def levels_command(**options: Any) -> None:
    """The four levels in one ladder, with the rule-based player."""
    _run(levels(quick=options["quick"]), options)


def _run(chosen: Experiment, options: dict[str, Any]) -> None:
    machines = Machines(options["jobs"], options["cluster"])
    deals = options["deals"] or chosen.deals
    try:
        _say_how_long(chosen, deals, machines)
        if not options["estimate"]:
            _play(chosen, deals, machines, options)
    except HeartsError as error:
        raise click.ClickException(str(error)) from error


def _say_how_long(chosen: Experiment, deals: int, machines: Machines) -> None:
    minutes = estimated_seconds(chosen, deals, machines.processes) / 60
    cells = len(chosen.cells)
    click.echo(
        f"{chosen.name}: {cells} cells × {deals} deals, about {minutes:.1f} minutes "
        f"with {machines.processes} processes",
        err=True,
    )


def _play(chosen: Experiment, deals: int, machines: Machines, options: dict[str, Any]) -> None:
    place = options["journals"] / chosen.name
    results = {}
    for cell in chosen.cells:
        with progress_bar(f"{cell.focus} vs {cell.others}", deals) as progress:
            results[cell] = play_cell(cell, deals, options["seed"], machines, place, progress)
    text = "\n".join([table(results), "", *chosen.notes(chosen, results)])
    folder, name = options["out"], f"{chosen.name}-quick" if options["quick"] else chosen.name
    folder.mkdir(parents=True, exist_ok=True)
    heading = f"# {chosen.title}\n\n{deals} deals per cell, seed {options['seed']}.\n\n"
    (folder / f"{name}.md").write_text(heading + text.rstrip() + "\n", encoding="utf-8")
    figures = [
        {
            "line": cell.line,
            "at": cell.at,
            "tournament": cell.tournament(options["seed"]).as_object(),
            **summarize(found).as_object(),
        }
        for cell, found in results.items()
    ]
    (folder / f"{name}.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    chosen.draw(folder / f"{name}.svg", chosen, results)
    click.echo(text)

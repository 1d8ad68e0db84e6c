"""`hearts experiment`: the published experiments, and our own, as commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from hearts.arena.experiments import (
    EXPERIMENTS,
    Experiment,
    estimated_seconds,
    look_at,
    play_cell,
    table,
)
from hearts.arena.experiments.determinizations import BASELINES, OPEN_LOOP, USUAL_PLAYOUT
from hearts.arena.results import summarize
from hearts.arena.runner import Machines
from hearts.engine.config import PLAYOUTS
from hearts.game.errors import HeartsError
from server.cli.research.arena import progress_bar

OPTIONS: list[click.Parameter] = [
    click.Option(["--quick"], is_flag=True, help="Few cells, few deals: minutes, wide intervals."),
    click.Option(["--deals"], type=int, help="Deals per cell, instead of the usual number."),
    click.Option(["--seed"], default=0, show_default=True),
    click.Option(["--jobs"], default=-1, show_default=True, help="Processes; -1: one per core."),
    click.Option(["--cluster"], metavar="tcp://HOST:PORT", help="Play on a Dask cluster."),
    click.Option(
        ["--out"],
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("docs/figures"),
        show_default=True,
        help="Where table, figures and data go.",
    ),
    click.Option(
        ["--journals"],
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("var/experiments"),
        show_default=True,
        help="Where finished deals are kept; an interrupted experiment goes on from there.",
    ),
    click.Option(["--estimate"], is_flag=True, help="Only say how long it will take."),
]
# What only some experiments can be told.
OWN_OPTIONS: dict[str, list[click.Parameter]] = {
    "algorithms": [
        click.Option(["--simulations"], type=int, help="Per move; 10000, or 1000 when quick.")
    ],
    "determinizations": [
        click.Option(["--budget"], default=4000, show_default=True, help="Iterations per move."),
        click.Option(
            ["--baseline"],
            type=click.Choice(BASELINES),
            default=OPEN_LOOP,
            show_default=True,
            help="The others: one tree over all worlds, or one tree on one world.",
        ),
        click.Option(
            ["--playout"],
            type=click.Choice(PLAYOUTS),
            default=USUAL_PLAYOUT,
            show_default=True,
            help="How everybody's simulations go on below the tree.",
        ),
    ],
    "mixture": [
        click.Option(
            ["--observer"],
            default="OM-2",
            show_default=True,
            help="The belief of who watches the play.",
        )
    ],
}


@click.group()
def experiment() -> None:
    """Run an experiment: table, SVG and JSON into docs/figures.

    Every experiment first says how long it will take, from one deal of each of its cells.
    """


def _command(name: str) -> click.Command:
    """The command that runs the experiment `name`."""
    own = OWN_OPTIONS.get(name, [])

    def run(**options: Any) -> None:
        told = {option.name: options[option.name] for option in own if option.name}
        _run(name, told, options)

    return click.Command(name, params=own + OPTIONS, callback=run, help=EXPERIMENTS[name].__doc__)


for _name in EXPERIMENTS:
    experiment.add_command(_command(_name))


def _run(name: str, told: dict[str, Any], options: dict[str, Any]) -> None:
    try:
        machines = Machines(options["jobs"], options["cluster"])
        chosen = EXPERIMENTS[name](quick=options["quick"], **told)
        deals = options["deals"] or chosen.deals
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
    keeping, seed = chosen.keeping(options["journals"] / chosen.name), options["seed"]
    results = {}
    for cell in chosen.cells:
        with progress_bar(f"{cell.focus} vs {cell.others}", deals) as progress:
            results[cell] = play_cell(cell, deals, seed, machines, keeping, progress)
            look_at(chosen, cell, seed, keeping, machines.processes)
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
            "engines": [cell.focus.resolved(), cell.others.resolved()],
            **summarize(found).as_object(),
            **chosen.extra(cell),
        }
        for cell, found in results.items()
    ]
    (folder / f"{name}.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    chosen.draw(folder / f"{name}.svg", chosen, results)
    click.echo(text)

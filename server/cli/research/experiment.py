"""`hearts experiment`: run an experiment and write its table, plot and data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from hearts.arena.experiments import (
    EXPERIMENTS,
    Experiment,
    Results,
    estimated_seconds,
    examine_cell,
    play_cell,
    table,
)
from hearts.arena.experiments.determinizations import BASELINES, OPEN_LOOP, USUAL_PLAYOUT
from hearts.arena.experiments.matches import SEARCHES
from hearts.arena.results import summarize
from hearts.arena.runner import Workers
from hearts.arena.tournament import PASSINGS
from hearts.engine.config import PLAYOUTS
from hearts.game.errors import HeartsError
from hearts.players.spec import EXPLOITED
from server.cli.research.arena import progress_bar

OPTIONS: list[click.Parameter] = [
    click.Option(["--quick"], is_flag=True, help="Few cells and deals: minutes, wide intervals."),
    click.Option(["--deals"], type=int, help="Deals per cell; each experiment has a default."),
    click.Option(["--seed"], default=0, show_default=True, help="Seed of the deals."),
    click.Option(["--jobs"], default=-1, show_default=True, help="Processes; -1: one per core."),
    click.Option(["--cluster"], metavar="tcp://HOST:PORT", help="Play on a Dask cluster."),
    click.Option(
        ["--out"],
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("docs/figures"),
        show_default=True,
        help="Folder for table, plot and data.",
    ),
    click.Option(
        ["--journals"],
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("var/experiments"),
        show_default=True,
        help="Folder for finished deals; an interrupted experiment resumes from it.",
    ),
    click.Option(["--estimate"], is_flag=True, help="Only print how long it will take."),
]
# The options of single experiments.
OWN_OPTIONS: dict[str, list[click.Parameter]] = {
    "adaptation": [
        click.Option(
            ["--player"], default="expert:belief=OM-3", show_default=True, help="Who adapts."
        )
    ],
    "algorithms": [
        click.Option(["--simulations"], type=int, help="Per move; 10000, or 1000 with --quick.")
    ],
    "determinizations": [
        click.Option(["--budget"], default=4000, show_default=True, help="Iterations per move."),
        click.Option(
            ["--baseline"],
            type=click.Choice(BASELINES),
            default=OPEN_LOOP,
            show_default=True,
            help="The opponents: one tree over all worlds, or one tree on one world.",
        ),
        click.Option(
            ["--playout"],
            type=click.Choice(PLAYOUTS),
            default=USUAL_PLAYOUT,
            show_default=True,
            help="The playout policy of all players.",
        ),
    ],
    "exploit": [
        click.Option(
            ["--level"],
            type=click.Choice(EXPLOITED),
            multiple=True,
            help="Only this level or policy; may be repeated.",
        )
    ],
    "matches": [
        click.Option(
            ["--from-score"],
            type=click.IntRange(0),
            default=0,
            show_default=True,
            help="Start when a seat first has so many points.",
        ),
        click.Option(["--search"], type=click.Choice(tuple(SEARCHES)), help="Only this one."),
    ],
    "moons": [
        click.Option(["--player"], default="expert", show_default=True, help="Who predicts."),
        click.Option(["--against"], help="Only this opponent of the ladder."),
        click.Option(
            ["--passing"],
            type=click.Choice(PASSINGS),
            default="cycle",
            show_default=True,
            help="As in `hearts arena`.",
        ),
        click.Option(
            ["--sources"],
            is_flag=True,
            help="Also roll hands out again: is it the worlds, or the policies of rollouts?",
        ),
    ],
    "mixture": [
        click.Option(
            ["--observer"],
            default="OM-2",
            show_default=True,
            help="The belief of the observer.",
        )
    ],
}


@click.group()
def experiment() -> None:
    """Run an experiment, and write its table, plot and data to docs/figures.

    Every experiment first estimates its duration from one deal of each cell.
    """


def _command(name: str) -> click.Command:
    """The command of an experiment."""
    own = OWN_OPTIONS.get(name, [])

    def run(**options: Any) -> None:
        chosen = {option.name: options[option.name] for option in own if option.name}
        _run(name, chosen, options)

    return click.Command(name, params=own + OPTIONS, callback=run, help=EXPERIMENTS[name].__doc__)


for _name in EXPERIMENTS:
    experiment.add_command(_command(_name))


def _run(name: str, own: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    try:
        workers = Workers(options["jobs"], options["cluster"])
        chosen = EXPERIMENTS[name](quick=options["quick"], **own)
        deals = options["deals"] or chosen.deals
        _print_estimate(chosen, deals, workers)
        if not options["estimate"]:
            _play(chosen, deals, workers, options)
    except HeartsError as error:
        raise click.ClickException(str(error)) from error


def _print_estimate(chosen: Experiment, deals: int, workers: Workers) -> None:
    minutes = estimated_seconds(chosen, deals, workers.processes) / 60
    cells = len(chosen.cells)
    click.echo(
        f"{chosen.name}: {cells} cells × {deals} deals, about {minutes:.1f} minutes "
        f"with {workers.processes} processes",
        err=True,
    )


def _play(chosen: Experiment, deals: int, workers: Workers, options: Mapping[str, Any]) -> None:
    outputs = chosen.outputs(options["journals"] / (chosen.journals or chosen.name))
    seed = options["seed"]
    results = {}
    for cell in chosen.cells:
        number = cell.deals(deals)
        with progress_bar(f"{cell.focus} vs {cell.others}", number) as progress:
            results[cell] = play_cell(cell, number, seed, workers, outputs, progress)
            examine_cell(chosen, cell, seed, outputs, workers.processes)
    text = "\n".join([table(results), "", *chosen.notes(chosen, results)])
    heading = f"# {chosen.title}\n\n{_deals(chosen, deals)} deals per cell, seed {seed}.\n\n"
    name = f"{chosen.name}-quick" if options["quick"] else chosen.name
    _write(options["out"] / name, heading + text.rstrip() + "\n", _data(chosen, results, seed))
    chosen.plot(options["out"] / f"{name}.svg", chosen, results)
    click.echo(text)


def _deals(chosen: Experiment, deals: int) -> str:
    """The number of deals of the cells, or the least and the most."""
    numbers = sorted({cell.deals(deals) for cell in chosen.cells})
    return f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def _data(chosen: Experiment, results: Results, seed: int) -> list[Mapping[str, object]]:
    """The results of all cells as JSON."""
    return [
        {
            "line": cell.line,
            "at": cell.x,
            "tournament": cell.tournament(seed).as_object(),
            "engines": [cell.focus.resolved(), cell.others.resolved()],
            **summarize(deals).as_object(),
            **chosen.extra(cell),
            **chosen.extra_of(cell, results),
        }
        for cell, deals in results.items()
    ]


def _write(path: Path, text: str, data: list[Mapping[str, object]]) -> None:
    """Write the text and the data of an experiment to files of the same name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_name(f"{path.name}.md").write_text(text, encoding="utf-8")
    content = json.dumps(data, indent=1) + "\n"
    path.with_name(f"{path.name}.json").write_text(content, encoding="utf-8")

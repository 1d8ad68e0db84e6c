"""`hearts beliefs`: how good opponent models are, and how their weights are fitted."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from tqdm import tqdm

from hearts.engine.beliefs import Belief, load_belief
from hearts.game.errors import HeartsError
from hearts.game.records import Record
from models.behaviour import BehaviourBelief
from models.evaluate import Scores, figures, judge, neutralised, sights, table
from models.fit import VALIDATION, Examples, fit_book, log_likelihood, split
from models.styles import read_styles
from server.cli.games.records import all_records

FILE = click.Path(path_type=Path, dir_okay=False)
RECORDS = click.argument("files", nargs=-1, required=True, type=FILE)
ABOVE_0 = click.IntRange(1)
LEARNED = "OM-2"


@click.group()
def beliefs() -> None:
    """Judge opponent models on game records, and fit their weights."""


@beliefs.command()
@RECORDS
@click.option("--models", default="OM-0,OM-1,OM-2", show_default=True, help="Names, with commas.")
@click.option("--styles", type=FILE, help=f"Styles for {LEARNED}, instead of those shipped.")
@click.option("--neutralise", is_flag=True, help="Replace each card by a random equal one first.")
@click.option("--validation", is_flag=True, help="Only the hands that `fit` leaves out.")
@click.option("--hands", type=click.IntRange(1), help="At most so many of each file.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--plot", type=FILE, help="Draw calibration and log-loss by trick as SVG.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")
def evaluate(files: tuple[Path, ...], models: str, as_json: bool, **options: Any) -> None:
    """Compare what models believe with the hands that really were (.jsonl, .jsonl.gz).

    Log-loss is in nats per hidden card, the mean of tricks 2 to 11; TSSR says how many times
    likelier the true deal is than if all that fit were equally likely; ms is CPU time.
    """
    hands, seed, plot = options["hands"], options["seed"], options["plot"]
    try:
        judged = {name: _belief(name, options["styles"]) for name in models.split(",")}
        records = [
            record
            for path in files
            for record in _read(path, validation=options["validation"])[:hands]
        ]
        if options["neutralise"]:
            rng = np.random.default_rng(seed)
            records = [neutralised(record, rng) for record in records]
        found = {name: Scores() for name in judged}
        views = _judge(records, judged, found, seed)
        if not all(scores.is_judged for scores in found.values()):
            raise click.ClickException("no hand in which the second trick was begun")
        if plot:
            from models.plot import plot_beliefs

            plot_beliefs(plot, found)
    except HeartsError as error:
        raise click.ClickException(str(error)) from error
    result = figures(len(records), views, found)
    click.echo(json.dumps(result) if as_json else table(found))


@beliefs.command()
@RECORDS
@click.option("--out", type=FILE, required=True, help="Where the book of styles goes.")
@click.option("--styles", "number", default=8, show_default=True, type=ABOVE_0, help="How many.")
@click.option(
    "--rounds", default=15, show_default=True, type=ABOVE_0, help="Of expectation-maximization."
)
@click.option(
    "--penalty",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0),
    help="Of weights, squared and halved.",
)
def fit(files: tuple[Path, ...], out: Path, number: int, rounds: int, penalty: float) -> None:
    """Fit styles of play to game records by maximum likelihood; the same files, the same styles.

    Every third hand of a file is left out, to validate with.
    """
    if not out.parent.is_dir():
        raise click.ClickException(f"{out}: there is no such folder")
    try:
        parts = [split(_read(path)) for path in files]
        fitted, rest = ([r for part in parts for r in part[side]] for side in (0, 1))
        if not fitted:
            raise click.ClickException("no hands to fit")
        examples = Examples.of(fitted)
        with tqdm(total=rounds, desc="fit", unit="round", disable=None, leave=False) as bar:

            def report(done: int, log_likelihood: float) -> None:
                bar.update(done - bar.n)
                bar.set_postfix_str(f"{log_likelihood:.4f}")

            book = fit_book(examples, number, rounds=rounds, penalty=penalty, report=report)
    except HeartsError as error:
        raise click.ClickException(str(error)) from error
    command = shlex.join(["hearts", *sys.argv[1:]])
    try:
        replace(book, command=command).write(out)
    except OSError as error:
        raise click.ClickException(f"{out}: {error.strerror or error}") from error
    click.echo(f"{len(fitted)} hands fitted, every {VALIDATION}rd left out: {len(rest)}")
    click.echo(
        f"log-likelihood per player and hand  {log_likelihood(examples, book.styles):9.4f} fitted"
    )
    if rest:
        validated = log_likelihood(Examples.of(rest), book.styles)
        click.echo(f"{'':<35} {validated:9.4f} left out")
    for style in book.styles:
        click.echo(f"{style.share:7.1%}  {style.name}")


def _belief(name: str, styles: Path | None) -> Belief:
    if name == LEARNED and styles:
        return BehaviourBelief(book=read_styles(styles))
    return load_belief(name)


def _read(path: Path, *, validation: bool = False) -> list[Record]:
    found = all_records(path)
    return split(found)[1] if validation else found


def _judge(
    records: list[Record], judged: dict[str, Belief], found: dict[str, Scores], seed: int
) -> int:
    """Judge every belief on every view; returns how many views there were."""
    views = 0
    for number, record in enumerate(tqdm(records, unit="hand", disable=None, leave=False)):
        for sight in sights(record, number):
            views += 1
            for name, belief in judged.items():
                rng = np.random.default_rng([seed, number, sight.trick])
                judge(belief, sight, found[name], rng)
    return views

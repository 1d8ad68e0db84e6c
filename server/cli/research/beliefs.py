"""`hearts beliefs`: score opponent models on game records, and fit the styles of OM-2."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
from models.decisions import Decisions
from models.evaluation.labelled import labelled_views
from models.evaluation.neutralise import neutralised
from models.evaluation.report import format_table, report
from models.evaluation.scores import Scores, score_view
from models.fit import VALIDATION, fit_book, log_likelihood, split
from models.styles import StyleBook, read_styles
from server.cli.games.records import all_records

FILE = click.Path(path_type=Path, dir_okay=False)
RECORDS = click.argument("files", nargs=-1, required=True, type=FILE)
ABOVE_0 = click.IntRange(1)
FITTED = "OM-2"


@click.group()
def beliefs() -> None:
    """Score opponent models on game records, and fit the styles of OM-2."""


@beliefs.command()
@RECORDS
@click.option("--models", default="OM-0,OM-1,OM-2", show_default=True, help="Separated by commas.")
@click.option("--styles", type=FILE, help=f"Style book for {FITTED} instead of the shipped one.")
@click.option("--neutralise", is_flag=True, help="First replace each card by a random equal one.")
@click.option("--validation", is_flag=True, help="Only the hands that `fit` leaves out.")
@click.option("--hands", type=ABOVE_0, help="Maximum number of hands of each file.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--plot", type=FILE, help="Plot log-loss by trick and calibration as SVG.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def evaluate(files: tuple[Path, ...], models: str, as_json: bool, **options: Any) -> None:
    """Score beliefs on game records (.jsonl, .jsonl.gz).

    Log-loss is in nats per hidden card, averaged over tricks 2 to 11. A gain is the relative
    reduction of OM-1's log-loss, with a 95% bootstrap interval over hands. TSSR, the true state
    sampling ratio, is the probability of the true deal relative to OM-1. ms is CPU time per view.
    """
    with _click_errors():
        tested = {name: _belief(name, options["styles"]) for name in models.split(",")}
        records = _records(files, options)
        scores = {name: Scores() for name in tested}
        views = _score(records, tested, scores, options["seed"])
        if not all(each.is_scored for each in scores.values()):
            raise click.ClickException("no hand reached the second trick")
        if options["plot"]:
            from models.evaluation.plot import plot_beliefs

            plot_beliefs(options["plot"], scores)
    result = report(len(records), views, scores)
    click.echo(json.dumps(result) if as_json else format_table(scores))


@beliefs.command()
@RECORDS
@click.option("--out", type=FILE, required=True, help="The style book to write.")
@click.option("--styles", "number", default=8, show_default=True, type=ABOVE_0, help="Number.")
@click.option(
    "--iterations",
    "--rounds",  # the former name
    "iterations",
    default=15,
    show_default=True,
    type=ABOVE_0,
    help="Iterations of expectation-maximization.",
)
@click.option(
    "--penalty",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0),
    help="L2 penalty of the weights.",
)
def fit(files: tuple[Path, ...], out: Path, number: int, iterations: int, penalty: float) -> None:
    """Fit styles of play to game records by maximum likelihood.

    Every third hand of a file is left out for validation. The fit is deterministic.
    """
    if not out.parent.is_dir():
        raise click.ClickException(f"{out}: there is no such folder")
    with _click_errors():
        sets = [split(all_records(path)) for path in files]
        fitted, left_out = ([r for each in sets for r in each[side]] for side in (0, 1))
        if not fitted:
            raise click.ClickException("no hands to fit")
        decisions = Decisions.of(fitted)
        book = _fit(decisions, number, iterations, penalty)
    _write(book, out)
    click.echo(f"{len(fitted)} hands fitted, every {VALIDATION}rd left out: {len(left_out)}")
    score = log_likelihood(decisions, book.styles)
    click.echo(f"log-likelihood per player and hand  {score:9.4f} fitted")
    if left_out:
        score = log_likelihood(Decisions.of(left_out), book.styles)
        click.echo(f"{'':<35} {score:9.4f} left out")
    for style in book.styles:
        click.echo(f"{style.share:7.1%}  {style.name}")


@contextmanager
def _click_errors() -> Iterator[None]:
    """Report a HeartsError as a click error."""
    try:
        yield
    except HeartsError as error:
        raise click.ClickException(str(error)) from error


def _belief(name: str, styles: Path | None) -> Belief:
    if name == FITTED and styles:
        return BehaviourBelief(book=read_styles(styles))
    return load_belief(name)


def _records(files: Sequence[Path], options: Mapping[str, Any]) -> list[Record]:
    """The hands of some files that the options of `evaluate` select."""
    records = []
    for path in files:
        hands = all_records(path)
        records += (split(hands)[1] if options["validation"] else hands)[: options["hands"]]
    if not options["neutralise"]:
        return records
    rng = np.random.default_rng(options["seed"])
    return [neutralised(record, rng) for record in records]


def _score(
    records: list[Record], tested: dict[str, Belief], scores: dict[str, Scores], seed: int
) -> int:
    """Score every belief on every view; returns the number of views."""
    views = 0
    for number, record in enumerate(tqdm(records, unit="hand", disable=None, leave=False)):
        for labelled in labelled_views(record, number):
            views += 1
            for name, belief in tested.items():
                rng = np.random.default_rng([seed, number, labelled.trick])
                score_view(belief, labelled, scores[name], rng)
    return views


def _fit(decisions: Decisions, number: int, iterations: int, penalty: float) -> StyleBook:
    """Fit a book with a progress bar that shows the log-likelihood."""
    with tqdm(total=iterations, desc="fit", unit="iteration", disable=None, leave=False) as bar:

        def show(done: int, log_likelihood: float) -> None:
            bar.update(done - bar.n)
            bar.set_postfix_str(f"{log_likelihood:.4f}")

        return fit_book(decisions, number, iterations=iterations, penalty=penalty, report=show)


def _write(book: StyleBook, out: Path) -> None:
    command = shlex.join(["hearts", *sys.argv[1:]])
    try:
        replace(book, command=command).write(out)
    except OSError as error:
        raise click.ClickException(f"{out}: {error.strerror or error}") from error

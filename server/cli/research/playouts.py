"""`hearts playouts`: generate search games and fit the tables of softmax playouts to them."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click
import numpy as np
from tqdm import tqdm

from hearts.game.errors import HeartsError
from hearts.game.records import write_records
from hearts.players.spec import parse_spec
from hearts.training.imitation import Ints, decisions_of, fit_tables
from server.cli.games.records import all_records

FILE = click.Path(path_type=Path, dir_okay=False)
HANDS, SEED = 3_800, 77  # of the shipped tables


def _file_in_a_folder(_: click.Context, __: click.Parameter, path: Path) -> Path:
    """Check before a long run that its file can be written."""
    if not path.name:
        raise click.BadParameter("a file must have a name")
    if not path.parent.is_dir():
        raise click.BadParameter(f"{path}: there is no such folder")
    return path


@click.group()
def playouts() -> None:
    """Fit the tables of softmax playouts to search games."""


@playouts.command()
@click.option(
    "--out",
    type=FILE,
    required=True,
    callback=_file_in_a_folder,
    help="File for the records (.jsonl, .jsonl.gz), written when all hands are played.",
)
@click.option(
    "--hands", default=HANDS, show_default=True, type=click.IntRange(1), help="Hands to play."
)
@click.option("--seed", default=SEED, show_default=True, type=click.IntRange(0))
@click.option("--jobs", default=-1, show_default=True, help="Worker processes; -1: one per core.")
@click.option(
    "--player",
    "players",
    multiple=True,
    help="Draw the seats from these players instead of the teacher (repeatable).",
)
def teach(out: Path, hands: int, seed: int, jobs: int, players: tuple[str, ...]) -> None:
    """Generate search games by self-play, about 150 hands per minute and core."""
    # Imported here, because `learn` must work before there are tables to compile playouts with.
    from hearts.arena.runner import Workers
    from hearts.training.search_games import teacher_hands

    partial = out.with_name(f"part-of-{out.name}")
    try:
        for player in players:
            parse_spec(player)
        played = teacher_hands(hands, seed, Workers(jobs), players)
        write_records(partial, tqdm(played, total=hands, unit="hand", disable=None, leave=False))
        partial.replace(out)
    except HeartsError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{out}: {error.strerror or error}") from error
    click.echo(f"{out}: {hands} hands")


@playouts.command("learn")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option(
    "--out", type=FILE, required=True, callback=_file_in_a_folder, help="File for the tables."
)
def learn_command(files: tuple[Path, ...], out: Path) -> None:
    """Fit the tables to game records; the same files give the same tables.

    Playouts use hearts/data/softmax.npz, which is compiled into the kernels: write the tables there
    and run `make setup` or `make clean-cache`. Needs the extra `fit`.
    """
    decisions = [_decisions(path) for path in files]
    try:
        tables = fit_tables(np.concatenate(decisions))
        tables.save(out, shlex.join(["hearts", *sys.argv[1:]]))
    except HeartsError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{out}: {error.strerror or error}") from error
    click.echo(f"{out}: {tables.decisions} decisions")
    click.echo(f"left out, because no candidate was played: {tables.unusual:.1%}")
    for phase, nats in tables.log_loss.items():
        click.echo(f"negative log-likelihood of a {phase}, before sharpening: {nats:.3f} nats")


def _decisions(path: Path) -> Ints:
    """The decisions in the hands of a file."""
    deals = [record.deal for record in all_records(path)]
    try:
        return decisions_of(tqdm(deals, unit="hand", disable=None, leave=False))
    except HeartsError as error:
        raise click.ClickException(f"{path}: {error}") from error

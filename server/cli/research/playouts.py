"""`hearts playouts`: how the odds of softmax playouts are learned."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click
import numpy as np
from tqdm import tqdm

from hearts.game.errors import HeartsError
from hearts.game.records import write_records
from hearts.training.imitation import Ints, decisions, learn
from server.cli.games.records import all_records

FILE = click.Path(path_type=Path, dir_okay=False)
HANDS, SEED = 3_800, 77  # of the odds that are shipped


def _file_in_a_folder(_: click.Context, __: click.Parameter, path: Path) -> Path:
    """Refuse a file that cannot be written before the work is done."""
    if not path.name:
        raise click.BadParameter("a file must have a name")
    if not path.parent.is_dir():
        raise click.BadParameter(f"{path}: there is no such folder")
    return path


@click.group()
def playouts() -> None:
    """Learn the odds of softmax playouts from hands that a search has played."""


@playouts.command()
@click.option(
    "--out",
    type=FILE,
    required=True,
    callback=_file_in_a_folder,
    help="Where the hands go (.jsonl, .jsonl.gz), once all are played.",
)
@click.option("--hands", default=HANDS, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=SEED, show_default=True, type=click.IntRange(0))
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one per core.")
def teach(out: Path, hands: int, seed: int, jobs: int) -> None:
    """Let a search play hands against itself: about 150 a minute and core."""
    # Not above: who learns odds anew may have none yet that playouts could be compiled with.
    from hearts.arena.runner import Machines
    from hearts.training.teaching import teacher_hands

    begun = out.with_name(f"part-of-{out.name}")
    try:
        played = teacher_hands(hands, seed, Machines(jobs))
        write_records(begun, tqdm(played, total=hands, unit="hand", disable=None, leave=False))
        begun.replace(out)
    except HeartsError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{out}: {error.strerror or error}") from error
    click.echo(f"{out}: {hands} hands")


@playouts.command("learn")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option(
    "--out", type=FILE, required=True, callback=_file_in_a_folder, help="Where the odds go."
)
def learn_command(files: tuple[Path, ...], out: Path) -> None:
    """Learn the odds from game records; the same files, the same odds.

    Playouts have the odds of hearts/data/softmax.npz, which are compiled into the kernels: write
    them there and run `make setup`, or `make clean-cache`.
    """
    found = [_decisions(path) for path in files]
    try:
        learned = learn(np.concatenate(found))
        learned.save(out, shlex.join(["hearts", *sys.argv[1:]]))
    except HeartsError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{out}: {error.strerror or error}") from error
    click.echo(f"{out}: {learned.decisions} decisions")
    click.echo(f"left out, since no candidate was played: {learned.unusual:.1%}")
    for phase, nats in learned.surprise.items():
        click.echo(f"surprise of a {phase} in these hands, before sharpening: {nats:.3f} nats")


def _decisions(path: Path) -> Ints:
    """What was chosen in the hands of a file."""
    deals = [record.deal for record in all_records(path)]
    try:
        return decisions(tqdm(deals, unit="hand", disable=None, leave=False))
    except HeartsError as error:
        raise click.ClickException(f"{path}: {error}") from error

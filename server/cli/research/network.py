"""`hearts network`: train the policy network of rollouts, and show how one was made."""

from __future__ import annotations

import json
import shlex
import sys
from collections import deque
from pathlib import Path

import click
from tqdm import tqdm

from hearts.engine.bridge.network import load_network, shipped
from hearts.game.errors import HeartsError
from hearts.training.ppo import Progress, Trainer, Training

FILE = click.Path(path_type=Path, dir_okay=False)
SAVE_EVERY = 50  # steps between two checkpoints
RECENT = 20  # steps over which the progress bar averages the gap


@click.group()
def network() -> None:
    """Train the policy network of rollouts, or show how one was made."""


@network.command()
@click.option("--out", type=FILE, required=True, help="File for the weights.")
@click.option(
    "--hands",
    default=Training.hands,
    show_default=True,
    type=click.IntRange(1),
    help="Hands of self-play.",
)
@click.option("--seed", default=Training.seed, show_default=True, type=click.IntRange(0))
@click.option(
    "--checkpoint",
    type=FILE,
    help=f"File to save the state in, every {SAVE_EVERY} steps; training continues from it.",
)
def train(out: Path, hands: int, seed: int, checkpoint: Path | None) -> None:
    """Train a network by self-play PPO, about 1,200 hands per second and core.

    The progress bar shows the gap: points per hand of the network minus those of the ducking
    heuristic, at tables that have both.
    """
    trainer = Trainer(Training(hands=hands, seed=seed))
    try:
        if checkpoint and checkpoint.exists():
            trainer.load(checkpoint)
    except HeartsError as error:
        raise click.ClickException(str(error)) from error
    last = _train(trainer, checkpoint)
    command = shlex.join(["hearts", *sys.argv[1:]])
    if last is None:
        trainer.network(command=command).save(out)
        click.echo(f"{out}: the checkpoint was already complete")
        return
    trainer.network(command=command, gap=round(last, 2)).save(out)
    click.echo(f"{out}: {last:+.2f} points per hand, network minus heuristic")


def _train(trainer: Trainer, checkpoint: Path | None) -> float | None:
    """Train to the last step; return the mean gap of the last steps, None if there was no step."""
    recent: deque[Progress] = deque(maxlen=RECENT)
    with tqdm(total=trainer.training.steps, initial=trainer.step, unit="step") as bar:
        for progress in trainer.run():
            recent.append(progress)
            bar.set_postfix_str(
                f"gap {_mean_gap(recent):+.2f}, entropy {progress.entropy:.3f}, "
                f"moons {progress.moons:.1%}"
            )
            bar.update()
            if checkpoint and progress.step % SAVE_EVERY == 0:
                trainer.save(checkpoint)
    if checkpoint:
        trainer.save(checkpoint)
    return _mean_gap(recent) if recent else None


def _mean_gap(recent: deque[Progress]) -> float:
    return sum(each.gap for each in recent) / len(recent)


@network.command()
@click.argument("file", type=FILE, required=False)
def show(file: Path | None) -> None:
    """Print how the network in FILE was made; default: the shipped one."""
    try:
        chosen = load_network(file) if file else shipped()
    except HeartsError as error:
        raise click.ClickException(str(error)) from error
    click.echo(json.dumps(chosen.provenance, indent=1))

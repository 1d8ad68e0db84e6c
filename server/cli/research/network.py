"""`hearts network`: train the policy network of rollouts, compare networks, show their origin."""

from __future__ import annotations

import json
import shlex
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from tqdm import tqdm

from hearts.engine.bridge.network import NETWORKS, shipped
from hearts.game.errors import HeartsError
from hearts.game.rules import PASSING
from hearts.training.contest import play_contest
from hearts.training.hyperparameters import Imitation, Training
from hearts.training.match_model import match_model
from hearts.training.population import network_named, parse_population
from server.cli.games.records import all_records

if TYPE_CHECKING:  # these need PyTorch
    from hearts.training.neural.ppo import Progress, Trainer

FILE = click.Path(path_type=Path, dir_okay=False)
SAVE_EVERY = 50  # steps between two checkpoints
RECENT = 20  # steps over which the progress bar averages the gap
START = f"Network to start from: {', '.join(NETWORKS)} or a file."
WARM_UP = 20  # steps in which only the critic learns, if the player was trained before


@contextmanager
def _domain_errors() -> Iterator[None]:
    """Report errors of the domain, and that PyTorch is missing, as errors of the command."""
    try:
        yield
    except HeartsError as error:
        raise click.ClickException(str(error)) from error
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise click.ClickException("needs PyTorch: pip install hearts-ai[train]") from error


def _command() -> str:
    return shlex.join(["hearts", *sys.argv[1:]])


@click.group()
def network() -> None:
    """Train the policy network of rollouts, compare networks, or show how one was made."""


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
@click.option("--from", "start", help=START)
@click.option(
    "--population",
    default=",".join(f"{name}={weight:g}" for name, weight in Training.population),
    show_default=True,
    help="Players of mixed tables, with weights: self, policies, shipped, files of networks.",
)
@click.option(
    "--population-share",
    default=Training.population_share,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Share of mixed tables.",
)
@click.option(
    "--learning-rate",
    nargs=2,
    type=click.FloatRange(0, min_open=True),
    default=Training.learning_rate,
    show_default=True,
    help="At the first and the last step.",
)
@click.option(
    "--batch-size",
    default=Training.batch_size,
    show_default=True,
    type=click.IntRange(1),
    help="Decisions per update of the weights.",
)
def train(out: Path, checkpoint: Path | None, start: str | None, **options: object) -> None:
    """Train a network by self-play PPO, about 1,800 hands per second and core.

    The progress bar shows the gap: points per hand of the network minus those of the population, at
    tables that have both. Needs the extra `train`.
    """
    with _domain_errors():
        trainer = _trainer(start, options)
        if checkpoint and checkpoint.exists():
            trainer.load(checkpoint)
    last = _train(trainer, checkpoint)
    if last is None:
        trainer.network(command=_command()).save(out)
        click.echo(f"{out}: the checkpoint was already complete")
        return
    trainer.network(command=_command(), gap=round(last, 2)).save(out)
    click.echo(f"{out}: {last:+.2f} points per hand, network minus population")


def _trainer(start: str | None, options: dict[str, object]) -> Trainer:
    """The trainer of a command's options, with the widths of the network to start from."""
    from hearts.training.neural.ppo import Trainer

    known = dict(options) | {"population": parse_population(str(options["population"]))}
    first = network_named(start) if start else None
    if first is not None:
        known |= {"start": first.digest, "critic_steps": WARM_UP}
        known |= {"hidden1_width": len(first.bias), "hidden2_width": len(first.hidden_bias)}
    return Trainer(Training(**known), first)  # type: ignore[arg-type]  # click has checked them


@network.command()
@click.option("--out", type=FILE, required=True, help="File for the results and probabilities.")
@click.option("--hands", default=400_000, show_default=True, type=click.IntRange(4))
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0))
def matches(out: Path, hands: int, seed: int) -> None:
    """Compute the probability of winning a match from any scores, for the reward `match`.

    Four seats play hands by the network. The results of the hands give the probabilities. The
    shipped ones are in hearts/data/matches.npz.
    """
    model = match_model(hands, seed)
    model.save(out)
    results, probabilities = model.results
    moons = probabilities[results.sum(axis=1) > PASSING.total].sum()
    click.echo(f"{out}: {hands} hands, {moons:.1%} with a moon")


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
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--out", type=FILE, required=True, help="File for the weights.")
@click.option("--from", "start", help=START)
@click.option("--epochs", default=Imitation.epochs, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=Imitation.seed, show_default=True, type=click.IntRange(0))
@click.option(
    "--player", "players", multiple=True, help="Learn from these players only (repeatable)."
)
def imitate(
    files: tuple[Path, ...], out: Path, start: str | None, players: tuple[str, ...], **options: int
) -> None:
    """Train a network to decide as the players of game records do.

    A tenth of the deals judges the result: negative log-likelihood in nats per decision, and the
    share of decisions that were the most probable ones, before and after. Needs the extra `train`.
    """
    imitation = Imitation(**options)  # type: ignore[arg-type]  # click has checked them
    with _domain_errors():
        from hearts.training.neural.distillation import Lesson

        records = [record for path in files for record in all_records(path)]
        first = network_named(start) if start else None
        lesson = Lesson(records, imitation, first, players)
        for _ in tqdm(lesson.run(), total=lesson.updates, unit="update", disable=None):
            pass
    lesson.network(command=_command(), start=start or "").save(out)
    click.echo(f"{out}: learned {len(lesson.learned)} decisions; held out:")
    for group, fit in lesson.fits["after"].items():
        cells = (f"{stage} {fits[group]}" for stage, fits in lesson.fits.items())
        click.echo(f"{group}: {fit.decisions} decisions; {'; '.join(cells)}")


@network.command()
@click.argument("focus")
@click.argument("others")
@click.option("--seats", default=1, show_default=True, type=click.IntRange(1, 3), help="Of FOCUS.")
@click.option("--deals", default=2000, show_default=True, type=click.IntRange(2))
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
def compare(focus: str, others: str, seats: int, deals: int, seed: int) -> None:
    """Play FOCUS against OTHERS without search: policies, shipped, files of networks.

    Every deal is played in all seatings, with the passing cycle. best:NAME plays the most probable
    card of a network, NAME draws. Points are penalties: a negative difference is good.
    """
    with _domain_errors():
        found = play_contest(focus, others, seats, deals, seed)
    made, conceded = (100 * each for each in found.moons)
    click.echo(
        f"{focus} - {others}: {found.difference:+.2f} ± {found.margin:.2f} points per hand, "
        f"{deals} deals; moons per 100 hands: {made:.1f} made, {conceded:.1f} conceded"
    )


@network.command()
@click.argument("name", required=False)
def show(name: str | None) -> None:
    """Print how a network was made: shipped (the default), search-like or a file."""
    with _domain_errors():
        chosen = network_named(name) if name else shipped()
    click.echo(json.dumps(chosen.provenance, indent=1))

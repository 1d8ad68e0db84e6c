"""`make scaling`: how much more two processes play than one, measured on a machine that is shared.

One process and two take turns with the same deals; what counts is the best round of each. Linux
says how long a process was ready to run while others had the cores (`schedstat`): without that
time, a round has the length that it would have had if nobody else had worked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import click

from hearts.arena.runner import Workers, run
from hearts.arena.tournament import Tournament
from hearts.players.spec import parse_spec

NANO = 1e-9
BUSY = 0.1  # share of a round that a process must have run or waited in, to be one that plays


@dataclass(frozen=True)
class Times:
    """What one process had since it began, in seconds."""

    ran: float
    waited: float  # ready to run, while others had the cores

    def since(self, before: Times) -> Times:
        """What was added."""
        return Times(self.ran - before.ran, self.waited - before.waited)


@dataclass(frozen=True)
class Round:
    """The same deals, played once."""

    seconds: float
    alone: float  # seconds, less those in which the players had to wait for a core
    cpu: float  # of all players
    idle: float  # share of the time in which a player had nothing to do


def times_of(process: int) -> Times:
    """What a process had so far."""
    ran, waited, _ = map(int, Path(f"/proc/{process}/schedstat").read_text().split())
    return Times(ran * NANO, waited * NANO)


def family() -> list[int]:
    """This process and its children."""
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text()
    return [os.getpid(), *map(int, children.split())]


def play(tournament: Tournament, deals: int, processes: int) -> Round:
    """One round."""
    before, began = {each: times_of(each) for each in family()}, perf_counter()
    run(tournament, deals, workers=Workers(processes))
    seconds = perf_counter() - began
    found = [times_of(each).since(then) for each, then in before.items()]
    return round_of(seconds, found)


def round_of(seconds: float, found: Iterable[Times]) -> Round:
    """A round of so many seconds, from the times of all processes."""
    players = [each for each in found if each.ran + each.waited > BUSY * seconds]
    waited = sum(each.waited for each in players) / len(players)
    cpu = sum(each.ran for each in players)
    idle = 1 - (cpu / len(players) + waited) / seconds
    return Round(seconds, seconds - waited, cpu, max(0.0, idle))


@click.command()
@click.option("--player", default="engine", show_default=True, help="Against three of itself.")
@click.option("--deals", default=30, show_default=True, help="Per round.")
@click.option("--repeats", default=5, show_default=True)
def main(player: str, deals: int, repeats: int) -> None:
    """Play with one process and with two, in turns."""
    tournament = Tournament(parse_spec(player), parse_spec(player))
    for processes in (1, 2):
        run(tournament, 2 * processes, workers=Workers(processes))  # kernels are loaded
    found: dict[int, list[Round]] = {1: [], 2: []}
    for number in range(repeats):
        for processes, played in found.items():
            played.append(play(tournament, deals, processes))
            one = played[-1]
            click.echo(
                f"round {number + 1}, {processes} process{'es'[: 2 * processes - 2]}: "
                f"{one.seconds:.1f} s, alone {one.alone:.1f} s, CPU {one.cpu:.1f} s, "
                f"idle {one.idle:.1%}"
            )
    for name in ("seconds", "alone"):
        best = {processes: min(getattr(r, name) for r in found[processes]) for processes in found}
        click.echo(f"best by {name}: {best[1] / best[2]:.2f} times as many deals with two")


if __name__ == "__main__":
    main()

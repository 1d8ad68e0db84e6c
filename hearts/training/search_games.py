"""Games of a search against itself, from which softmax playouts learn."""

import math
from collections.abc import Iterator
from dataclasses import replace

from joblib import delayed

from hearts.arena.referee import Referee
from hearts.arena.runner import Workers, in_processes
from hearts.arena.seeds import deal_of, derive_seed
from hearts.engine.levels import LEVELS
from hearts.game.cards import SEATS
from hearts.game.records import Record
from hearts.game.rules import PASSING
from hearts.players.engine import EnginePlayer

SOURCE = "teacher"
# Playouts use neither passes nor the players' styles, so the teacher needs no better belief. A
# small budget gives more hands for the same time.
TEACHER = replace(
    LEVELS["expert"], belief="OM-1", simulations=300, auxiliary_simulations=0, worlds=50
)


def teacher_hand(seed: int, number: int) -> Record:
    """Hand `number` of a seed, with the passes of the cycle."""
    cycle = PASSING.pass_cycle
    referee = Referee([EnginePlayer(TEACHER) for _ in range(SEATS)], limit=math.inf)
    deal = deal_of(seed, number, 0, PASSING, cycle[number % len(cycle)])
    played = referee.play(deal, derive_seed(seed, number))
    # After a fault the referee plays random cards, which must not be learned from.
    if any(each.faults for each in referee.spending):
        raise RuntimeError(f"hand {number} of seed {seed}: the teacher's search failed")
    return Record.of(played, f"{SOURCE}-{number:05}", SOURCE)


def teacher_hands(hands: int, seed: int, workers: Workers) -> Iterator[Record]:
    """The first hands of a seed, in order, as they are finished."""
    calls = (delayed(teacher_hand)(seed, number) for number in range(hands))
    return in_processes(calls, workers.processes)

"""Games of searches, from which softmax playouts and networks learn."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from joblib import delayed

from hearts.arena.referee import Referee
from hearts.arena.runner import Workers, in_processes
from hearts.arena.seeds import deal_of, derive_seed
from hearts.engine.levels import LEVELS
from hearts.game.cards import SEATS
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.game.rules import PASSING, PassDirection
from hearts.players.engine import EnginePlayer
from hearts.players.player import Player
from hearts.players.registry import shared_player
from hearts.players.spec import parse_spec

SOURCE, MIXED = "teacher", "search"
SEATING = 7  # distinguishes the seeds of seatings from those of decisions
# Playouts use neither passes nor the players' styles, so the teacher needs no better belief. A
# small budget gives more hands for the same time.
TEACHER = replace(
    LEVELS["expert"], belief="OM-1", simulations=300, auxiliary_simulations=0, worlds=50
)


def teacher_hand(seed: int, number: int) -> Record:
    """Hand `number` of a seed, with the passes of the cycle."""
    cycle = PASSING.pass_cycle
    players = [EnginePlayer(TEACHER) for _ in range(SEATS)]
    played = _played(players, seed, number, cycle[number % len(cycle)])
    return Record.of(played, f"{SOURCE}-{number:05}", SOURCE)


def mixed_hand(players: Sequence[str], seed: int, number: int) -> Record:
    """Hand `number` of a seed; each seat draws one of the players, every other hand has a pass."""
    names = [
        players[derive_seed(seed, number, SEATING, seat) % len(players)] for seat in range(SEATS)
    ]
    cycle = PASSING.pass_cycle
    direction = cycle[number // 2 % len(cycle)] if number % 2 else PassDirection.HOLD
    seated = [shared_player(parse_spec(name)) for name in names]
    played = _played(seated, seed, number, direction)
    return Record.of(played, f"{MIXED}-{number:05}", MIXED, players=names)


def _played(players: Sequence[Player], seed: int, number: int, direction: PassDirection) -> Deal:
    referee = Referee(players, limit=math.inf)
    played = referee.play(deal_of(seed, number, 0, PASSING, direction), derive_seed(seed, number))
    # After a fault the referee plays random cards, which must not be learned from.
    if any(each.faults for each in referee.spending):
        raise RuntimeError(f"hand {number} of seed {seed}: a search failed")
    return played


def teacher_hands(
    hands: int, seed: int, workers: Workers, players: Sequence[str] = ()
) -> Iterator[Record]:
    """The first hands of a seed, in order, as they are finished; by the teacher or `players`."""
    if players:
        calls = (delayed(mixed_hand)(players, seed, number) for number in range(hands))
    else:
        calls = (delayed(teacher_hand)(seed, number) for number in range(hands))
    return in_processes(calls, workers.processes)

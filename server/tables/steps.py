"""What the engine has to do at a table."""

from __future__ import annotations

from dataclasses import dataclass

from server.games.events.state_machine import HAND_OVER, PASSING, PLAYING
from server.tables.table import Table

MAX_HANDS = 200  # of a table without people: with bonuses a match may never end
PASS = 52  # the number of the pass among the decisions of a hand; plays are 0 to 51

CLAIM, DEAL, MOVE = "claim", "deal", "move"


@dataclass(frozen=True)
class Step:
    """The next step of the engine."""

    kind: str  # claim, deal or move
    hand: int
    number: int = PASS  # of the decision in its hand
    seat: int = 0  # that moves


def engine_step(table: Table) -> Step | None:
    """The next step of the engine; None: people are to move, or the match is over."""
    hand = table.current
    if not table.seated and table.claimable:
        return Step(CLAIM, hand.number)
    if not table.seated and table.phase == HAND_OVER and len(table.done) < MAX_HANDS:
        return Step(DEAL, hand.number)
    if table.phase not in (PASSING, PLAYING):
        return None
    engines = [seat for seat in hand.waiting_for if not table.players[seat].is_human]
    number = PASS if hand.deal.passing else sum(1 for _ in hand.deal.plays)
    return Step(MOVE, hand.number, number, engines[0]) if engines else None

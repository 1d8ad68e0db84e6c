"""A summary of a finished hand for each seat: points, tricks, the queen, and moons.

A record does not say what a player intended. So an *attempt* at the moon is defined by what
everybody at the table could see:

- *tried*: at some moment the seat had taken at least half of the cards that a moon needs (7 of 14
  by the usual rules), and no other seat had any of them. Half is a useful limit: a seat with Q♠ and
  a trick of hearts is common, while about half of the seats that get this far take all.
- *made*: the seat took all of them. A seat that made the moon has also tried.
- *stopped*: the seat took the first such card that the trying seat did not get, intentionally or
  not. At most one seat stops an attempt, and never its own.

Under rules without moons nobody tries.
"""

from dataclasses import dataclass

from hearts.game.cards import SEATS, count
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.game.rules import QUEEN


@dataclass(frozen=True)
class SeatSummary:
    """The summary of a finished hand for one seat."""

    points: int  # moon included, as the record states them
    tricks: int
    queen_taken: bool
    moon_tried: bool
    moon_made: bool
    moon_stopped: bool  # the seat stopped the attempt of another seat


def summarise(record: Record) -> tuple[SeatSummary, ...]:
    """The summaries of the four seats; raises IllegalMove if the hand is not finished."""
    deal = record.deal
    points = deal.final_points()
    # If the shooter may choose how the moon is scored, only the record says how it was.
    points = points if record.points is None else record.points
    tried, stopped = moon_tries(deal)
    return tuple(
        SeatSummary(
            points=points[seat],
            tricks=count(deal.taken[seat]) // SEATS,
            queen_taken=bool(deal.taken[seat] & QUEEN),
            moon_tried=seat == tried,
            moon_made=seat == deal.shooter,
            moon_stopped=seat == stopped,
        )
        for seat in range(SEATS)
    )


def moon_tries(deal: Deal) -> tuple[int | None, int | None]:
    """The seat that has tried for the moon so far and the seat that stopped it, None for nobody."""
    needed = deal.rules.moon_cards
    owner: int | None = None  # the only seat with cards that a moon needs
    rival: int | None = None
    held = 0
    for trick in deal.tricks:
        found = count(trick.cards_set & needed)
        if found and owner not in (None, trick.winner):
            rival = trick.winner
            break
        if found:
            owner, held = trick.winner, held + found
    if owner is None or 2 * held < count(needed):
        return None, None
    return owner, rival

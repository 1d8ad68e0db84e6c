"""What a finished hand came to, seat by seat: a pure function of its record.

Points, tricks and the queen are facts. What a seat had in mind is not in a record, so a *try* for
the moon is defined by what everybody at the table could see:

- *tried*: at some moment the seat had taken at least half of the cards that a moon needs (7 of the
  14 by the usual rules), and nobody else had any. Half, since Q♠ with a trick of hearts happens to
  everybody, while of those who got so far about every second one takes the rest.
- *made*: it took all of them. Who made a moon has tried.
- *stopped*: it took the first such card away from a seat that had tried, willingly or not: the
  trick shows who bore the cost, not why. Nobody stops himself, and one seat at most stops a hand.

Under rules without moons nobody tries.
"""

from dataclasses import dataclass

from hearts.game.cards import SEATS, count
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.game.rules import QUEEN


@dataclass(frozen=True)
class SeatSummary:
    """What a finished hand came to for one seat."""

    points: int  # moon included, as they were written down
    tricks: int
    queen_taken: bool
    moon_tried: bool
    moon_made: bool
    moon_stopped: bool  # the seat stopped somebody else's


def summarise(record: Record) -> tuple[SeatSummary, ...]:
    """What each of the four seats got out of a hand; IllegalMove while it is not finished."""
    deal = record.deal
    points = deal.final_points()
    # Where the shooter chooses how a moon is scored, only the record knows.
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
    """The seat that has tried for the moon so far, and the seat that stopped it; None: nobody."""
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

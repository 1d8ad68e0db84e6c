"""Make `hands.jsonl`: complete hands that between them show every rule that changes a result.

    python -m tests.golden.make_hands

The hands are stored so that a change of the rules shows as a change of results; make them anew only
when a result was wrong, and say why in the commit. Each kind is searched for in random games from a
fixed seed.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from hearts.game.deal import Deal
from hearts.game.records import Record, write_records
from hearts.game.rules import JACK, PASSING, QUEEN, STANDARD, MoonScoring, PassDirection, Rules
from tests.hearts.games import finish, new_deal

PATH = Path(__file__).with_name("hands.jsonl")
Wanted = Callable[[Deal], object]


def moon(deal: Deal) -> bool:
    return deal.shooter is not None


def no_moon(deal: Deal) -> bool:
    return deal.shooter is None


def took_all_but_the_jack(deal: Deal) -> bool:
    points = replace(deal.rules, shooting_needs_jack=False).moon_cards
    return any(not points & ~taken and not taken & JACK for taken in deal.taken)


def points_at_once(deal: Deal) -> bool:
    return bool(deal.tricks[0].cards_set & deal.rules.barred_first)


def no_trick_taken(deal: Deal) -> bool:
    return not all(deal.taken)


def club_led(deal: Deal) -> bool:
    return deal.tricks[0].cards[0] != 0


def queen_first(deal: Deal) -> bool:
    return bool(deal.tricks[0].cards_set & QUEEN)


def hearts_over_queen(deal: Deal) -> bool:
    """Somebody led a heart, unbroken, and kept the queen."""
    for number, trick in enumerate(deal.tricks):
        if any(earlier.cards_set & deal.rules.heart_breakers for earlier in deal.tricks[:number]):
            return False
        later = sum(after.played_by(trick.leader) for after in deal.tricks[number:])
        if trick.led == 3 and later & QUEEN:
            return True
    return False


SUBTRACTS, CHOOSES = MoonScoring.SHOOTER_SUBTRACTS, MoonScoring.SHOOTER_CHOOSES
KINDS: dict[str, tuple[Rules, Wanted]] = {
    "standard": (STANDARD, no_moon),
    "passing": (PASSING, no_moon),
    "rules-0": (Rules.from_mask(0), no_moon),
    "moon": (PASSING, moon),
    "moon-subtracts": (replace(PASSING, moon=SUBTRACTS), moon),
    "moon-chosen": (replace(PASSING, moon=CHOOSES), moon),
    "moon-with-jack-bonus": (replace(PASSING, jack_bonus=True), moon),
    "moon-and-no-trick": (
        replace(PASSING, no_trick_bonus=True),
        lambda d: moon(d) and no_trick_taken(d),
    ),
    "moon-lacks-jack": (replace(PASSING, shooting_needs_jack=True), took_all_but_the_jack),
    "moon-has-jack": (replace(PASSING, shooting_needs_jack=True), moon),
    "moon-of-hearts": (replace(PASSING, queen_penalty=False), moon),
    "no-shooting": (replace(PASSING, no_shooting=True), lambda d: 26 in d.points),
    "hearts-free": (replace(PASSING, hearts_arent_points=True), no_moon),
    "jack": (replace(PASSING, jack_bonus=True), no_moon),
    "no-trick": (replace(PASSING, no_trick_bonus=True), lambda d: no_moon(d) and no_trick_taken(d)),
    "points-at-once": (PASSING, points_at_once),
    "queen-at-once": (replace(PASSING, no_queen_first_trick=False), queen_first),
    "any-club": (replace(PASSING, lead_2_clubs=False, lead_clubs=True), club_led),
    "hearts-over-queen": (replace(PASSING, hearts_instead_of_queen=True), hearts_over_queen),
    "free-hearts": (replace(PASSING, must_break_hearts=False), no_moon),
}
PER_KIND = 2


def games(rules: Rules, seed: int) -> Iterator[Deal]:
    """Random hands of all directions; every second is dealt so that rare things happen."""
    rng = np.random.default_rng(seed)
    directions = list(PassDirection) if rules.do_pass_cards else [PassDirection.HOLD]
    for number in range(20_000):
        direction = directions[int(rng.integers(len(directions)))]
        yield finish(new_deal(rules, direction, rng, skewed=number % 2 == 1), rng)
    raise LookupError("no such hand in 20,000 games")


def hands() -> Iterator[Record]:
    """The hands of every kind."""
    for seed, (kind, (rules, wanted)) in enumerate(KINDS.items()):
        found = (deal for deal in games(rules, seed) if wanted(deal))
        for number in range(PER_KIND):
            choice = SUBTRACTS if number % 2 else MoonScoring.OTHERS_ADD
            deal = next(found)
            record = Record.of(deal, f"{kind}-{number}", "golden", kind=kind)
            yield replace(record, points=deal.final_points(choice))


if __name__ == "__main__":
    write_records(PATH, hands())

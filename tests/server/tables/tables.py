"""Tables to test with: random matches, move by move."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from hearts.game.cards import SEATS, members, set_of
from hearts.game.rules import PASSING, MoonScoring, Rules
from server.games.events.state_machine import HAND_OVER
from server.games.events.state_machine import PASSING as PASSES
from server.storage.events import Event, event_of
from server.tables.fairness import shuffle
from server.tables.table import Occupant, Table

HUMAN = Occupant("human", "human")
PEOPLE = (HUMAN,) * SEATS

# Every way in which rules change what a hand costs, or when it is decided.
VARIANTS: dict[str, Rules] = {
    "usual": PASSING,
    "hold": replace(PASSING, do_pass_cards=False),
    "jack": replace(PASSING, jack_bonus=True),
    "jack for the moon": replace(PASSING, shooting_needs_jack=True),
    "no trick": replace(PASSING, no_trick_bonus=True),
    "choice": replace(PASSING, moon=MoonScoring.SHOOTER_CHOOSES),
    "queen only": replace(PASSING, hearts_arent_points=True),
    "hearts only": replace(PASSING, queen_penalty=False),
    "no queen": replace(PASSING, queen_penalty=False, no_shooting=True),
    "no opener": Rules.from_mask(1024),
}


def new_table(rules: Rules = PASSING, seed: int | None = 1, target: int = 40) -> Table:
    """A table of four people with its first hand dealt."""
    table = Table("test-table", replace(rules, target_score=target), PEOPLE, seed=seed)
    return table.after(table.next_hand(None, shuffle(seed, 0)))


def kept(events: list[Event]) -> list[Event]:
    """The events as a database gives them back."""
    return [
        event_of(event.kind, event.hand, event.seat, json.loads(json.dumps(event.body)))
        for event in events
    ]


def next_events(table: Table, rng: Random, *, claims: bool = True) -> list[Event]:
    """Something that may happen at a table now."""
    if table.phase == HAND_OVER:
        shuffled = shuffle(table.seed, len(table.done))
        return table.next_hand(rng.choice([None, 0, 3]), shuffled)
    if claims and table.claimable and rng.random() < 0.2:
        return table.claim(rng.randrange(SEATS))
    hand = table.current
    if table.phase == PASSES:
        seat = rng.choice(hand.waiting_for)
        return table.give(seat, set_of(rng.sample(list(members(hand.deal.dealt[seat])), 3)))
    assert hand.deal.turn is not None
    return table.play(hand.deal.turn, rng.choice(list(members(hand.deal.legal))))


def moments(table: Table, rng: Random, *, claims: bool = True) -> Iterator[Table]:
    """A table at every moment of a random match, the last one included; five hands at most."""
    yield table
    while table.phase != "finished" and len(table.done) < 5:
        table = table.after(kept(next_events(table, rng, claims=claims)))
        yield table

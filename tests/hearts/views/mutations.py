"""Small lies about a view: each takes the fields of a legal one and returns others."""

from collections.abc import Callable
from dataclasses import fields as fields_of
from typing import Any

import numpy as np

from hearts.game.cards import ALL_CARDS, DECK, bit, members
from hearts.game.rules import PassDirection
from hearts.game.trick import Trick
from hearts.views.view import View
from tests.hearts.games import VARIANTS

Fields = dict[str, Any]
Mutation = Callable[[Fields, np.random.Generator], Fields]


def fields(view: View) -> Fields:
    """The arguments that make this view."""
    return {each.name: getattr(view, each.name) for each in fields_of(view)}


def _pick(rng: np.random.Generator, cards: int) -> int:
    choices = list(members(cards))
    return int(rng.choice(choices)) if choices else int(rng.choice(ALL_CARDS))


def _any_trick(given: Fields, rng: np.random.Generator) -> int:
    """A place in tricks; the place after the last is the current trick."""
    return int(rng.integers(len(given["tricks"]) + 1))


def _get(given: Fields, place: int) -> Trick:
    trick: Trick = (*given["tricks"], given["trick"])[place]
    return trick


def _put(given: Fields, place: int, trick: Trick) -> Fields:
    tricks = list(given["tricks"])
    if place == len(tricks):
        return given | {"trick": trick}
    tricks[place] = trick
    return given | {"tricks": tuple(tricks)}


def _unseen(given: Fields) -> int:
    view = View(**given)
    return view.unseen


def another_card(given: Fields, rng: np.random.Generator) -> Fields:
    """Somebody played another card: unseen, in my hand, played before, or no card at all."""
    place = _any_trick(given, rng)
    trick = _get(given, place)
    if not trick.cards:
        return given
    source = [_unseen(given), given["hand"], DECK][int(rng.integers(3))]
    card = _pick(rng, source) if rng.random() < 0.95 else int(rng.choice([13, 15, 64, -1]))
    cards = list(trick.cards)
    cards[int(rng.integers(len(cards)))] = card
    return _put(given, place, Trick(trick.leader, tuple(cards)))


def exchanged_cards(given: Fields, rng: np.random.Generator) -> Fields:
    """Two cards of the history changed places."""
    cards = [card for trick in given["tricks"] for card in trick.cards] + [*given["trick"].cards]
    if len(cards) < 2:
        return given
    a, b = (int(card) for card in rng.choice(cards, 2, replace=False))
    swap = {a: b, b: a}
    for place in range(len(given["tricks"]) + 1):
        trick = _get(given, place)
        new = tuple(swap.get(card, card) for card in trick.cards)
        given = _put(given, place, Trick(trick.leader, new))
    return given


def another_leader(given: Fields, rng: np.random.Generator) -> Fields:
    place = _any_trick(given, rng)
    leader = int(rng.choice([0, 1, 2, 3, 4, -1, 1000000], p=[0.22] * 4 + [0.04] * 3))
    return _put(given, place, Trick(leader, _get(given, place).cards))


def another_order(given: Fields, rng: np.random.Generator) -> Fields:
    place = _any_trick(given, rng)
    trick = _get(given, place)
    cards = tuple(int(card) for card in rng.permutation(trick.cards))
    return _put(given, place, Trick(trick.leader, cards))


def rotated_trick(given: Fields, rng: np.random.Generator) -> Fields:
    """The same cards by the same players, told from another leader on."""
    place = _any_trick(given, rng)
    trick = _get(given, place)
    return _put(given, place, Trick((trick.leader + 1) % 4, trick.cards[1:] + trick.cards[:1]))


def fewer_cards(given: Fields, rng: np.random.Generator) -> Fields:
    place = _any_trick(given, rng)
    trick = _get(given, place)
    return _put(given, place, Trick(trick.leader, trick.cards[:-1]))


def more_cards(given: Fields, rng: np.random.Generator) -> Fields:
    place = _any_trick(given, rng)
    trick = _get(given, place)
    return _put(given, place, trick.add(_pick(rng, _unseen(given))))


def lost_trick(given: Fields, rng: np.random.Generator) -> Fields:
    tricks = list(given["tricks"])
    if tricks:
        del tricks[int(rng.integers(len(tricks)))]
    return given | {"tricks": tuple(tricks)}


def lost_history(given: Fields, rng: np.random.Generator) -> Fields:
    """No trick is given: a partial view, unless it is the first trick."""
    return given | {"tricks": ()}


def repeated_trick(given: Fields, rng: np.random.Generator) -> Fields:
    tricks = list(given["tricks"])
    if tricks:
        tricks.insert(int(rng.integers(len(tricks))), tricks[int(rng.integers(len(tricks)))])
    return given | {"tricks": tuple(tricks)}


def shuffled_tricks(given: Fields, rng: np.random.Generator) -> Fields:
    tricks = list(given["tricks"])
    rng.shuffle(tricks)
    return given | {"tricks": tuple(tricks)}


def another_hand(given: Fields, rng: np.random.Generator) -> Fields:
    """One card of the hand is another: unseen, or already played."""
    lost = bit(_pick(rng, given["hand"]))
    source = [_unseen(given), DECK][int(rng.integers(2))]
    return given | {"hand": given["hand"] & ~lost | bit(_pick(rng, source))}


def smaller_hand(given: Fields, rng: np.random.Generator) -> Fields:
    return given | {"hand": given["hand"] & ~bit(_pick(rng, given["hand"]))}


def larger_hand(given: Fields, rng: np.random.Generator) -> Fields:
    return given | {"hand": given["hand"] | bit(_pick(rng, _unseen(given)))}


def another_pass(given: Fields, rng: np.random.Generator) -> Fields:
    """One card of what was passed or received is another, or missing, or all are unknown."""
    name = str(rng.choice(["passed", "received"]))
    cards = given[name]
    kind = int(rng.integers(4))
    if kind == 0:
        return given | {name: 0}
    lost = cards & ~bit(_pick(rng, cards))
    if kind == 1:
        return given | {name: lost}
    source = DECK if kind == 2 else _unseen(given) | given["hand"]
    return given | {name: lost | bit(_pick(rng, source))}


def exchanged_passes(given: Fields, rng: np.random.Generator) -> Fields:
    return given | {"passed": given["received"], "received": given["passed"]}


def another_direction(given: Fields, rng: np.random.Generator) -> Fields:
    return given | {"direction": PassDirection(int(rng.integers(4)))}


def another_seat(given: Fields, rng: np.random.Generator) -> Fields:
    return given | {"seat": int(rng.choice([0, 1, 2, 3, 4, -1], p=[0.23] * 4 + [0.04] * 2))}


def other_rules(given: Fields, rng: np.random.Generator) -> Fields:
    return given | {"rules": VARIANTS[str(rng.choice(list(VARIANTS)))]}


def while_passing(given: Fields, rng: np.random.Generator) -> Fields:
    return given | {"passing": not given["passing"]}


MUTATIONS: tuple[Mutation, ...] = (
    another_card,
    exchanged_cards,
    another_leader,
    another_order,
    rotated_trick,
    fewer_cards,
    more_cards,
    lost_trick,
    lost_history,
    repeated_trick,
    shuffled_tricks,
    another_hand,
    smaller_hand,
    larger_hand,
    another_pass,
    exchanged_passes,
    another_direction,
    another_seat,
    other_rules,
    while_passing,
)

"""How much the cards that a player plays tell an observer about its hand.

TSSR, the true state sampling ratio, says how many times likelier an observer holds the truth to be
than somebody who deals the hidden cards at random. Here the truth is one player's hand, the random
dealer knows the voids (OM-1), and a hand's probability is the product over the hidden cards of
those that the player holds each, or does not: log TSSR is 0 for an observer who learns nothing.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from hearts.arena.results import DealResult
from hearts.arena.statistics import Interval, bootstrap
from hearts.arena.tournament import Tournament, play_deal
from hearts.beliefs import Belief, load_belief
from hearts.cards import SEATS, CardSet, bit, index_of, members
from hearts.deal import Deal
from hearts.records import parse_record
from hearts.trick import Trick
from hearts.view import View

CHANCE = "OM-1"
TRICKS = range(1, 11)  # tricks over: before, nothing is known; after, nearly everything
_LEAST = 1e-6  # of a probability: nobody is surer than that


def leak(tournament: Tournament, deals: int, observer: str) -> Interval:
    """The mean log TSSR of the focus player's hand for the seat on its left, over some deals."""
    belief = load_belief(observer)
    found = []
    for number in range(deals):
        result = play_deal(tournament, number, keep=True)
        found.append(float(np.mean(list(_ratios(result, belief)))))
    return bootstrap(found)


def _ratios(result: DealResult, belief: Belief) -> Iterator[float]:
    chance = load_belief(CHANCE)
    for record in result.records:
        deal = parse_record(record).deal
        for focus in result.tables[record["seating"]].focus:
            for before in between_tricks(deal):
                view = before.view((focus + 1) % SEATS, checked=False)
                yield log_ratio(view, focus, before.hands[focus], belief, chance)


def between_tricks(deal: Deal) -> Iterator[Deal]:
    """A finished hand as it was before the tricks that say something."""
    for over in TRICKS:
        later = deal.tricks[over:]
        hands = list(deal.hands)
        for trick in later:
            for seat, card in trick.plays:
                hands[seat] |= bit(card)
        now: dict[str, Any] = {"trick": Trick(later[0].leader), "tricks": deal.tricks[:over]}
        yield replace(deal, hands=tuple(hands), **now)


def log_ratio(view: View, seat: int, hand: CardSet, belief: Belief, chance: Belief) -> float:
    """How much likelier a seat's true hand is by one belief than by another, in nats."""
    rows = [index_of(card) for card in members(view.unseen)]
    held = np.array([bool(hand & bit(card)) for card in members(view.unseen)])
    logs = []
    for each in (belief, chance):
        holds = each.probabilities(view)[rows, seat].clip(_LEAST, 1 - _LEAST)
        logs.append(np.log(np.where(held, holds, 1 - holds)).sum())
    return float(logs[0] - logs[1])

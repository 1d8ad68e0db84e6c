"""How much a player's play reveals about its hand to an observer.

TSSR, the true state sampling ratio, is the probability of the true state by an observer's belief,
divided by its probability for a random dealer. Here the true state is one player's hand, the random
dealer knows the voids (OM-1), and the probability of a hand is the product over the hidden cards.
log TSSR is 0 if the observer learns nothing.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from hearts.arena.statistics import Interval, bootstrap
from hearts.arena.tournament import SEATINGS
from hearts.engine.beliefs import Belief, load_belief
from hearts.game.cards import SEATS, CardSet, bit, index_of, members
from hearts.game.deal import Deal
from hearts.game.records import parse_record
from hearts.game.trick import Trick
from hearts.views.view import View

BASELINE = "OM-1"
TRICKS = (2, 5, 8)  # the leak is measured after so many tricks
_LEAST = 1e-6  # probabilities are clipped to [_LEAST, 1 - _LEAST]


def leak(records: Sequence[Any], seats: str, observer: str, jobs: int = 1) -> Interval:
    """The mean log TSSR of the focus player's hand for the seat on its left, over deals.

    `records` are those of a tournament with the seatings `seats`.
    """
    load_belief(observer)  # fail early if it is not installed
    deals: dict[int, list[Any]] = defaultdict(list)
    for record in records:
        deals[record["deal"]].append(record)
    measure = delayed(_leak_of_deal)
    ratios = Parallel(n_jobs=jobs)(measure(each, seats, observer) for each in deals.values())
    return bootstrap(ratios)


def _leak_of_deal(records: Sequence[Any], seats: str, observer: str) -> float:
    belief, baseline = load_belief(observer), load_belief(BASELINE)
    ratios = []
    for record in records:
        deal = parse_record(record).deal
        for focus in SEATINGS[seats][record["seating"]]:
            for before in between_tricks(deal):
                view = View.of(before, (focus + 1) % SEATS, checked=False)
                ratios.append(log_ratio(view, focus, before.hands[focus], belief, baseline))
    return float(np.mean(ratios))


def between_tricks(deal: Deal) -> Iterator[Deal]:
    """A finished hand as it was after each of TRICKS."""
    for over in TRICKS:
        later = deal.tricks[over:]
        hands = list(deal.hands)
        for trick in later:
            for seat, card in trick.plays:
                hands[seat] |= bit(card)
        now: dict[str, Any] = {"trick": Trick(later[0].leader), "tricks": deal.tricks[:over]}
        yield replace(deal, hands=tuple(hands), **now)


def log_ratio(view: View, seat: int, hand: CardSet, belief: Belief, baseline: Belief) -> float:
    """The log ratio of the probabilities of a seat's true hand by two beliefs, in nats."""
    places = [index_of(card) for card in members(view.unseen)]
    held = np.array([bool(hand & bit(card)) for card in members(view.unseen)])
    logs = []
    for each in (belief, baseline):
        holds = each.probabilities(view)[places, seat].clip(_LEAST, 1 - _LEAST)
        logs.append(np.log(np.where(held, holds, 1 - holds)).sum())
    return float(logs[0] - logs[1])

"""How good a belief is: its probabilities and worlds beside the deals that really were.

Each trick of a recorded hand is looked at by one seat, when it is to play; the seats take turns.
Only cards count that more than one of the others may hold. What is said about cards of one hand
hangs together, so intervals come from drawing whole hands again (bootstrap).
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from time import process_time
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hearts.beliefs import Belief, Worlds
from hearts.cards import RANKS, SEATS, Card, CardSet, bit, index_of, members
from hearts.deal import Deal
from hearts.kernels.table import distinct
from hearts.records import Record
from hearts.trick import Hands
from hearts.view import View
from models.uniform import UniformBelief
from models.voids import VoidBelief

Floats = NDArray[np.float64]

JUDGED = range(2, 12)  # the tricks over which log-loss is averaged, counted from 1
LEAST = 1e-6  # a probability below this costs no more than this
DECILES = 10
BASELINE = "OM-1"  # what gains are counted from
REDRAWN = 1000  # times that hands are drawn again for an interval
COMPARED = 512  # worlds of OM-1 that the true deal is compared with
SAMPLED = 100  # worlds of the belief, for the effective number


@runtime_checkable
class Weighing(Protocol):
    """A belief that can say how likely one deal is beside another."""

    def log_weights(self, view: View, hands: NDArray[np.uint64], seed: int = 0) -> Floats:
        """The log of how likely worlds (n, 4) are, up to a constant."""
        ...


class HandSums:
    """What a belief said about one hand, added up."""

    def __init__(self) -> None:
        self.losses = np.zeros((2, RANKS + 1))  # by trick: log-losses of hidden cards, their number
        # by decile of what is stated: the probabilities, how many were so, how many there are
        self.deciles = np.zeros((3, DECILES))


@dataclass
class Scores:
    """What was found out about one belief."""

    hands: dict[int, HandSums] = field(default_factory=lambda: defaultdict(HandSums))
    briers: list[float] = field(default_factory=list)
    log_ratios: list[float] = field(default_factory=list)  # of each view, see `log_ratio`
    effective: list[float] = field(default_factory=list)  # worlds
    seconds: float = 0.0  # CPU, in `probabilities`

    def add(self, sight: "Sight", stated: Floats) -> None:
        """Add the probabilities (52, 4) that were stated in one view."""
        rows, true = beside_truth(stated, sight)
        losses, sums = log_losses(rows, true), self.hands[sight.number]
        sums.losses[:, sight.trick] += losses.sum(), len(losses)
        if sight.trick in JUDGED:
            self.briers.extend(np.square(rows - true).sum(axis=1).tolist())
            allowed = [sight.view.possible[seat] for seat in sight.view.others]
            possible = np.array([[bool(cards & bit(c)) for cards in allowed] for c in sight.hidden])
            decile = np.minimum((rows[possible] * DECILES).astype(int), DECILES - 1)
            for line, values in zip(sums.deciles, (rows, true, possible), strict=True):
                line += np.bincount(decile, values[possible], DECILES)

    @property
    def by_trick(self) -> dict[int, float]:
        """The mean log-loss of a hidden card, in nats."""
        losses, cards = self._losses.sum(axis=0)
        return {int(t): float(losses[t] / cards[t]) for t in np.flatnonzero(cards)}

    @property
    def log_loss(self) -> float:
        """The mean over the judged tricks."""
        return float(np.mean([loss for trick, loss in self.by_trick.items() if trick in JUDGED]))

    @cached_property
    def redrawn(self) -> Floats:
        """The log-loss after drawing hands again, many times."""
        losses, cards = np.tensordot(_draws(len(self.hands)), self._losses, 1).swapaxes(0, 1)
        judged = slice(JUDGED.start, JUDGED.stop)
        losses, cards = losses[:, judged], cards[:, judged]
        found: Floats = np.nanmean(losses / np.where(cards > 0, cards, np.nan), axis=1)
        return found

    @property
    def calibration(self) -> list[dict[str, float]]:
        """For each tenth of stated probabilities what was stated, and how often it was so.

        `error` is the standard error of the difference.
        """
        sums = np.array([hand.deciles for hand in self.hands.values()])
        drawn = np.tensordot(_draws(len(sums)), sums, 1)
        rows = []
        for decile in np.flatnonzero(sums[:, 2].sum(axis=0)):
            stated, true, number = sums[:, :, decile].sum(axis=0)
            again = drawn[drawn[:, 2, decile] > 0, :, decile]
            rows.append(
                {
                    "from": float(decile / DECILES),
                    "to": float((decile + 1) / DECILES),
                    "stated": float(stated / number),
                    "true": float(true / number),
                    "number": int(number),
                    "error": float(np.std((again[:, 1] - again[:, 0]) / again[:, 2])),
                }
            )
        return rows

    @property
    def _losses(self) -> Floats:
        """By hand: the sums of losses, and their number, by trick (hands, 2, 14)."""
        return np.array([hand.losses for hand in self.hands.values()])

    def as_object(self) -> dict[str, Any]:
        """The figures as JSON has them."""
        return {
            "log_loss": self.log_loss,
            "log_loss_interval": interval(self.redrawn),
            "by_trick": {str(trick): loss for trick, loss in self.by_trick.items()},
            "brier": float(np.mean(self.briers)),
            "calibration": self.calibration,
            "tssr": {
                "mean": float(np.mean(np.exp(self.log_ratios))),
                "median_log": float(np.median(self.log_ratios)),
            },
            "effective_worlds": float(np.mean(self.effective)),
            "ms_per_view": 1000 * self.seconds / len(self.log_ratios),
        }


def interval(drawn: Floats) -> list[float]:
    """Between which numbers the middle 95% are."""
    low, high = np.percentile(drawn, [2.5, 97.5])
    return [float(low), float(high)]


@cache
def _draws(hands: int) -> Floats:
    """How often each hand is drawn (REDRAWN, hands), the same for every belief."""
    even = np.full(hands, 1 / hands)
    return np.random.default_rng(0).multinomial(hands, even, REDRAWN).astype(np.float64)


@dataclass(frozen=True)
class Sight:
    """One seat's view of a trick, and the truth that it does not see."""

    view: View
    hands: Hands
    trick: int  # from 1
    number: int = 0  # of the hand

    @property
    def hidden(self) -> list[Card]:
        """The cards that more than one of the others may hold."""
        a, b, c = (self.view.possible[seat] for seat in self.view.others)
        return list(members(a & b | a & c | b & c))


def sights(record: Record, number: int) -> Iterator[Sight]:
    """A view of every trick in which something is hidden; `number` decides who looks first."""
    deal = record.deal
    for trick in range(min(len(deal.tricks), RANKS)):
        place = (number + trick) % SEATS
        before = rewound(deal, trick * SEATS + place)
        sight = Sight(before.view(before.trick.turn), before.hands, trick + 1, number)
        if sight.hidden:
            yield sight


def rewound(deal: Deal, cards: int) -> Deal:
    """A hand as it was after so many cards."""
    first = (*deal.tricks, deal.trick)[0].leader
    before = Deal.of(deal.rules, deal.dealt, deal.direction, first)
    for seat in range(SEATS) if before.passing else ():
        before = before.give(seat, deal.passes[seat])
    for seat, card in list(deal.plays)[:cards]:
        before = before.play(card, seat)
    return before


def neutralised(record: Record, rng: np.random.Generator) -> Record:
    """The record with every card replaced by a random one of those equal to it in its hand.

    What is played later changes places with it, so that the hand goes as it went.
    """
    deal = rewound(record.deal, 0)
    stand_in: list[dict[Card, Card]] = [{} for _ in range(SEATS)]
    for seat, recorded in record.deal.plays:
        card = stand_in[seat].pop(recorded, recorded)
        other = int(rng.choice(list(members(_equal_to(deal, card)))))
        if other != card:
            original = next((c for c, now in stand_in[seat].items() if now == other), other)
            stand_in[seat][original] = card
        deal = deal.play(other, seat)
    return Record.of(deal, record.id, record.source, **record.extra)


def _equal_to(deal: Deal, card: Card) -> CardSet:
    """The legal cards that are equal in play to one of them, itself included."""
    in_play = deal.trick.cards_set
    for hand in deal.hands:
        in_play |= hand
    lowest = int(distinct(np.uint64(deal.legal), np.uint64(in_play)))
    group = 0
    for each in members(deal.legal):
        if lowest & bit(each):
            if group & bit(card):
                break
            group = 0
        group |= bit(each)
    return group


def judge(belief: Belief, sight: Sight, scores: Scores, rng: np.random.Generator) -> None:
    """Add what a belief says about one view."""
    begun = process_time()
    stated = belief.probabilities(sight.view)
    scores.seconds += process_time() - begun
    scores.add(sight, stated)
    scores.log_ratios.append(log_ratio(belief, sight, stated, rng))
    scores.effective.append(_effective(belief.sample(sight.view, SAMPLED, rng)))


def beside_truth(stated: Floats, sight: Sight) -> tuple[Floats, NDArray[np.bool_]]:
    """What is stated of the hidden cards at the others' seats (cards, 3), and where they are."""
    hidden, others = sight.hidden, list(sight.view.others)
    true = [[bool(sight.hands[seat] & bit(card)) for seat in others] for card in hidden]
    return stated[[index_of(card) for card in hidden]][:, others], np.array(true)


def log_losses(rows: Floats, true: NDArray[np.bool_]) -> Floats:
    """The log-loss of each hidden card, in nats."""
    return np.asarray(-np.log(np.maximum(rows[true], LEAST)))


def log_ratio(belief: Belief, sight: Sight, stated: Floats, rng: np.random.Generator) -> float:
    """The log of how many times likelier the true deal is than under OM-1, estimated.

    Where a belief does not weigh deals, a deal is as likely as the product of its cards' places.
    """
    if isinstance(belief, VoidBelief | UniformBelief):
        return 0.0
    worlds = VoidBelief().sample(sight.view, COMPARED, rng).hands
    truth = np.tile(np.array(sight.hands, dtype=np.uint64), (COMPARED, 1))
    if isinstance(belief, Weighing):
        logs = belief.log_weights(sight.view, np.concatenate([truth, worlds]))
    else:
        logs = _log_products(stated, np.concatenate([truth, worlds]))
    top = float(logs.max())
    likely = np.exp(logs - top)
    return math.log(likely[:COMPARED].mean()) - math.log(likely[COMPARED:].mean())


def _log_products(stated: Floats, hands: NDArray[np.uint64]) -> Floats:
    logs = np.log(np.maximum(stated, LEAST))
    total = np.zeros(len(hands))
    for seat in range(SEATS):
        for suit in range(SEATS):
            for rank in range(RANKS):
                has = hands[:, seat] >> np.uint64(16 * suit + rank) & np.uint64(1)
                total += has * logs[suit * RANKS + rank, seat]
    return total


def _effective(worlds: Worlds) -> float:
    """The effective number of worlds, equal ones counted as one."""
    _, place = np.unique(worlds.hands, axis=0, return_inverse=True)
    return float(1 / np.square(np.bincount(place.ravel(), worlds.weights)).sum())


def figures(hands: int, views: int, found: Mapping[str, Scores]) -> dict[str, Any]:
    """All figures as JSON has them; gains are shares of the log-loss of the baseline."""
    models = {name: scores.as_object() for name, scores in found.items()}
    if BASELINE in found:
        base = found[BASELINE]
        for name, scores in found.items():
            models[name]["gain"] = 1 - scores.log_loss / base.log_loss
            models[name]["gain_interval"] = interval(1 - scores.redrawn / base.redrawn)
    return {"hands": hands, "views": views, "models": models}


def table(found: Mapping[str, Scores]) -> str:
    """The figures for people."""
    models = figures(0, 0, found)["models"]
    tricks: Sequence[int] = sorted({t for scores in found.values() for t in scores.by_trick})
    head = f"{'':<12}{'log-loss':>9}{'gain':>7}{'95%':>15}{'Brier':>8}{'TSSR':>9}{'median':>8}"
    lines = [f"{head}{'worlds':>8}{'ms':>8}"]
    for name, got in models.items():
        low, high = got.get("gain_interval", (math.nan, math.nan))
        lines.append(
            f"{name:<12}{got['log_loss']:9.4f}{got.get('gain', math.nan):7.1%}{low:8.1%}{high:7.1%}"
            f"{got['brier']:8.4f}{got['tssr']['mean']:9.2f}{got['tssr']['median_log']:8.2f}"
            f"{got['effective_worlds']:8.1f}{got['ms_per_view']:8.2f}"
        )
    lines += ["", "log-loss by trick", f"{'':<12}" + "".join(f"{trick:>7}" for trick in tricks)]
    for name, scores in found.items():
        by_trick = scores.by_trick
        lines.append(f"{name:<12}" + "".join(f"{by_trick.get(t, math.nan):7.3f}" for t in tricks))
    lines += ["", "calibration: stated, true, standard error of the difference, number"]
    for name, got in models.items():
        lines += [
            f"{name:<12}{row['stated']:7.1%}{row['true']:8.1%}{row['error']:8.1%}{row['number']:9.0f}"
            for row in got["calibration"]
        ]
    return "\n".join(lines)

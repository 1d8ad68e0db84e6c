"""How good a belief is: its probabilities and worlds beside the deals that really were.

Each trick of a recorded hand is looked at by one seat, when it is to play; the seats take turns.
Only cards count that more than one of the others may hold. What is said about cards of one hand
hangs together, so intervals come from drawing whole hands again (bootstrap).
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from time import process_time
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Belief, Worlds
from hearts.game.cards import RANKS, SEATS, Card, CardSet, bit, index_of, members
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.game.trick import Hands
from hearts.kernels.core.state import distinct
from hearts.views.view import View
from models.deals import Deals
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


@runtime_checkable
class Counting(Protocol):
    """A belief by which some deals are equally likely, and no others."""

    def deals(self, view: View) -> Deals:
        """These deals."""
        ...


class HandSums:
    """What a belief said about one hand, added up."""

    def __init__(self) -> None:
        # by trick: log-losses and squared errors of hidden cards, and their number
        self.losses = np.zeros((3, RANKS + 1))
        # by decile of what is stated: the probabilities, how many were so, how many there are
        self.deciles = np.zeros((3, DECILES))


class Look(NamedTuple):
    """What a belief was like in one view."""

    log_ratio: float  # see `log_ratio`
    effective: float  # worlds
    ms: float  # CPU, in `probabilities`


@dataclass
class Scores:
    """What was found out about one belief."""

    hands: dict[int, HandSums] = field(default_factory=lambda: defaultdict(HandSums))
    looks: dict[int, list[Look]] = field(default_factory=lambda: defaultdict(list))  # by trick

    def add(self, sight: "Sight", stated: Floats) -> None:
        """Add the probabilities (52, 4) that were stated in one view."""
        rows, true = beside_truth(stated, sight)
        losses, sums = log_losses(rows, true), self.hands[sight.number]
        squares = np.square(rows - true)
        sums.losses[:, sight.trick] += losses.sum(), squares.sum(), len(losses)
        if sight.trick in JUDGED:
            allowed = [sight.view.possible[seat] for seat in sight.view.others]
            possible = np.array([[bool(cards & bit(c)) for cards in allowed] for c in sight.hidden])
            decile = np.minimum((rows[possible] * DECILES).astype(int), DECILES - 1)
            for line, values in zip(sums.deciles, (rows, true, possible), strict=True):
                line += np.bincount(decile, values[possible], DECILES)

    @property
    def is_judged(self) -> bool:
        """Whether something was said about the tricks that count."""
        return any(hand.losses[-1, JUDGED].any() for hand in self.hands.values())

    @property
    def by_trick(self) -> dict[int, float]:
        """The mean log-loss of a hidden card, in nats."""
        losses, _, cards = self._losses.sum(axis=0)
        return {int(t): float(losses[t] / cards[t]) for t in np.flatnonzero(cards)}

    @property
    def log_loss(self) -> float:
        """The mean over the judged tricks."""
        return float(np.mean([loss for trick, loss in self.by_trick.items() if trick in JUDGED]))

    @property
    def tricks(self) -> list[dict[str, Any]]:
        """All figures of each trick."""
        _, squares, cards = self._losses.sum(axis=0)
        rows = []
        for trick, loss in self.by_trick.items():
            brier = float(squares[trick] / cards[trick])
            about = {"trick": trick, "log_loss": loss, "brier": brier}
            rows.append(about | _about_looks(self.looks[trick]))
        return rows

    @cached_property
    def redrawn(self) -> Floats:
        """The log-loss after drawing hands again, many times."""
        losses, _, cards = np.tensordot(_draws(len(self.hands)), self._losses, 1).swapaxes(0, 1)
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
        """By hand: the sums of losses and squares, and their number, by trick (hands, 3, 14)."""
        return np.array([hand.losses for hand in self.hands.values()])

    def as_object(self) -> dict[str, Any]:
        """The figures as JSON has them."""
        _, squares, cards = self._losses[:, :, JUDGED.start : JUDGED.stop].sum(axis=(0, 2))
        return {
            "log_loss": self.log_loss,
            "log_loss_interval": interval(self.redrawn),
            "by_trick": {str(trick): loss for trick, loss in self.by_trick.items()},
            "brier": float(squares / cards),
            "calibration": self.calibration,
            **_about_looks([look for looks in self.looks.values() for look in looks]),
            "tricks": self.tricks,
        }


def _about_looks(looks: Sequence[Look]) -> dict[str, Any]:
    """TSSR, worlds and time of some views."""
    ratios, effective, ms = np.array(looks).T
    return {
        "tssr": {"mean": float(np.exp(ratios).mean()), "median_log": float(np.median(ratios))},
        "effective_worlds": float(effective.mean()),
        "ms_per_view": float(ms.mean()),
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
        sight = Sight(View.of(before, before.trick.turn), before.hands, trick + 1, number)
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
    ms = 1000 * (process_time() - begun)
    scores.add(sight, stated)
    ratio = log_ratio(belief, sight, stated, rng)
    effective = _effective(belief.sample(sight.view, SAMPLED, rng))
    scores.looks[sight.trick].append(Look(ratio, effective, ms))


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

    A belief that counts deals thinks them equally likely. Where another one does not weigh deals, a
    deal is as likely as the product of its cards' places.
    """
    if isinstance(belief, Counting):
        return math.log(VoidBelief().deals(sight.view).number / belief.deals(sight.view).number)
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


_BY_TRICK: dict[str, Callable[[dict[str, Any]], float]] = {
    "log-loss": lambda row: row["log_loss"],
    "Brier": lambda row: row["brier"],
    "TSSR, median log": lambda row: row["tssr"]["median_log"],
    "worlds of 100 in effect": lambda row: row["effective_worlds"],
    "ms": lambda row: row["ms_per_view"],
}


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
    for title, figure in _BY_TRICK.items():
        lines += ["", f"{title} by trick", f"{'':<12}" + "".join(f"{trick:>7}" for trick in tricks)]
        for name, got in models.items():
            of_trick = {row["trick"]: figure(row) for row in got["tricks"]}
            shown = (f"{of_trick.get(trick, math.nan):7.3f}" for trick in tricks)
            lines.append(f"{name:<12}{''.join(shown)}")
    lines += ["", "calibration: stated, true, standard error of the difference, number"]
    for name, got in models.items():
        lines += [
            f"{name:<12}{row['stated']:7.1%}{row['true']:8.1%}{row['error']:8.1%}{row['number']:9.0f}"
            for row in got["calibration"]
        ]
    return "\n".join(lines)

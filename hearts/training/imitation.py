"""How the odds of softmax playouts are learned: from what somebody who thinks longer has played.

The odds of a candidate are e to the power of a score; the score is a sum of what each class of the
moment adds to it by itself, and of what all classes together add, which costs more (a quadratic
penalty): so that moments that were seen often have odds of their own, and rare ones sensible odds.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.state import rules_word, state_of
from hearts.game.deal import Deal, moments
from hearts.game.errors import InvalidRecord
from hearts.kernels.playouts.candidates import (
    FOLLOW_CANDIDATES,
    FOLLOW_CLASSES,
    FOLLOW_HELD,
    LEAD_CANDIDATES,
    LEAD_CLASSES,
    VOID_CANDIDATES,
    VOID_CLASSES,
    VOID_HELD,
)
from hearts.kernels.playouts.imitation import FOLLOW, LEAD, UNUSUAL, VOID, WIDTH, list_decisions
from hearts.training.minimize import Floats, Loss, minimize

Ints = NDArray[np.int64]

PENALTY = 0.1  # of what a class adds by itself
TOGETHER = 1.0  # of what the classes together add
STEPS = 200  # of the minimizer
CERTAIN = 1 << 15  # what the odds of follows and voids add up to
SUITS, STATE_WORDS = 4, 8
MOST_LEAD = 1 << 31  # the largest odds of a lead
# The odds are taken to this power: few classes make them softer than the teacher's cards are.
SHARPNESS = 2.0
NEVER = -1e9  # the score of what is not there


@dataclass(frozen=True)
class Scores:
    """Scores of all candidates in all classes of one phase, as a function of free weights."""

    classes: Mapping[str, int]
    candidates: int

    @property
    def size(self) -> int:
        """How many classes there are in all."""
        return prod(self.classes.values())

    @cached_property
    def places(self) -> Ints:
        """The class of each kind (kinds, size) that belongs to each class of all kinds together."""
        shape = tuple(self.classes.values())
        first = np.cumsum((0, *shape[:-1]))
        return np.asarray(np.indices(shape).reshape(len(shape), -1) + first[:, None])

    @property
    def alone(self) -> int:
        """How many rows of weights belong to classes by themselves; the others follow them."""
        return sum(self.classes.values())

    @property
    def start(self) -> Floats:
        """No preferences."""
        return np.zeros((self.alone + self.size) * self.candidates)

    def of(self, weights: Floats) -> Floats:
        """The scores (size, candidates)."""
        rows = weights.reshape(-1, self.candidates)
        return np.asarray(rows[self.places].sum(axis=0) + rows[self.alone :])

    def slope(self, scores: Floats) -> Floats:
        """The slope of the weights, from that of the scores."""
        alone = np.zeros((self.alone, self.candidates))
        for places in self.places:
            np.add.at(alone, places, scores)
        return np.concatenate([alone, scores]).ravel()

    def penalty(self, weights: Floats) -> tuple[float, Floats]:
        """What large weights cost, and its slope."""
        each = np.full(len(weights), TOGETHER)
        each[: self.alone * self.candidates] = PENALTY
        return 0.5 * float(each @ weights**2), each * weights


LEADS = Scores(LEAD_CLASSES, LEAD_CANDIDATES)
FOLLOWS = Scores(FOLLOW_CLASSES, FOLLOW_CANDIDATES)
VOIDS = Scores(VOID_CLASSES, VOID_CANDIDATES)


def follow_candidates() -> NDArray[np.bool_]:
    """Which candidates (9, 4) there are to follow with, by how many cards duck and win."""
    ducking, winning = np.indices(FOLLOW_HELD).reshape(2, -1)
    return np.stack([ducking > 0, ducking > 1, winning > 0, winning > 1], axis=1)


def void_candidates() -> NDArray[np.bool_]:
    """Which candidates (16, 5) there are for a void, by the bits of what is held."""
    bits = np.arange(prod(VOID_HELD))[:, None] >> np.array([0, 1, 2, 3, 3]) & 1
    return np.asarray(bits, dtype=np.bool_)


def decisions(deals: Iterable[Deal]) -> Ints:
    """What was chosen in some hands (n, WIDTH): see hearts.kernels.playouts.imitation."""
    found = [np.zeros((0, WIDTH), dtype=np.int64)]
    for number, deal in enumerate(deals):
        if not deal.rules.usual_scoring:
            raise InvalidRecord(f"hand {number}: rules", "the scoring is not the usual one")
        plays = [(state_of(now), card) for now, _, card in moments(deal) if not now.passing]
        rows = np.zeros((len(plays), WIDTH), dtype=np.int64)
        states = np.array([state for state, _ in plays], dtype=np.uint64).reshape(-1, STATE_WORDS)
        played = np.array([card for _, card in plays], dtype=np.uint64)
        n = list_decisions(states, played, rules_word(deal.rules), rows)
        found.append(rows[:n])
    return np.concatenate(found)


@dataclass(frozen=True)
class Learned:
    """The odds of softmax playouts, and how surprising what they were learned from was."""

    lead: NDArray[np.uint64]
    follow: NDArray[np.uint64]
    void: NDArray[np.uint64]
    surprise: Mapping[str, float]  # nats of a decision by phase, before odds are sharpened
    decisions: int
    unusual: float  # share of the decisions that chose no candidate, and were left out

    def save(self, path: Path, command: str) -> None:
        """Write the odds as the playouts read them, and the command that made them."""
        odds = {"lead": self.lead, "follow": self.follow, "void": self.void}
        # Whoever imports the kernels reads the file: it is there as a whole or as it was.
        new = path.with_name(f"{path.name}.new")
        with new.open("wb") as file:
            np.savez_compressed(file, command=np.array(command), **odds)  # type: ignore[arg-type]  # allow_pickle is no array
        new.replace(path)


def learn(rows: Ints) -> Learned:
    """Learn from decisions (n, WIDTH)."""
    if not len(rows):
        raise InvalidRecord("plays", "there is no card that was chosen among several")
    usual = rows[rows[:, 1] != UNUSUAL]
    leads, follows, voids = (usual[usual[:, 0] == phase] for phase in (LEAD, FOLLOW, VOID))
    lead, led = _fitted(LEADS, lead_loss(leads), len(leads))
    to_follow, to_void = follow_candidates(), void_candidates()
    follow, followed = _fitted(FOLLOWS, held_loss(follows, FOLLOWS, to_follow), len(follows))
    void, thrown = _fitted(VOIDS, held_loss(voids, VOIDS, to_void), len(voids))
    return Learned(
        lead=_lead_odds(SHARPNESS * lead),
        follow=_held_odds(SHARPNESS * follow, to_follow),
        void=_held_odds(SHARPNESS * void, to_void),
        surprise={"lead": led, "follow": followed, "void": thrown},
        decisions=len(rows),
        unusual=1 - len(usual) / len(rows),
    )


def _fitted(scores: Scores, loss: Loss, n: int) -> tuple[Floats, float]:
    """The scores with the least loss, and their mean surprise in `n` decisions."""

    def total(weights: Floats) -> tuple[float, Floats]:
        value, slope = loss(scores.of(weights))
        cost, own = scores.penalty(weights)
        return value + cost, scores.slope(slope) + own

    found = scores.of(minimize(total, scores.start, most=STEPS))
    return found, loss(found)[0] / max(n, 1)


def held_loss(rows: Ints, scores: Scores, held: NDArray[np.bool_]) -> Loss:
    """The surprise of follows or voids as a function of the scores, and its slope."""
    counts = np.zeros((scores.size, len(held), scores.candidates))
    np.add.at(counts, (rows[:, 2], rows[:, 3], rows[:, 1]), 1)
    totals = counts.sum(axis=2, keepdims=True)

    def loss(given: Floats) -> tuple[float, Floats]:
        logs = _log_softmax(np.where(held, given[:, None], NEVER))
        slope = totals * np.exp(logs) - counts
        return -float((counts * logs)[counts > 0].sum()), slope.sum(axis=1)

    return loss


def lead_loss(rows: Ints) -> Loss:
    """The surprise of leads as a function of the scores, and its slope."""
    n, suits = len(rows), rows[:, 2:]
    place, missing = np.maximum(suits, 0), suits < 0
    chosen = np.arange(n), rows[:, 1]

    def loss(given: Floats) -> tuple[float, Floats]:
        offered = np.where(missing[..., None], NEVER, given[place])
        logs = _log_softmax(offered.reshape(n, SUITS * LEAD_CANDIDATES))
        slope = np.exp(logs)
        slope[chosen] -= 1
        result = np.zeros_like(given)
        np.add.at(result, place, slope.reshape(offered.shape))
        return -float(logs[chosen].sum()), result

    return loss


def _log_softmax(scores: Floats) -> Floats:
    top = scores.max(axis=-1, keepdims=True)
    return np.asarray(scores - top - np.log(np.exp(scores - top).sum(axis=-1, keepdims=True)))


def _held_odds(scores: Floats, held: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """The sums of odds, four of 15 bits in a word, for every class and what is held."""
    chances = np.exp(_log_softmax(np.where(held, scores[:, None], NEVER)))
    sums = np.rint(np.cumsum(chances, axis=2) * CERTAIN).astype(np.uint64)
    # A fifth candidate is chosen where none of the first four is.
    shifts = np.arange(0, 64, 16, dtype=np.uint64)
    packed = np.bitwise_or.reduce(sums[..., :4] << shifts, axis=2)
    return np.asarray(packed.ravel(), dtype=np.uint64)


def _lead_odds(scores: Floats) -> NDArray[np.uint64]:
    """The odds of lowest and highest card; 1 at least, so that something can be led.

    They compete at the same moment only, so the largest of each moment has all bits.
    """
    around = LEAD_CLASSES["moon"] * LEAD_CLASSES["stage"]
    top = scores.reshape(around, -1).max(axis=1)
    odds = MOST_LEAD * np.exp(scores - np.repeat(top, LEADS.size // around)[:, None])
    whole = np.maximum(np.rint(odds), 1).astype(np.uint64)
    return np.asarray(whole[:, 0] | whole[:, 1] << np.uint64(32), dtype=np.uint64)

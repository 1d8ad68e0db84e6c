"""Imitation learning: fits the tables of softmax playouts to games of a stronger player.

A conditional logit model (McFadden 1974) for each phase of play: the probability of a candidate is
proportional to e^logit. A logit is the sum of a main effect of each class of the situation and of
an interaction effect of all classes together. An L2 penalty, larger on interactions, makes frequent
situations specific and lets rare ones fall back on the main effects.
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
from hearts.training.lbfgs import Floats, Loss, minimize

Ints = NDArray[np.int64]
Table = NDArray[np.uint64]  # one word per class: see hearts.kernels.playouts.softmax

MAIN_PENALTY = 0.1  # L2 penalty of main effects
INTERACTION_PENALTY = 1.0
MAX_ITERATIONS = 200
CERTAIN = 1 << 15  # the end of a cumulative distribution
MAX_LEAD_WEIGHT = 1 << 31
SUITS, STATE_WORDS = 4, 8
# Factor of the logits: with few classes the fit is less decided than the teacher.
SHARPNESS = 2.0
NEVER = -1e9  # the logit of a missing candidate


@dataclass(frozen=True)
class LogitModel:
    """Logits of all candidates in all classes of one phase, linear in the weights."""

    classes: Mapping[str, int]  # each with its number of values
    candidates: int

    @property
    def size(self) -> int:
        """The number of combinations of classes."""
        return prod(self.classes.values())

    @property
    def main_effects(self) -> int:
        """The number of weights of main effects per candidate; interactions follow them."""
        return sum(self.classes.values())

    @cached_property
    def effect_indices(self) -> Ints:
        """The indices (classes, size) of the main effects of each combination."""
        shape = tuple(self.classes.values())
        first = np.cumsum((0, *shape[:-1]))
        return np.asarray(np.indices(shape).reshape(len(shape), -1) + first[:, None])

    @property
    def start(self) -> Floats:
        """Weights of zero: all candidates are equally likely."""
        return np.zeros((self.main_effects + self.size) * self.candidates)

    def logits(self, weights: Floats) -> Floats:
        """The logits (size, candidates)."""
        effects = weights.reshape(-1, self.candidates)
        return np.asarray(effects[self.effect_indices].sum(axis=0) + effects[self.main_effects :])

    def gradient(self, by_logits: Floats) -> Floats:
        """The gradient with respect to the weights, from that with respect to the logits."""
        main = np.zeros((self.main_effects, self.candidates))
        for indices in self.effect_indices:
            np.add.at(main, indices, by_logits)
        return np.concatenate([main, by_logits]).ravel()

    def penalty(self, weights: Floats) -> tuple[float, Floats]:
        """The L2 penalty and its gradient."""
        factors = np.full(len(weights), INTERACTION_PENALTY)
        factors[: self.main_effects * self.candidates] = MAIN_PENALTY
        return 0.5 * float(factors @ weights**2), factors * weights


LEADS = LogitModel(LEAD_CLASSES, LEAD_CANDIDATES)
FOLLOWS = LogitModel(FOLLOW_CLASSES, FOLLOW_CANDIDATES)
VOIDS = LogitModel(VOID_CLASSES, VOID_CANDIDATES)


def follow_candidates() -> NDArray[np.bool_]:
    """Which candidates (9, 4) exist when following, by the numbers of ducking and winning cards."""
    ducking, winning = np.indices(FOLLOW_HELD).reshape(2, -1)
    return np.stack([ducking > 0, ducking > 1, winning > 0, winning > 1], axis=1)


def void_candidates() -> NDArray[np.bool_]:
    """Which candidates (16, 5) exist when void, by the bits of what is held."""
    bits = np.arange(prod(VOID_HELD))[:, None] >> np.array([0, 1, 2, 3, 3]) & 1
    return np.asarray(bits, dtype=np.bool_)


def decisions_of(deals: Iterable[Deal]) -> Ints:
    """The decisions (n, WIDTH) of some hands: see hearts.kernels.playouts.imitation."""
    found = [np.zeros((0, WIDTH), dtype=np.int64)]
    for number, deal in enumerate(deals):
        if not deal.rules.usual_scoring:
            raise InvalidRecord(f"hand {number}: rules", "the scoring is not the usual one")
        found.append(_decisions_of_hand(deal))
    return np.concatenate(found)


def _decisions_of_hand(deal: Deal) -> Ints:
    plays = [(state_of(now), card) for now, _, card in moments(deal) if not now.passing]
    states = np.array([state for state, _ in plays], dtype=np.uint64).reshape(-1, STATE_WORDS)
    cards = np.array([card for _, card in plays], dtype=np.uint64)
    decisions = np.zeros((len(plays), WIDTH), dtype=np.int64)
    n = list_decisions(states, cards, rules_word(deal.rules), decisions)
    return decisions[:n]


@dataclass(frozen=True)
class SoftmaxTables:
    """The tables of softmax playouts, and how well they fit."""

    lead: Table
    follow: Table
    void: Table
    log_loss: Mapping[str, float]  # negative log-likelihood in nats per decision, unsharpened
    decisions: int
    unusual: float  # share of the decisions that chose no candidate and were left out

    def save(self, path: Path, command: str) -> None:
        """Write the tables and the command that made them; playouts read this file."""
        tables = {"lead": self.lead, "follow": self.follow, "void": self.void}
        # Importing the kernels reads this file, so it is replaced as a whole.
        new = path.with_name(f"{path.name}.new")
        with new.open("wb") as file:
            np.savez_compressed(file, command=np.array(command), **tables)  # type: ignore[arg-type]  # mypy takes **tables for allow_pickle
        new.replace(path)


def fit_tables(decisions: Ints) -> SoftmaxTables:
    """Fit the tables to decisions (n, WIDTH)."""
    if not len(decisions):
        raise InvalidRecord("plays", "no card was chosen among several")
    usual = decisions[decisions[:, 1] != UNUSUAL]
    leads, follows, voids = (usual[usual[:, 0] == phase] for phase in (LEAD, FOLLOW, VOID))
    to_follow, to_void = follow_candidates(), void_candidates()
    lead, lead_nll = _fitted(LEADS, lead_loss(leads), len(leads))
    follow, follow_nll = _fitted(FOLLOWS, held_loss(follows, FOLLOWS, to_follow), len(follows))
    void, void_nll = _fitted(VOIDS, held_loss(voids, VOIDS, to_void), len(voids))
    return SoftmaxTables(
        lead=_lead_weights(SHARPNESS * lead),
        follow=_cumulative(SHARPNESS * follow, to_follow),
        void=_cumulative(SHARPNESS * void, to_void),
        log_loss={"lead": lead_nll, "follow": follow_nll, "void": void_nll},
        decisions=len(decisions),
        unusual=1 - len(usual) / len(decisions),
    )


def _fitted(model: LogitModel, loss: Loss, n: int) -> tuple[Floats, float]:
    """The logits with the least penalised loss, and their mean loss over `n` decisions."""

    def penalised(weights: Floats) -> tuple[float, Floats]:
        value, by_logits = loss(model.logits(weights))
        penalty, gradient = model.penalty(weights)
        return value + penalty, model.gradient(by_logits) + gradient

    logits = model.logits(minimize(penalised, model.start, max_iterations=MAX_ITERATIONS))
    return logits, loss(logits)[0] / max(n, 1)


def held_loss(decisions: Ints, model: LogitModel, held: NDArray[np.bool_]) -> Loss:
    """The negative log-likelihood of follows or voids as a function of the logits."""
    counts = np.zeros((model.size, len(held), model.candidates))
    np.add.at(counts, (decisions[:, 2], decisions[:, 3], decisions[:, 1]), 1)
    totals = counts.sum(axis=2, keepdims=True)

    def loss(logits: Floats) -> tuple[float, Floats]:
        log_policy = _log_softmax(np.where(held, logits[:, None], NEVER))
        gradient = totals * np.exp(log_policy) - counts
        return -float((counts * log_policy)[counts > 0].sum()), gradient.sum(axis=1)

    return loss


def lead_loss(decisions: Ints) -> Loss:
    """The negative log-likelihood of leads as a function of the logits."""
    n, suits = len(decisions), decisions[:, 2:]
    index, missing = np.maximum(suits, 0), suits < 0
    chosen = np.arange(n), decisions[:, 1]

    def loss(logits: Floats) -> tuple[float, Floats]:
        offered = np.where(missing[..., None], NEVER, logits[index])
        log_policy = _log_softmax(offered.reshape(n, SUITS * LEAD_CANDIDATES))
        by_offered = np.exp(log_policy)
        by_offered[chosen] -= 1
        gradient = np.zeros_like(logits)
        np.add.at(gradient, index, by_offered.reshape(offered.shape))
        return -float(log_policy[chosen].sum()), gradient

    return loss


def _log_softmax(logits: Floats) -> Floats:
    top = logits.max(axis=-1, keepdims=True)
    return np.asarray(logits - top - np.log(np.exp(logits - top).sum(axis=-1, keepdims=True)))


def _cumulative(logits: Floats, held: NDArray[np.bool_]) -> Table:
    """Cumulative distributions by class and by what is held: four numbers of 15 bits in a word."""
    policy = np.exp(_log_softmax(np.where(held, logits[:, None], NEVER)))
    ends = np.rint(np.cumsum(policy, axis=2) * CERTAIN).astype(np.uint64)
    # The fifth candidate gets the rest.
    shifts = np.arange(0, 64, 16, dtype=np.uint64)
    packed = np.bitwise_or.reduce(ends[..., :4] << shifts, axis=2)
    return np.asarray(packed.ravel(), dtype=np.uint64)


def _lead_weights(logits: Floats) -> Table:
    """The weights of the lowest and the highest card, at least 1, so that a card can be led.

    Only weights of the same moon and stage compete, so the largest of these uses all bits.
    """
    groups = LEAD_CLASSES["moon"] * LEAD_CLASSES["stage"]
    top = logits.reshape(groups, -1).max(axis=1)
    weights = MAX_LEAD_WEIGHT * np.exp(logits - np.repeat(top, LEADS.size // groups)[:, None])
    rounded = np.maximum(np.rint(weights), 1).astype(np.uint64)
    return np.asarray(rounded[:, 0] | rounded[:, 1] << np.uint64(32), dtype=np.uint64)

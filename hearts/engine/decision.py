"""What a search decided, with the figures that say why."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hearts.engine.config import SearchConfig
from hearts.engine.difference import EQUAL, Difference, difference
from hearts.engine.explain import explain
from hearts.engine.search.result import Findings
from hearts.game.cards import Card, bit, members, name
from hearts.kernels.core import statistics as column
from hearts.views.view import View


@dataclass(frozen=True)
class CardFigures:
    """What the search found out about one legal card; cards that are equal in play share it."""

    card: Card
    votes: float  # worlds whose own best move it is, weighted
    visits: int  # simulations that began with it
    points: float  # mean points of this hand
    points_error: float  # standard error of that mean
    queen: float  # chance to take the queen of spades
    moon: float  # chance to shoot the moon
    moon_against: float  # chance that somebody else does
    match_value: float  # 1: certain to win the match, 0: certain to be last
    advice: float  # how much better than the mean a tree beside rollouts finds it, in rewards
    score: float  # what the aggregation made of it; the highest is played

    def as_object(self) -> dict[str, Any]:
        """The figures as JSON has them, rounded; null for a card that no simulation has tried."""
        counts = {"votes": round(self.votes, 4), "visits": self.visits}
        figures = {k: v for k, v in vars(self).items() if k != "card" and k not in counts}
        rounded = {k: round(v, 4) if self.visits else None for k, v in figures.items()}
        return {"card": name(self.card), **counts, **rounded}


@dataclass(frozen=True)
class Decision:
    """A card, and why."""

    card: Card
    cards: tuple[CardFigures, ...]  # every legal card, best first; empty where there was no choice
    worlds: int  # worlds that were sampled
    effective_worlds: float  # as many equally weighted ones would say as much
    simulations: int  # playouts that were really done; lines of play where the ending was solved
    seconds: float
    seed: int
    config: SearchConfig
    exact: bool  # the ending was solved in every world
    blunder: bool  # a random card was played, as the config wants it now and then
    view: View
    findings: Findings | None = field(default=None, repr=False, compare=False)

    @property
    def forced(self) -> bool:
        """Whether there was only one legal card."""
        return not self.cards

    @property
    def best(self) -> CardFigures | None:
        """The figures of the card that is played."""
        return self.figures_of(self.card)

    def cost_of(self, card: Card) -> Difference | None:
        """What a legal card costs more than the one played; None where one was never tried."""
        if self.findings is None:
            return EQUAL
        places = [
            next(i for i, move in enumerate(self.findings.moves) if move & bit(each))
            for each in (card, self.card)
        ]
        return difference(self.findings, *places)

    def figures_of(self, card: Card) -> CardFigures | None:
        """The figures of a card; None where there was no choice."""
        return next((figures for figures in self.cards if figures.card == card), None)

    def explain(self) -> str:
        """Two or three plain sentences, made of the figures alone."""
        return explain(self)

    def as_object(self) -> dict[str, Any]:
        """The decision as JSON has it."""
        return {
            "card": name(self.card),
            "cards": [figures.as_object() for figures in self.cards],
            "worlds": self.worlds,
            "effective_worlds": round(self.effective_worlds, 2),
            "simulations": self.simulations,
            "seconds": round(self.seconds, 6),
            "seed": self.seed,
            "config": vars(self.config),
            "exact": self.exact,
            "blunder": self.blunder,
            "view": self.view.fingerprint,
        }


def card_figures(
    findings: Findings, votes: NDArray[np.float64], scores: NDArray[np.float64]
) -> tuple[CardFigures, ...]:
    """The figures of every legal card, best first."""
    totals = np.tensordot(findings.weights, findings.figures, axes=1) * len(findings.weights)
    means = totals / np.maximum(totals[:, column.VISITS, None], 1e-12)
    errors = _point_errors(findings)
    visits = findings.figures[..., column.VISITS].sum(axis=0)
    rows = [
        CardFigures(
            card=card,
            votes=float(votes[move]),
            visits=int(visits[move]),
            points=float(means[move, column.POINTS]),
            points_error=float(errors[move]),
            queen=float(means[move, column.QUEEN]),
            moon=float(means[move, column.MOON]),
            moon_against=float(means[move, column.AGAINST]),
            match_value=float(means[move, column.MATCH]),
            advice=0.0 if findings.advice is None else float(findings.advice[move]),
            score=float(scores[move]),
        )
        for move, cards in enumerate(findings.moves)
        for card in members(cards)
    ]
    return tuple(sorted(rows, key=lambda figures: (-figures.score, figures.card)))


def _point_errors(findings: Findings) -> NDArray[np.float64]:
    """The standard error of each move's mean points: between worlds, or within a single one."""
    figures, weights = findings.figures, findings.weights
    visits = figures[..., column.VISITS]
    means = figures[..., column.POINTS] / np.maximum(visits, 1)
    if len(weights) == 1:
        squares = figures[0, :, column.SQUARES] / np.maximum(visits[0], 1)
        variance = np.maximum(squares - means[0] ** 2, 0)
        return np.asarray(np.sqrt(variance / np.maximum(visits[0], 1)))
    shares = weights[:, None] * (visits > 0)
    total = np.maximum(shares.sum(axis=0), 1e-12)
    mean = (shares * means).sum(axis=0) / total
    return np.asarray(np.sqrt((shares**2 * (means - mean) ** 2).sum(axis=0)) / total)

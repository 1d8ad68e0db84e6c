"""Styles of play fitted to game records by maximum likelihood: deterministic.

Each player of each hand has one style, unknown: expectation-maximization finds which, and the
weights of every style for leads, follows, discards and passes, with a quadratic penalty.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.state import rules_word
from hearts.game.cards import SEATS, members
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.kernels.beliefs.choices import (
    DEALT,
    choice_logs,
    choice_slope,
    list_choices,
    list_pass,
    pass_logs,
    pass_slope,
)
from hearts.kernels.beliefs.features import MOST, PASSES
from hearts.kernels.beliefs.moments import (
    DISCARD,
    FOLLOW,
    LEAD,
    PHASE,
    SEAT,
    TRICK,
    WIDTH,
    describe,
)
from hearts.training.lbfgs import minimize
from models.styles import FEATURES, PHASES, Floats, Style, StyleBook, neutral

VALIDATION = 3  # every so-manieth hand of a file is left out of the fit
STEPS = 8  # iterations of L-BFGS-B per round of expectation-maximization
Ints = NDArray[np.int64]
_PLAY_PHASES = (LEAD, FOLLOW, DISCARD)
Report = Callable[[int, float], None]  # the round, and the log-likelihood per player and hand


@dataclass(frozen=True)
class Choices:
    """Decisions of one phase."""

    features: Floats  # plays: (rows, features); passes: (n, 13, features)
    starts: Ints | None  # (n + 1,): where a play's rows begin; None for passes
    chosen: Ints  # plays: (n,) rows; passes: (n, 3) places in the hand
    player: Ints  # (n,): hand * 4 + seat

    def logs(self, weights: Floats) -> Floats:
        """The log-probability of each decision."""
        logs = np.empty(len(self.player))
        if self.starts is None:
            pass_logs(self.features, self.chosen, weights, logs)
        else:
            choice_logs(self.features, self.starts, self.chosen, weights, logs)
        return logs

    def loss(self, shares: Floats, weights: Floats) -> tuple[float, Floats]:
        """Minus the log-likelihood of the decisions, each counted as its share, and its slope."""
        slope = np.zeros_like(weights)
        if self.starts is None:
            value = pass_slope(self.features, self.chosen, shares, weights, slope)
        else:
            value = choice_slope(self.features, self.starts, self.chosen, shares, weights, slope)
        return -value, -slope


@dataclass(frozen=True)
class Examples:
    """All decisions of some hands."""

    phases: tuple[Choices, ...]  # in the order of PHASES
    labels: tuple[str, ...]  # of each player: where its hands come from, and its name
    seen: Floats  # (players, 4): its actions by phase, those without a choice included

    @classmethod
    def of(cls, records: Sequence[Record]) -> "Examples":
        """The decisions in some records."""
        shown, held = zip(*(_plays(record.deal) for record in records), strict=True)
        moments, hands = np.concatenate(shown), np.concatenate(held)
        number = np.repeat(np.arange(len(records)), [len(each) for each in shown])
        player = number * SEATS + moments[:, SEAT]
        labels = [_label(record, seat) for record in records for seat in range(SEATS)]
        passes = _list_passes(records)
        seen = np.zeros((len(labels), len(PHASES)))
        for phase in _PLAY_PHASES:
            np.add.at(seen[:, phase], player[_is_choice(moments, phase)], 1)
        np.add.at(seen[:, -1], passes.player, 1)
        return cls((*_list_plays(moments, hands, player), passes), tuple(labels), seen)

    def logs(self, weights: Sequence[Floats]) -> Floats:
        """The log-likelihood of what each player did in each phase (players, 4) under one style."""
        found = [
            np.bincount(choices.player, choices.logs(of_phase), len(self.labels))
            for choices, of_phase in zip(self.phases, weights, strict=True)
        ]
        return np.stack(found, axis=1)

    def surprise(self, weights: Sequence[Floats], belongs: Floats | None = None) -> Floats:
        """What an action of each phase costs (4,), over players as far as they belong."""
        belongs = np.ones(len(self.labels)) if belongs is None else belongs
        result: Floats = -(belongs @ self.logs(weights)) / np.maximum(belongs @ self.seen, 1.0)
        return result


def _label(record: Record, seat: int) -> str:
    names = record.extra.get("players")
    return f"{record.source}:{names[seat]}" if isinstance(names, list) else record.source


def _plays(deal: Deal) -> tuple[Ints, NDArray[np.uint64]]:
    """Every play of a hand: its moment, and what its player held."""
    plays = list(deal.plays)
    seats, cards = np.array(plays, dtype=np.int64).reshape(-1, 2).T.copy()
    moments = np.zeros((len(plays), WIDTH), dtype=np.int64)
    describe(seats, cards, rules_word(deal.rules), moments)
    hands, held = list(deal.hands), np.empty(len(plays), dtype=np.uint64)
    for i in reversed(range(len(plays))):
        seat, card = plays[i]
        hands[seat] |= 1 << card
        held[i] = hands[seat]
    return moments, held


def _is_choice(moments: Ints, phase: int) -> NDArray[np.bool_]:
    """Which plays are of a phase; the opening lead is no choice."""
    result: NDArray[np.bool_] = moments[:, PHASE] == phase
    return result & (moments[:, TRICK] > 0) if phase == LEAD else result


def _list_plays(moments: Ints, hands: NDArray[np.uint64], player: Ints) -> list[Choices]:
    found = []
    for phase in _PLAY_PHASES:
        of_phase = _is_choice(moments, phase)
        rows = np.empty((of_phase.sum() * DEALT, MOST))
        starts, chosen = (
            np.empty(of_phase.sum() + 1, dtype=np.int64),
            np.empty_like(player[of_phase]),
        )
        end = list_choices(moments[of_phase], hands[of_phase], rows, starts, chosen)
        real = chosen >= 0
        sizes = np.diff(starts)[real]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        features = rows[:end, : len(FEATURES[PHASES[phase]])].copy()
        found.append(Choices(features, starts, chosen[real], player[of_phase][real]))
    return found


def _list_passes(records: Sequence[Record]) -> Choices:
    features, chosen, player = [], [], []
    for number, record in enumerate(records):
        deal = record.deal
        for seat in range(SEATS) if all(deal.passes) else ():
            rows = np.empty((DEALT, PASSES))
            list_pass(np.uint64(deal.dealt[seat]), rows)
            features.append(rows)
            places = [deal.passes[seat] >> card & 1 for card in members(deal.dealt[seat])]
            chosen.append(np.flatnonzero(places))
            player.append(number * SEATS + seat)
    return Choices(
        np.array(features).reshape(-1, DEALT, PASSES),
        None,
        np.array(chosen, dtype=np.int64).reshape(-1, 3),
        np.array(player, dtype=np.int64),
    )


def split(records: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """The hands to fit, and those to validate with."""
    fitted = [record for i, record in enumerate(records) if i % VALIDATION != VALIDATION - 1]
    return fitted, list(records[VALIDATION - 1 :: VALIDATION])


def log_likelihood(examples: Examples, styles: Sequence[Style]) -> float:
    """Per player and hand, with the style of each unknown."""
    return float(_belongings(examples, styles)[1].mean())


def fit_book(
    examples: Examples,
    number: int,
    *,
    rounds: int = 15,
    penalty: float = 1.0,
    report: Report | None = None,
) -> StyleBook:
    """Expectation-maximization, from about one style for each label."""
    belongs = _first_guess(examples.labels, number)
    styles = tuple(Style("", 0.0, neutral(), np.zeros(len(PHASES))) for _ in range(number))
    for done in range(rounds):
        styles = tuple(
            _refitted(examples, style, belongs[:, i], penalty) for i, style in enumerate(styles)
        )
        belongs, logs = _belongings(examples, styles)
        if report:
            report(done + 1, float(logs.mean()))
    return _bound(examples, styles, belongs)


def _bound(examples: Examples, styles: Sequence[Style], belongs: Floats) -> StyleBook:
    """Styles with their names, what their players cost, and the tables at which they were met."""
    named = tuple(
        replace(
            style,
            name=f"{i + 1}, as in {_usual_source(examples.labels, belongs[:, i])}",
            surprise=examples.surprise(style.weights, belongs[:, i]),
        )
        for i, style in enumerate(styles)
    )
    sources = np.array([_source(label) for label in examples.labels])
    tables = {str(name): belongs[sources == name].mean(axis=0) for name in np.unique(sources)}
    book = StyleBook(named, tables, np.zeros(len(PHASES)), len(examples.labels) // SEATS)
    return replace(book, common=examples.surprise(book.columns[len(named)]))


def _refitted(examples: Examples, style: Style, belongs: Floats, penalty: float) -> Style:
    """A style after some steps towards the players that belong to it."""
    weights = tuple(
        _refitted_phase(choices, of_phase, plain, belongs[choices.player], penalty)
        for choices, of_phase, plain in zip(examples.phases, style.weights, neutral(), strict=True)
    )
    return replace(style, share=float(belongs.mean()), weights=weights)


def _refitted_phase(
    choices: Choices, weights: Floats, plain: Floats, shares: Floats, penalty: float
) -> Floats:
    def loss(given: Floats) -> tuple[float, Floats]:
        value, slope = choices.loss(shares, given)
        off = given - plain
        return value + penalty / 2 * float(off @ off), slope + penalty * off

    return minimize(loss, weights, max_iterations=STEPS)


def _belongings(examples: Examples, styles: Sequence[Style]) -> tuple[Floats, Floats]:
    """How likely each player is of each style (players, styles), and its log-likelihood."""
    logs = np.stack(
        [examples.logs(style.weights).sum(axis=1) + np.log(style.share) for style in styles],
        axis=1,
    )
    top = logs.max(axis=1, keepdims=True)
    belongs = np.exp(logs - top)
    total = belongs.sum(axis=1, keepdims=True)
    return belongs / total, (top + np.log(total))[:, 0]


def _first_guess(labels: Sequence[str], number: int) -> Floats:
    """Mostly one style for each label; what styles are left are shared out among its players."""
    names = sorted(set(labels))
    belongs = np.full((len(labels), number), 0.2 / number)
    for player, label in enumerate(labels):
        own = range(names.index(label) % number, number, len(names))
        belongs[player, own[player % len(own)]] += 0.8
    return belongs


def _usual_source(labels: Sequence[str], belongs: Floats) -> str:
    """Where most of a style's players come from."""
    sources = [_source(label) for label in labels]
    names = sorted(set(sources))
    return names[int(np.bincount([names.index(each) for each in sources], belongs).argmax())]


def _source(label: str) -> str:
    return label.partition(":")[0]

"""Fit of a style book to game records by expectation-maximization (Dempster et al., 1977).

Each player of each hand has one unknown style. The E-step computes responsibilities, P(style |
decisions of the player). The M-step fits the weights of every style for leads, follows, discards
and passes by penalised maximum likelihood. The fit is deterministic.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from hearts.game.cards import SEATS
from hearts.game.records import Record
from hearts.training.lbfgs import minimize
from models.decisions import Choices, Decisions
from models.styles import PHASES, Floats, Style, StyleBook, neutral

VALIDATION = 3  # every third hand of a file is left out of the fit
STEPS = 8  # iterations of L-BFGS-B in each M-step
Report = Callable[[int, float], None]  # iterations done, mean log-likelihood of a player's hand


def split(records: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """Split records into a training set and a validation set."""
    fitted = [record for i, record in enumerate(records) if i % VALIDATION != VALIDATION - 1]
    return fitted, list(records[VALIDATION - 1 :: VALIDATION])


def log_likelihood(decisions: Decisions, styles: Sequence[Style]) -> float:
    """The mean log-likelihood of a player's hand, with the styles summed out."""
    return float(_expectation(decisions, styles)[1].mean())


def fit_book(
    decisions: Decisions,
    number: int,
    *,
    iterations: int = 15,
    penalty: float = 1.0,
    report: Report | None = None,
) -> StyleBook:
    """Fit `number` styles; `penalty` / 2 multiplies the squared distance to the neutral weights."""
    responsibilities = _initial_responsibilities(decisions.labels, number)
    styles = tuple(Style("", 0.0, neutral(), np.zeros(len(PHASES))) for _ in range(number))
    for done in range(iterations):
        styles = tuple(
            _maximised(decisions, style, responsibilities[:, i], penalty)
            for i, style in enumerate(styles)
        )
        responsibilities, logs = _expectation(decisions, styles)
        if report:
            report(done + 1, float(logs.mean()))
    return _book(decisions, styles, responsibilities)


def _book(decisions: Decisions, styles: Sequence[Style], responsibilities: Floats) -> StyleBook:
    """The style book: names, mean NLL and kinds of table from the responsibilities."""
    named = tuple(
        replace(
            style,
            name=f"{i + 1}, as in {_main_source(decisions.labels, responsibilities[:, i])}",
            mean_nll=decisions.mean_nll(style.weights, responsibilities[:, i]),
        )
        for i, style in enumerate(styles)
    )
    sources = np.array([_source(label) for label in decisions.labels])
    tables = {
        str(name): responsibilities[sources == name].mean(axis=0) for name in np.unique(sources)
    }
    book = StyleBook(named, tables, np.zeros(len(PHASES)), len(decisions.labels) // SEATS)
    return replace(book, shrunk_nll=decisions.mean_nll(book.weights[len(named)]))


def _maximised(
    decisions: Decisions, style: Style, responsibilities: Floats, penalty: float
) -> Style:
    """The M-step of one style."""
    weights = tuple(
        _maximised_phase(choices, of_phase, plain, responsibilities[choices.player], penalty)
        for choices, of_phase, plain in zip(decisions.phases, style.weights, neutral(), strict=True)
    )
    return replace(style, share=float(responsibilities.mean()), weights=weights)


def _maximised_phase(
    choices: Choices, start: Floats, plain: Floats, responsibilities: Floats, penalty: float
) -> Floats:
    def loss(weights: Floats) -> tuple[float, Floats]:
        value, gradient = choices.loss(responsibilities, weights)
        distance = weights - plain
        penalised = value + penalty / 2 * float(distance @ distance)
        return penalised, gradient + penalty * distance

    return minimize(loss, start, max_iterations=STEPS)


def _expectation(decisions: Decisions, styles: Sequence[Style]) -> tuple[Floats, Floats]:
    """The E-step: responsibilities (players, styles), and the log-likelihood of each player."""
    logs = np.stack(
        [
            decisions.log_likelihoods(style.weights).sum(axis=1) + np.log(style.share)
            for style in styles
        ],
        axis=1,
    )
    top = logs.max(axis=1, keepdims=True)
    relative = np.exp(logs - top)
    total = relative.sum(axis=1, keepdims=True)
    return relative / total, (top + np.log(total))[:, 0]


def _initial_responsibilities(labels: Sequence[str], number: int) -> Floats:
    """About one style for each label; further styles are shared out among its players."""
    names = sorted(set(labels))
    responsibilities = np.full((len(labels), number), 0.2 / number)
    for player, label in enumerate(labels):
        own = range(names.index(label) % number, number, len(names))
        responsibilities[player, own[player % len(own)]] += 0.8
    return responsibilities


def _main_source(labels: Sequence[str], responsibilities: Floats) -> str:
    """The source of most players of a style."""
    sources = [_source(label) for label in labels]
    names = sorted(set(sources))
    counts = np.bincount([names.index(each) for each in sources], responsibilities)
    return names[int(counts.argmax())]


def _source(label: str) -> str:
    return label.partition(":")[0]

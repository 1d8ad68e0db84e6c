"""Style books: how players of several styles lead, follow, discard and pass.

A book is a JSON file, fitted to game records (models.fit). Each style is a conditional logit model
per phase of play. Two styles for strangers are added to the fitted ones: their weighted average,
shrunk by half, and a uniform player. So an unusual player shifts a belief gradually, and every
legal play keeps a positive probability. Players at one table are often of one kind: a book has a
distribution of styles for each kind of table, and one for tables of strangers.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hearts.game.cards import SEATS
from hearts.game.errors import InvalidConfig
from hearts.kernels.beliefs.feature_names import Discard, Follow, Lead, Pass
from hearts.kernels.beliefs.features import MAX_FEATURES
from hearts.kernels.beliefs.likelihood import CARDS_OF_SETS, SUIT_SETS, tabulate_passes

Floats = NDArray[np.float64]

SHIPPED = Path(__file__).with_name("data") / "styles.json"
FORMAT = 2
FEATURES = {
    phase: tuple(feature.label for feature in features)
    for phase, features in (
        ("lead", Lead),
        ("follow", Follow),
        ("discard", Discard),
        ("pass", Pass),
    )
}
PHASES = tuple(FEATURES)

# The likelihood of a style has an exponent (power posterior): 1 for a style fitted to many players,
# less for one fitted to few, whose weights are uncertain.
HALF_POWER = 50  # players' hands at which a style has half of its power
# Players who follow fixed rules are more predictable than a logit model can express.
SHARP_POWER = 1.5
SHARP_NLL = 0.35  # nats per play: a style below this is sharp
SOFT_POWER = 0.75  # of the shrunk style, which fits no player exactly

SHRINKAGE = 0.5  # factor of the weights of the shrunk style
STRANGERS = 0.25  # share of tables at which nobody plays a fitted style
LEAK = 0.1  # share of players who are not of the kind of their table
NEUTRAL = 0.1  # share of uniform players among strangers


@dataclass(frozen=True)
class Style:
    """One way to play: feature weights for each phase."""

    name: str
    share: float  # of the players in the records
    weights: tuple[Floats, ...]  # in the order of PHASES
    mean_nll: Floats  # (4,): negative log-likelihood of an action of its own players, in nats

    @property
    def is_sharp(self) -> bool:
        """Whether its players are nearly deterministic."""
        return float(self.mean_nll[:-1].mean()) < SHARP_NLL


def neutral() -> tuple[Floats, ...]:
    """The weights of a uniform player: cards, not runs, are equally likely."""
    weights = tuple(np.zeros(len(names)) for names in FEATURES.values())
    for of_phase in weights[:-1]:
        of_phase[0] = 1.0  # log(cards in the run)
    return weights


def shrunk(styles: Sequence[Style], shares: Floats) -> tuple[Floats, ...]:
    """The average of some styles, shrunk towards the uniform player."""
    return tuple(
        (1 - SHRINKAGE) * plain
        + SHRINKAGE * sum(share * s.weights[i] for s, share in zip(styles, shares, strict=True))
        for i, plain in enumerate(neutral())
    )


@dataclass(frozen=True)
class StyleBook:
    """Fitted styles, the kinds of table in the records, and the origin of the book."""

    styles: tuple[Style, ...]
    tables: Mapping[str, Floats]  # by kind of table: the share of each style
    shrunk_nll: Floats  # (4,): negative log-likelihood of any player's action in the shrunk style
    hands: int  # number of hands in the fit
    command: str = ""  # the command that fitted the book

    @cached_property
    def weights(self) -> tuple[tuple[Floats, ...], ...]:
        """The weights of all S styles: the fitted ones, the shrunk one, the neutral one."""
        # Square roots, since shares in the records say little about the next players.
        roots = np.sqrt([style.share for style in self.styles])
        average = shrunk(self.styles, roots / roots.sum())
        return (*(style.weights for style in self.styles), average, neutral())

    @cached_property
    def powers(self) -> Floats:
        """The exponent of each style's likelihood (S,)."""
        players = np.array([style.share for style in self.styles]) * SEATS * self.hands
        full = np.where([style.is_sharp for style in self.styles], SHARP_POWER, 1.0)
        return np.array([*full * players / (players + HALF_POWER), SOFT_POWER, 1.0])

    @cached_property
    def log_corrections(self) -> Floats:
        """What an action adds to the log-likelihood of each style and phase (S, 4).

        A power p multiplies the likelihood of a typical action by exp((1 − p) · mean NLL). The
        correction removes that factor, so that styles compete as if they had no powers.
        """
        mean_nll = [*(style.mean_nll for style in self.styles), self.shrunk_nll]
        result: Floats = (self.powers - 1)[:, None] * np.array([*mean_nll, np.zeros(len(PHASES))])
        return result

    @cached_property
    def table_weights(self) -> Floats:
        """The weight of each style at a seat of each kind of table (T, S); strangers come last."""
        known = np.array([[*shares, 0.0, 0.0] for shares in self.tables.values()])
        strangers = np.array([*np.zeros(len(self.styles)), 1 - NEUTRAL, NEUTRAL])
        anybody = (known.mean(axis=0) + strangers) / 2
        found = (1 - LEAK) * known + LEAK * anybody
        unknown = (1 - LEAK) * strangers + LEAK * known.mean(axis=0)
        return np.vstack([(1 - STRANGERS) / len(known) * found, STRANGERS * unknown])

    @cached_property
    def pass_tables(self) -> tuple[NDArray[np.float32], Floats, NDArray[np.int64]]:
        """The pass model for every set of ranks: see `tabulate_passes`."""
        weights = np.stack([style[-1] for style in self.weights], axis=1)
        offsets = np.empty(SUIT_SETS, dtype=np.int64)
        pass_weights = np.empty((4, CARDS_OF_SETS, len(self.weights)), dtype=np.float32)
        symmetric = np.empty((4, SUIT_SETS, len(self.weights), 3))
        tabulate_passes(weights, offsets, pass_weights, symmetric)
        return pass_weights, symmetric, offsets

    @property
    def play_weights(self) -> Floats:
        """The weights of plays by phase, feature and style (3, MAX_FEATURES, S)."""
        result = np.zeros((len(PHASES) - 1, MAX_FEATURES, len(self.weights)))
        for style, weights in enumerate(self.weights):
            for phase, of_phase in enumerate(weights[:-1]):
                result[phase, : len(of_phase), style] = of_phase
        return result

    def as_object(self) -> dict[str, Any]:
        """The book as JSON."""
        return {
            "format": FORMAT,
            "command": self.command,
            "hands": self.hands,
            "features": {phase: list(names) for phase, names in FEATURES.items()},
            "tables": {name: _rounded(shares) for name, shares in self.tables.items()},
            "common": _rounded(self.shrunk_nll),
            "styles": [_style_object(style) for style in self.styles],
        }

    def write(self, path: Path) -> None:
        """Write the book to a file."""
        path.write_text(json.dumps(self.as_object(), indent=1) + "\n", encoding="utf-8")


def read_styles(path: Path = SHIPPED) -> StyleBook:
    """Read a style book; its features must be those that the kernels compute."""
    try:
        return _parse_book(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidConfig("styles", f"{path} is not a style book: {error!r}") from error


def _parse_book(given: dict[str, Any]) -> StyleBook:
    features = {phase: tuple(names) for phase, names in given["features"].items()}
    if given["format"] != FORMAT or features != FEATURES:
        raise ValueError("it has another format or other features; fit it again")
    styles = tuple(_parse_style(each) for each in given["styles"])
    tables = {
        str(name): _numbers(shares, len(styles), f"the shares of {name!r}")
        for name, shares in given["tables"].items()
    }
    if not tables:
        raise ValueError("there is no kind of table")
    shrunk_nll = _numbers(given["common"], len(PHASES), "common")
    return StyleBook(styles, tables, shrunk_nll, int(given["hands"]), str(given["command"]))


def _parse_style(given: dict[str, Any]) -> Style:
    name = str(given["name"])
    weights = tuple(
        _numbers(given[phase], len(FEATURES[phase]), f"{name!r}: {phase}") for phase in PHASES
    )
    mean_nll = _numbers(given["surprise"], len(PHASES), f"{name!r}: surprise")
    return Style(name, float(given["share"]), weights, mean_nll)


def _style_object(style: Style) -> dict[str, Any]:
    """A style as JSON; files of format 2 call the mean NLL `surprise`."""
    weights = zip(PHASES, style.weights, strict=True)
    return {
        "name": style.name,
        "share": round(style.share, 4),
        "surprise": _rounded(style.mean_nll),
    } | {phase: _rounded(of_phase) for phase, of_phase in weights}


def _numbers(given: Sequence[float], size: int, what: str) -> Floats:
    numbers = np.array(given, dtype=np.float64)
    if numbers.shape != (size,) or not np.isfinite(numbers).all():
        raise ValueError(f"{what}: must be {size} finite numbers")
    return numbers


def _rounded(weights: Floats) -> list[float]:
    return [round(float(weight), 4) for weight in weights]

"""Styles of play: how likely players of each style are to lead, follow, discard and pass a card.

A book of styles is a JSON file, fitted to game records (models.fit). Beside the fitted styles there
are two for strangers: what all styles have in common, softened, and a player without preferences.
So an unusual player shifts a belief instead of breaking it, and nothing that is legal is ever
impossible. Players at one table are often of one kind; a book knows a few kinds of tables, each
with the styles that are met there, and one of strangers.
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
from hearts.kernels.beliefs.features import MOST
from hearts.kernels.beliefs.likelihood import CARDS, SUIT_SETS, Styles, weigh_passes

Floats = NDArray[np.float64]

SHIPPED = Path(__file__).with_name("data") / "styles.json"
FORMAT = 2
FEATURES = {
    phase: tuple(feature.words for feature in features)
    for phase, features in (
        ("lead", Lead),
        ("follow", Follow),
        ("discard", Discard),
        ("pass", Pass),
    )
}
PHASES = tuple(FEATURES)

# How much the evidence of a style counts: the exponent of its likelihoods. It is 1 for a style that
# was fitted to many players, and less for one that few were fitted to, whose weights are guesses.
EXPERIENCE = 50  # players' hands that leave a style half of its power
# Who follows fixed rules is more certain than a smooth choice can say.
SHARP_POWER = 1.5
SHARP = 0.35  # nats: what a play of such players costs at most, on average
SOFT_POWER = 0.75  # of what styles have in common, which is nobody's own style

SOFTENED = 0.5  # what is left of the weights in the softened style
STRANGERS = 0.25  # tables at which nobody plays in a style that was fitted
LEAK = 0.1  # players who do not belong to the kind of table they sit at
NEUTRAL = 0.1  # strangers without preferences


@dataclass(frozen=True)
class Style:
    """One way to play: weights of the features of each phase."""

    name: str
    share: float  # how common it was in the records
    weights: tuple[Floats, ...]  # in the order of PHASES
    surprise: Floats  # (4,): nats that an action of each phase of its own players costs, on average

    @property
    def is_sharp(self) -> bool:
        """Whether its players follow rules that it knows."""
        return float(self.surprise[:-1].mean()) < SHARP


def neutral() -> tuple[Floats, ...]:
    """The weights of a player to whom all cards are equal: it chooses among cards, not runs."""
    weights = tuple(np.zeros(len(names)) for names in FEATURES.values())
    for of_phase in weights[:-1]:
        of_phase[0] = 1.0  # the log of the cards in a run
    return weights


def softened(styles: Sequence[Style], shares: Floats) -> tuple[Floats, ...]:
    """What styles have in common, half as strong."""
    return tuple(
        (1 - SOFTENED) * plain
        + SOFTENED * sum(share * s.weights[i] for s, share in zip(styles, shares, strict=True))
        for i, plain in enumerate(neutral())
    )


@dataclass(frozen=True)
class StyleBook:
    """Styles, and how they were made."""

    styles: tuple[Style, ...]
    tables: Mapping[str, Floats]  # by kind of table: how common each style is there
    common: Floats  # (4,): what an action of any player costs the softened style
    hands: int  # that it was fitted to
    command: str = ""  # that made it

    @cached_property
    def columns(self) -> tuple[tuple[Floats, ...], ...]:
        """The weights of every style: the fitted ones, the softened one, the neutral one."""
        # How often a style was seen says more about the records than about who sits down next.
        roots = np.sqrt([style.share for style in self.styles])
        soft = softened(self.styles, roots / roots.sum())
        return (*(style.weights for style in self.styles), soft, neutral())

    @cached_property
    def power(self) -> Floats:
        """By column the exponent of likelihoods: see EXPERIENCE."""
        players = np.array([style.share for style in self.styles]) * SEATS * self.hands
        known = np.where([style.is_sharp for style in self.styles], SHARP_POWER, 1.0)
        return np.array([*known * players / (players + EXPERIENCE), SOFT_POWER, 1.0])

    @cached_property
    def allowance(self) -> Floats:
        """By column and phase (S, 4) what an action adds to the log of a likelihood with a power.

        A power p makes usual actions more likely by a factor of exp((1 - p) · surprise); without
        that advantage styles compete as if their likelihoods had no power.
        """
        surprise = [*(style.surprise for style in self.styles), self.common, np.zeros(len(PHASES))]
        result: Floats = (self.power - 1)[:, None] * np.array(surprise)
        return result

    @cached_property
    def kinds(self) -> Floats:
        """How likely each kind of table is, with each style at a seat (T, S); strangers last."""
        known = np.array([[*shares, 0.0, 0.0] for shares in self.tables.values()])
        strangers = np.array([*np.zeros(len(self.styles)), 1 - NEUTRAL, NEUTRAL])
        anybody = (known.mean(axis=0) + strangers) / 2
        found = (1 - LEAK) * known + LEAK * anybody
        unknown = (1 - LEAK) * strangers + LEAK * known.mean(axis=0)
        return np.vstack([(1 - STRANGERS) / len(known) * found, STRANGERS * unknown])

    @cached_property
    def kernel(self) -> Styles:
        """The styles in the words of the kernels."""
        give = np.stack([weights[-1] for weights in self.columns], axis=1)
        offsets = np.empty(SUIT_SETS, dtype=np.int64)
        cards = np.empty((4, CARDS, len(self.columns)), dtype=np.float32)
        sums = np.empty((4, SUIT_SETS, len(self.columns), 3))
        weigh_passes(give, offsets, cards, sums)
        return Styles(self.play, cards, sums, offsets, self.power, self.kinds)

    @property
    def play(self) -> Floats:
        """The weights of all plays, by phase, feature and column."""
        result = np.zeros((len(PHASES) - 1, MOST, len(self.columns)))
        for column, weights in enumerate(self.columns):
            for phase, of_phase in enumerate(weights[:-1]):
                result[phase, : len(of_phase), column] = of_phase
        return result

    def as_object(self) -> dict[str, Any]:
        """The book as JSON has it."""
        styles = [
            {
                "name": style.name,
                "share": round(style.share, 4),
                "surprise": _rounded(style.surprise),
            }
            | {phase: _rounded(w) for phase, w in zip(PHASES, style.weights, strict=True)}
            for style in self.styles
        ]
        features = {phase: list(names) for phase, names in FEATURES.items()}
        tables = {name: _rounded(shares) for name, shares in self.tables.items()}
        about = {"format": FORMAT, "command": self.command, "hands": self.hands}
        return about | {
            "features": features,
            "tables": tables,
            "common": _rounded(self.common),
            "styles": styles,
        }

    def write(self, path: Path) -> None:
        """Write the book to a file."""
        path.write_text(json.dumps(self.as_object(), indent=1) + "\n", encoding="utf-8")


def read_styles(path: Path = SHIPPED) -> StyleBook:
    """Read a book of styles; its features must be those that the kernels compute."""
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        features = {phase: tuple(names) for phase, names in given["features"].items()}
        if given["format"] != FORMAT or features != FEATURES:
            raise ValueError("it is of another version, fit it anew")
        styles = tuple(_style(each) for each in given["styles"])
        tables = {
            str(name): _numbers(shares, len(styles), f"the shares of {name!r}")
            for name, shares in given["tables"].items()
        }
        if not tables:
            raise ValueError("there is no kind of table")
        common = _numbers(given["common"], len(PHASES), "common")
        return StyleBook(styles, tables, common, int(given["hands"]), str(given["command"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidConfig("styles", f"{path} is no book of styles: {error!r}") from error


def _style(given: dict[str, Any]) -> Style:
    name = str(given["name"])
    weights = tuple(
        _numbers(given[phase], len(FEATURES[phase]), f"{name!r}: {phase}") for phase in PHASES
    )
    surprise = _numbers(given["surprise"], len(PHASES), f"{name!r}: surprise")
    return Style(name, float(given["share"]), weights, surprise)


def _numbers(given: Sequence[float], size: int, what: str) -> Floats:
    numbers = np.array(given, dtype=np.float64)
    if numbers.shape != (size,) or not np.isfinite(numbers).all():
        raise ValueError(f"{what}: not {size} numbers")
    return numbers


def _rounded(weights: Floats) -> list[float]:
    return [round(float(weight), 4) for weight in weights]

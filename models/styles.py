"""Styles of play: how likely players of each style are to lead, follow, discard and pass a card.

A book of styles is a JSON file, fitted to game records (models.fit). Beside each fitted style there
is what all of them have in common, softened, and a player without preferences: so an unusual player
shifts a belief instead of breaking it, and nothing that is legal is ever impossible.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hearts.errors import InvalidConfig
from hearts.kernels.chain import CARDS, SUIT_SETS, Styles, weigh_passes
from hearts.kernels.features import (
    DISCARD_FEATURES,
    FOLLOW_FEATURES,
    LEAD_FEATURES,
    MOST,
    PASS_FEATURES,
)

Floats = NDArray[np.float64]

SHIPPED = Path(__file__).with_name("data") / "styles.json"
FORMAT = 1
FEATURES = {
    "lead": LEAD_FEATURES,
    "follow": FOLLOW_FEATURES,
    "discard": DISCARD_FEATURES,
    "pass": PASS_FEATURES,
}
PHASES = tuple(FEATURES)

SHARP = 0.35  # nats: a style that a card of its players costs less than this knows them well
BONUS = 0.5  # of its usual surprise that a sharp style gets back with each card
SOFTENED = 0.5  # what is left of the weights in the softened style
SOFTENED_SHARE = 0.15  # how common it is taken to be
NEUTRAL_SHARE = 0.05  # and the player without preferences


@dataclass(frozen=True)
class Style:
    """One way to play: weights of the features of each phase."""

    name: str
    share: float  # how common it was in the records
    weights: tuple[Floats, ...]  # in the order of PHASES
    surprise: float = math.inf  # nats that a card of its own players costs it, on average


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
    command: str = ""  # that made it
    hands: int = 0  # that it was fitted to

    @cached_property
    def shares(self) -> Floats:
        """How likely each column of `kernel` is beforehand: the roots of the styles' shares.

        How often a style was seen says more about the records than about who will sit down next.
        """
        roots = np.sqrt([style.share for style in self.styles])
        fitted = (1 - SOFTENED_SHARE - NEUTRAL_SHARE) * roots / roots.sum()
        return np.array([*fitted, SOFTENED_SHARE, NEUTRAL_SHARE])

    @cached_property
    def columns(self) -> tuple[tuple[Floats, ...], ...]:
        """The weights of every style: the fitted ones, the softened one, the neutral one."""
        fitted = self.shares[: len(self.styles)]
        soft = softened(self.styles, fitted / fitted.sum())
        return (*(style.weights for style in self.styles), soft, neutral())

    @cached_property
    def tempered(self) -> NDArray[np.bool_]:
        """The columns whose evidence is weakened: all but sharp styles, which fit well or not."""
        return np.array([*(style.surprise >= SHARP for style in self.styles), True, True])

    @cached_property
    def bonus(self) -> Floats:
        """By column what a style that is not weakened would lose to the others with each card."""
        return np.array(
            [
                0.0 if weak else BONUS * style.surprise
                for style, weak in zip(self.styles, self.tempered, strict=False)
            ]
            + [0.0, 0.0]
        )

    @cached_property
    def kernel(self) -> Styles:
        """The styles in the words of the kernels."""
        play = np.zeros((len(PHASES) - 1, MOST, len(self.columns)))
        for column, weights in enumerate(self.columns):
            for phase, of_phase in enumerate(weights[:-1]):
                play[phase, : len(of_phase), column] = of_phase
        give = np.stack([weights[-1] for weights in self.columns], axis=1)
        offsets = np.empty(SUIT_SETS, dtype=np.int64)
        cards = np.empty((4, CARDS, len(self.columns)), dtype=np.float32)
        sums = np.empty((4, SUIT_SETS, 3, len(self.columns)))
        weigh_passes(give, offsets, cards, sums)
        return Styles(play, cards, sums, offsets, self.tempered)

    def as_object(self) -> dict[str, Any]:
        """The book as JSON has it."""
        styles = [
            {
                "name": style.name,
                "share": round(style.share, 4),
                "surprise": round(style.surprise, 4),
            }
            | {phase: _rounded(w) for phase, w in zip(PHASES, style.weights, strict=True)}
            for style in self.styles
        ]
        features = {phase: list(names) for phase, names in FEATURES.items()}
        about = {"format": FORMAT, "command": self.command, "hands": self.hands}
        return about | {"features": features, "styles": styles}

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
        return StyleBook(styles, str(given["command"]), int(given["hands"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidConfig("styles", f"{path} is no book of styles: {error!r}") from error


def _style(given: dict[str, Any]) -> Style:
    weights = tuple(np.array(given[phase], dtype=np.float64) for phase in PHASES)
    for phase, of_phase in zip(PHASES, weights, strict=True):
        if of_phase.shape != (len(FEATURES[phase]),) or not np.isfinite(of_phase).all():
            raise ValueError(f"style {given['name']!r}: the weights of {phase} are wrong")
    return Style(str(given["name"]), float(given["share"]), weights, float(given["surprise"]))


def _rounded(weights: Floats) -> list[float]:
    return [round(float(weight), 4) for weight in weights]

"""The network that plays rollouts: its weights, the rules it knows, and what seats have seen.

Weights are whole numbers, `UNIT` counts as 1 (see hearts.kernels.network.forward). The file that is
shipped was made by `hearts network train`; it says with which command.
"""

import json
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from importlib.resources import as_file, files
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from hearts.game.cards import SEATS, CardSet, suit_of
from hearts.game.errors import InvalidConfig
from hearts.kernels.network import forward as layer
from hearts.kernels.network.forward import OUTPUTS, ROWS, UNIT
from hearts.views.view import View

FORMAT = 1
LEAST_PROBABILITY = 1e-4  # below which the network is not believed
LANES = 64  # places of cards, some of which are no card

Floats = NDArray[np.float32]
Seen = NDArray[np.uint64]  # (4, 4): see SEEN_PLAYED … in hearts.kernels.network.forward


@dataclass(frozen=True)
class Network:
    """Two hidden layers and a score for every card; all weights are whole numbers."""

    rows: Floats  # (ROWS, width): what is added to the first layer for each thing that is so
    bias: Floats  # (width,)
    hidden: Floats  # (depth, width); depth is a multiple of 4
    hidden_bias: Floats  # (depth,)
    out: Floats  # (OUTPUTS, depth): cards to play, then cards to pass
    out_bias: Floats  # (OUTPUTS,)
    made: dict[str, Any] = field(default_factory=dict)  # the command, and what it reported

    def __post_init__(self) -> None:
        depth, width = self.hidden.shape
        shapes = {
            "rows": (ROWS, width),
            "bias": (width,),
            "hidden_bias": (depth,),
            "out": (OUTPUTS, depth),
            "out_bias": (OUTPUTS,),
        }
        if depth % 4:
            raise InvalidConfig("network", f"a second layer of {depth}: not a multiple of 4")
        for name, shape in shapes.items():
            found = getattr(self, name).shape
            if found != shape:
                raise InvalidConfig("network", f"{name} has shape {found}, not {shape}")

    @cached_property
    def arrays(self) -> tuple[Floats, ...]:
        """The arguments of the kernels: with the rows their steps, what changes with a card."""
        return (
            self.rows,
            self._steps,
            self.bias,
            self.hidden,
            self.hidden_bias,
            self.out,
            self.out_bias,
        )

    @property
    def _steps(self) -> Floats:
        """Row n of a suit: what changes when n cards become n − 1; and a card that I play."""
        steps = np.zeros_like(self.rows)
        for first in (layer.LENGTH, layer.UNSEEN):
            counted = self.rows[first : first + LANES].reshape(SEATS, 16, -1)
            steps[first : first + LANES].reshape(counted.shape)[:, 1:] = (
                counted[:, :-1] - counted[:, 1:]
            )
        mine, played = (slice(first, first + LANES) for first in (layer.MINE, layer.PLAYED))
        steps[played] = self.rows[played] - self.rows[mine]
        return steps

    @cached_property
    def digest(self) -> str:
        """Names the weights."""
        return sha256(b"".join(each.tobytes() for each in self._weights().values())).hexdigest()

    def save(self, path: Path) -> None:
        """Write the weights to a file."""
        whole = {name: array.astype(np.int32) for name, array in self._weights().items()}
        about = json.dumps({"format": FORMAT, "made": self.made})
        with path.open("wb") as file:  # a name without an ending is kept as it is
            np.savez_compressed(file, about=np.array(about), **whole)  # type: ignore[arg-type]  # allow_pickle is no array

    def _weights(self) -> dict[str, Floats]:
        return {name: getattr(self, name) for name in WEIGHTS}


WEIGHTS = ("rows", "bias", "hidden", "hidden_bias", "out", "out_bias")
# How often UNIT is a factor of each: a layer's sums are products of what went in and its weights.
_FACTORS = {"rows": 1, "bias": 1, "hidden": 1, "hidden_bias": 2, "out": 1, "out_bias": 2}


def rounded(weights: dict[str, Floats], made: dict[str, Any]) -> Network:
    """The network of weights as they were learned, in whole numbers."""
    whole = {
        name: np.ascontiguousarray(np.rint(array * UNIT ** _FACTORS[name]), dtype=np.float32)
        for name, array in weights.items()
    }
    return Network(**whole, made=made)


def load_network(path: Path) -> Network:
    """Read the weights of a file."""
    try:
        # np.load would leave a file open that it cannot read
        with np.load(BytesIO(path.read_bytes())) as found:
            about = json.loads(str(found["about"]))
            form, made = about["format"], about["made"]
            weights = {name: found[name].astype(np.float32) for name in WEIGHTS}
    except (OSError, EOFError, KeyError, ValueError, TypeError, BadZipFile) as error:
        raise InvalidConfig("network", f"{path}: not a network: {error}") from error
    if form != FORMAT:
        raise InvalidConfig("network", f"{path}: format {form} is not {FORMAT}")
    return Network(**weights, made=made)


@cache
def shipped() -> Network:
    """The network that comes with the engine."""
    with as_file(files("hearts") / "data" / "network.npz") as path:
        return load_network(path)


def supports(view: View) -> bool:
    """Whether a network can play on from a view: by its rules, and with all plays known."""
    return not view.partial and view.rules.usual_scoring


def seen_by(view: View) -> tuple[Seen, np.uint64]:
    """What the seats have seen at a view, and the suits they are known to be void in.

    What was passed only the seat of the view knows: what the others gave and got is hidden from it,
    so it has them play as if they did not know either.
    """
    seen = np.zeros((SEATS, 4), dtype=np.uint64)
    voids = 0
    for trick in (*view.tricks, view.trick):
        for place, card in enumerate(trick.cards):
            seat = (trick.leader + place) % SEATS
            seen[seat, layer.SEEN_PLAYED] |= np.uint64(1 << card)
            if suit_of(card) != trick.led:
                assert trick.led is not None
                voids |= int(layer.void_bit(seat, trick.led))
    if view.passed and view.received:
        given: tuple[CardSet, ...] = (view.passed, view.received, int(view.direction))
        seen[view.seat, layer.SEEN_GAVE :] = given
    return seen, np.uint64(voids)

"""The policy network: loading, saving and quantising its weights, and its input from a view.

Weights are integers; `UNIT` represents 1 (see hearts.kernels.network.inference). A file
stores the command that made it: `hearts network show`.
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

from hearts.engine.bridge.worlds import shown_voids
from hearts.game.cards import SEATS, CardSet
from hearts.game.errors import InvalidConfig
from hearts.kernels.network import features as layout
from hearts.kernels.network.arrays import Layers
from hearts.kernels.network.features import FEATURES
from hearts.kernels.network.inference import OUTPUTS, UNIT
from hearts.views.view import View

FORMAT = 1
LEAST_PROBABILITY = 1e-4  # added to probabilities before their logarithm is taken
CARD_SET_BITS = 64  # features per set of cards; some indices are unused
SUIT_COUNTS = 16  # features per suit of LENGTH and UNSEEN

SHIPPED = "shipped"
# The files in hearts/data by name: the network of rollouts, and those that play like others.
NETWORKS = {SHIPPED: "network.npz", "search-like": "search_like.npz"}

Floats = NDArray[np.float32]
Seen = NDArray[np.uint64]  # (4, 4): see SEEN_PLAYED … in hearts.kernels.network.features

# The weights, each with its name in files and the power of UNIT that scales it. Biases are added to
# products of two scaled numbers, except in the first layer, whose input is 0 or 1.
WEIGHTS = {
    "features": ("rows", 1),
    "bias": ("bias", 1),
    "hidden": ("hidden", 1),
    "hidden_bias": ("hidden_bias", 2),
    "out": ("out", 1),
    "out_bias": ("out_bias", 2),
}


@dataclass(frozen=True)
class Network:
    """Two hidden layers and a logit for every card; all weights are integers."""

    features: Floats  # (FEATURES, hidden1)
    bias: Floats  # (hidden1,)
    hidden: Floats  # (hidden2, hidden1); hidden2 is a multiple of 4
    hidden_bias: Floats  # (hidden2,)
    out: Floats  # (OUTPUTS, hidden2): cards to play, then cards to pass
    out_bias: Floats  # (OUTPUTS,)
    provenance: dict[str, Any] = field(default_factory=dict)  # command, hyperparameters, result

    def __post_init__(self) -> None:
        hidden2, hidden1 = self.hidden.shape
        shapes = {
            "features": (FEATURES, hidden1),
            "bias": (hidden1,),
            "hidden_bias": (hidden2,),
            "out": (OUTPUTS, hidden2),
            "out_bias": (OUTPUTS,),
        }
        if hidden2 % 4:
            reason = f"the second layer has {hidden2} units; it must be a multiple of 4"
            raise InvalidConfig("network", reason)
        for name, shape in shapes.items():
            found = getattr(self, name).shape
            if found != shape:
                raise InvalidConfig("network", f"{name} has shape {found}, not {shape}")

    @cached_property
    def arrays(self) -> Layers:
        """The weights as kernel arrays."""
        return Layers(deltas=self._deltas(), **self._weights())

    def _deltas(self) -> Floats:
        """Changes of the first layer when a card is played: see `Layers.deltas`."""
        deltas = np.zeros_like(self.features)
        for first in (layout.LENGTH, layout.UNSEEN):
            suits = slice(first, first + SEATS * SUIT_COUNTS)
            counted = self.features[suits].reshape(SEATS, SUIT_COUNTS, -1)
            deltas[suits].reshape(counted.shape)[:, 1:] = counted[:, :-1] - counted[:, 1:]
        mine, played = (slice(base, base + CARD_SET_BITS) for base in (layout.MINE, layout.PLAYED))
        deltas[played] = self.features[played] - self.features[mine]
        return deltas

    @cached_property
    def digest(self) -> str:
        """A hash of the weights."""
        return sha256(b"".join(each.tobytes() for each in self._weights().values())).hexdigest()

    def save(self, path: Path) -> None:
        """Write the weights to a file."""
        stored = {
            WEIGHTS[name][0]: array.astype(np.int32) for name, array in self._weights().items()
        }
        about = json.dumps({"format": FORMAT, "made": self.provenance})
        with path.open("wb") as file:  # np.savez would append .npz to a path
            np.savez_compressed(file, about=np.array(about), **stored)  # type: ignore[arg-type]  # mypy takes **stored for allow_pickle

    def _weights(self) -> dict[str, Floats]:
        return {name: getattr(self, name) for name in WEIGHTS}


def quantised(weights: dict[str, Floats], provenance: dict[str, Any]) -> Network:
    """The network of trained weights, rounded to integers."""
    # A file does not know −0, so none may be hashed.
    integers = {
        name: np.ascontiguousarray(np.rint(array * UNIT ** WEIGHTS[name][1]) + 0, dtype=np.float32)
        for name, array in weights.items()
    }
    return Network(**integers, provenance=provenance)


def load_network(path: Path) -> Network:
    """Read the weights of a file."""
    try:
        # np.load of a path leaves the file open after an error
        with np.load(BytesIO(path.read_bytes())) as found:
            about = json.loads(str(found["about"]))
            file_format, provenance = about["format"], about["made"]
            weights = {
                name: found[stored].astype(np.float32) for name, (stored, _) in WEIGHTS.items()
            }
    except (OSError, EOFError, KeyError, ValueError, TypeError, BadZipFile) as error:
        raise InvalidConfig("network", f"{path}: not a network: {error}") from error
    if file_format != FORMAT:
        raise InvalidConfig("network", f"{path}: format {file_format} is not {FORMAT}")
    return Network(**weights, provenance=provenance)


def stacked(*networks: Network) -> Layers:
    """Networks of the same shape as one tuple of arrays: see hearts.kernels.network.stack."""
    by_layer = zip(*(each.arrays for each in networks), strict=True)
    return Layers(*(np.stack(arrays) for arrays in by_layer))


@cache
def shipped_stack() -> Layers:
    """The networks that rollouts may use: that of our own play, then those of opponents."""
    return stacked(*(network_in_data(name) for name in NETWORKS))


@cache
def network_in_data(name: str) -> Network:
    """A network of `NETWORKS`."""
    with as_file(files("hearts") / "data" / NETWORKS[name]) as path:
        return load_network(path)


def shipped() -> Network:
    """The network that rollouts use."""
    return network_in_data(SHIPPED)


def seen_by(view: View) -> tuple[Seen, np.uint64]:
    """What the seats of a view have seen, and the bit mask of known voids (`void_bit`).

    Only the row of the viewer has a pass. The passes of the others are hidden from it, so in its
    rollouts they play as if they did not know them either.
    """
    seen = np.zeros((SEATS, 4), dtype=np.uint64)
    for trick in (*view.tricks, view.trick):
        for place, card in enumerate(trick.cards):
            seat = (trick.leader + place) % SEATS
            seen[seat, layout.SEEN_PLAYED] |= np.uint64(1 << card)
    if view.passed and view.received:
        given: tuple[CardSet, ...] = (view.passed, view.received, int(view.direction))
        seen[view.seat, layout.SEEN_GAVE :] = given
    return seen, shown_voids(view)

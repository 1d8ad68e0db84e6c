"""Player types: how an opponent may play, as a distribution of cards given what its seat knows.

A type is a logit style of a style book (`models.styles`), or a kernel policy with some noise. A new
type of the second kind is one entry of POLICY_TYPES.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.policies import POLICIES, policy_codes
from hearts.kernels.beliefs.likelihood import Types
from models.styles import PHASES, Floats, StyleBook

# The policies that an opponent may follow, by their names in POLICIES.
POLICY_TYPES = ("duck", "cautious", "guard", "shooter")

# The share of moves that differ from the policy. Several values, so that the chain finds its way
# from a noisy type to a strict one, whose deals are few.
NOISES = {0.3: 0.3, 0.1: 0.3, 0.02: 0.4}  # and how common each is
OTHER = "other"  # the label of a style
POLICY_TABLES = 0.2  # share of tables at which everybody follows one policy
POLICY_GUESTS = 0.05  # share of players with a policy at the other tables
OTHER_GUESTS = 0.3  # share of other players at the tables of a policy, half of them with a policy


@dataclass(frozen=True)
class TypeBook:
    """The player types of an opponent model, and how common they are."""

    styles: StyleBook
    policies: tuple[str, ...] = ()

    @property
    def style_count(self) -> int:
        """S: the types below this number are styles."""
        return len(self.styles.weights)

    @property
    def size(self) -> int:
        """The number of types."""
        return self.style_count + len(self.policies) * len(NOISES)

    @property
    def codes(self) -> NDArray[np.int64]:
        """The policies as kernel numbers (K,)."""
        return policy_codes(self.policies)

    @property
    def noises(self) -> Floats:
        """The noises of each policy (J,)."""
        return np.array(list(NOISES))

    @cached_property
    def policy_of(self) -> tuple[str | None, ...]:
        """For every type, the name of its policy; None for a style."""
        named = (name for name in self.policies for _ in NOISES)
        return (*[None] * self.style_count, *named)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """For every type, what such a player does, for people."""
        return tuple(POLICIES[name].label if name else OTHER for name in self.policy_of)

    @cached_property
    def log_corrections(self) -> Floats:
        """What an action adds to the log-likelihood of each type and phase (types, 4)."""
        result = np.zeros((self.size, len(PHASES)))
        result[: self.style_count] = self.styles.log_corrections
        return result

    @cached_property
    def table_weights(self) -> Floats:
        """The weight of each type at a seat of each kind of table (tables, types)."""
        plain = self.styles.table_weights
        if not self.policies:
            return plain
        noises = np.array(list(NOISES.values()))
        by_policy = np.kron(np.eye(len(self.policies)), noises)
        guests = POLICY_GUESTS * by_policy.mean(axis=0)
        shares = plain.sum(axis=1, keepdims=True)  # of the kinds of table
        ordinary = np.hstack([(1 - POLICY_GUESTS) * plain, shares * guests])
        anybody = np.hstack([plain.sum(axis=0), by_policy.mean(axis=0)]) / 2
        nothing = np.zeros((len(self.policies), self.style_count))
        same = (1 - OTHER_GUESTS) * np.hstack([nothing, by_policy]) + OTHER_GUESTS * anybody
        return np.vstack(
            [(1 - POLICY_TABLES) * ordinary, POLICY_TABLES / len(self.policies) * same]
        )

    @cached_property
    def arrays(self) -> Types:
        """The types as kernel arrays."""
        styles = self.styles
        return Types(
            styles.play_weights, *styles.pass_tables, self.codes, self.noises, styles.powers,
            self.table_weights,
        )  # fmt: skip

"""The search configuration: every option with its meaning, default and limits."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from hearts.engine.playouts import Playout
from hearts.game.errors import InvalidConfig

ALGORITHMS = ("pimc", "ismcts", "open-loop", "rollouts")
ONE_TREE = ("ismcts", "open-loop")  # one tree over all worlds: no statistics per world
OPPONENTS = ("best-reply", "policy")
REWARDS = ("points", "relative", "difference", "match")
AGGREGATIONS = ("vote", "visits", "value", "weighted", "mean-variance", "worst-case")
BEST_CHILDREN = ("max", "robust", "secure")
PASSINGS = ("search", "rule")
CLOCKS = ("wall", "cpu")
PLAYOUTS = tuple(playout.value for playout in Playout)

MAX_SIMULATIONS = 1_000_000  # 48 MB of tree at 48 bytes a node
MAX_WORLDS = 10_000
MAX_TIME_MS = 60_000
MAX_THREADS = 64
MAX_ENDGAME = 7  # a world of 8 cards a seat may take seconds to solve

# The names of version 0.1 for options that were renamed. The HTTP API still returns them, and
# requests, journals and stored rows may use them.
PUBLISHED_NAMES = {"policy_weight": "prior", "auxiliary_simulations": "counsel"}
_ALIASES = {published: field for field, published in PUBLISHED_NAMES.items()}


@dataclass(frozen=True)
class SearchConfig:
    """How a card is chosen; the same view, config and seed give the same decision."""

    # pimc: one tree per world. ismcts: one tree over information sets, a new world every iteration,
    # with availability counts. open-loop: ismcts without availability counts. rollouts: no tree;
    # every move is tried in every world, and the network, which sees no hidden card, plays on for
    # all seats. Under rules with other penalties the policy of `cautious` does.
    algorithm: str = "pimc"
    belief: str = "OM-1"  # the opponent model that samples worlds, by its entry point
    # Number of worlds for pimc, rollouts and solved endings. A single tree takes a new world every
    # iteration.
    worlds: int = 30
    simulations: int = 10_000  # playouts in total, shared among the worlds
    time_ms: float | None = None  # search for this long instead of counting `simulations`
    # The clock of `time_ms`. wall: elapsed time. cpu: CPU time of the searching thread, so that a
    # measured search does not depend on the load of the machine.
    clock: str = "wall"
    threads: int = 1  # worlds are searched in parallel; the result does not depend on it
    c: float = 2.0  # exploration constant of UCB1, for rewards in [0, 1]
    # The policy below the tree. Softmax playouts were trained on the usual scoring only; under
    # other rules ε-greedy playouts are used.
    playout: str = "epsilon-greedy"
    epsilon: float = 0.1  # share of random cards in ε-greedy and shoot-aware playouts
    # best-reply: inside the tree the opponents maximise their reward with open cards. policy: they
    # play by the softmax policy if that is the playout, else ε-greedy, without seeing hidden cards.
    opponents: str = "policy"
    reward: str = "relative"  # what a seat maximises: see hearts.engine.rewards
    aggregation: str = "weighted"  # how the statistics of many worlds become one score per move
    best_child: str = "robust"  # which move a single tree votes for
    # rollouts: weight of log π(move) that is added to a move's mean reward. The network's policy π
    # also uses what earlier plays reveal about hands; rollouts are few and do not.
    policy_weight: float = 0.003
    # rollouts: simulations of an auxiliary ismcts tree over the same worlds. A move's advantage in
    # that tree is added to its mean reward. With `time_ms` the tree gets a fifth of the time.
    auxiliary_simulations: int = 0
    risk: float = 0.5  # mean-variance: standard deviations between worlds that are subtracted
    # Worlds with at most this many cards a seat are solved exactly with open cards; 0: never. With
    # any other value, a deal that is known for certain is solved from six cards on. For the rewards
    # `relative` and `match` the solver maximises the difference, which is additive over tricks.
    endgame: int = 1
    passing: str = "search"  # how three cards are chosen: by search or by rule
    blunder: float = 0.0  # probability of a random legal card after the search
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.belief, str):
            raise InvalidConfig("belief", f"{self.belief!r} is not the name of a belief")
        for field, choices in _CHOICES.items():
            _check_choice(field, getattr(self, field), choices)
        for field, limits in _INTEGERS.items():
            _check_integer(field, getattr(self, field), *limits)
        for field, limits in _NUMBERS.items():
            _check_number(field, getattr(self, field), *limits)
        if self.time_ms is not None:
            _check_number("time_ms", self.time_ms, 1, MAX_TIME_MS)
        if self.clock == "cpu" and self.threads > 1:
            raise InvalidConfig("clock", "'cpu' counts the work of one thread: threads must be 1")

    @classmethod
    def parse(
        cls, options: Mapping[str, Any], base: "SearchConfig | None" = None
    ) -> "SearchConfig":
        """Change options of `base` (default: the default config), given by either of their names.

        Errors use the name that the caller gave.
        """
        for option in options:
            if option not in OPTIONS:
                raise InvalidConfig(option, f"unknown; choose from {', '.join(sorted(FIELDS))}")
            if PUBLISHED_NAMES.get(option) in options:
                alias = PUBLISHED_NAMES[option]
                raise InvalidConfig(option, f"{alias!r} is another name for it: give only one")
        try:
            return replace(base or cls(), **canonical(options))
        except InvalidConfig as error:
            alias = PUBLISHED_NAMES.get(error.field, error.field)
            raise InvalidConfig(alias if alias in options else error.field, error.reason) from None

    @classmethod
    def stored(cls, options: Mapping[str, Any]) -> "StoredConfig":
        """The config of a database row or a journal, perhaps written by another version.

        Missing options have their default. Unknown options are skipped and reported.
        """
        renamed = canonical(options)
        unknown = tuple(sorted(renamed.keys() - FIELDS))
        known = {option: value for option, value in renamed.items() if option in FIELDS}
        return StoredConfig(cls(**known), unknown)


class StoredConfig(NamedTuple):
    """A config that was loaded from storage."""

    config: SearchConfig
    unknown: tuple[str, ...]  # the options that this version does not know, which were skipped


FIELDS = frozenset(field.name for field in fields(SearchConfig))
OPTIONS = FIELDS | _ALIASES.keys()  # every name that `SearchConfig.parse` accepts


def canonical(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options under their field names; if both names are given, the field name wins."""
    renamed = {_ALIASES.get(option, option): value for option, value in options.items()}
    return renamed | {option: options[option] for option in PUBLISHED_NAMES if option in options}


def published(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options under the names of version 0.1, as the HTTP API returns them."""
    return {PUBLISHED_NAMES.get(option, option): value for option, value in options.items()}


_CHOICES: dict[str, tuple[str, ...]] = {
    "algorithm": ALGORITHMS,
    "playout": PLAYOUTS,
    "opponents": OPPONENTS,
    "reward": REWARDS,
    "aggregation": AGGREGATIONS,
    "best_child": BEST_CHILDREN,
    "passing": PASSINGS,
    "clock": CLOCKS,
}
_INTEGERS = {
    "simulations": (1, MAX_SIMULATIONS),
    "worlds": (1, MAX_WORLDS),
    "threads": (1, MAX_THREADS),
    "endgame": (0, MAX_ENDGAME),
    "auxiliary_simulations": (0, MAX_SIMULATIONS),
    "seed": (0, 2**64 - 1),
}
_NUMBERS = {
    "epsilon": (0, 1),
    "blunder": (0, 1),
    "c": (0, 100),
    "risk": (0, 100),
    "policy_weight": (0, 100),
}


def _check_choice(field: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InvalidConfig(field, f"{value!r} is unknown; choose {', '.join(choices)}")


def _check_integer(field: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidConfig(field, f"{value!r} is not a whole number")
    _check_number(field, value, low, high)


def _check_number(field: str, value: object, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise InvalidConfig(field, f"{value!r} is not a number")
    if not low <= value <= high:
        huge = isinstance(value, int) and abs(value) > 10**30  # too long to print
        shown = "such a number" if huge else value
        raise InvalidConfig(field, f"{shown} is out of range: {low} to {high}")

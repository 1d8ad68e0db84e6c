"""How a search is done: every knob with its meaning, its default and its limits."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from hearts.engine.bridge.playouts import Playout
from hearts.game.errors import InvalidConfig

ALGORITHMS = ("pimc", "ismcts", "open-loop", "rollouts")
ONE_TREE = ("ismcts", "open-loop")  # those that have no figures of each world
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


@dataclass(frozen=True)
class SearchConfig:
    """One way to choose a card; the same view, config and seed give the same decision."""

    # pimc: a tree on each world. ismcts: one tree over information sets, a new world every
    # iteration, availability counts. open-loop: as ismcts, without availability counts. rollouts:
    # no tree; each move is tried in each world and everybody plays on as the network does, which
    # sees no hidden card. It knows full histories by the usual scoring; elsewhere ismcts is used.
    algorithm: str = "pimc"
    belief: str = "OM-1"  # the opponent model that worlds come from, by its entry point
    # Worlds that pimc and rollouts search and that endings are solved in; a single tree takes a new
    # one every iteration.
    worlds: int = 30
    simulations: int = 10_000  # playouts in all, shared among the worlds
    time_ms: float | None = None  # stop after so long instead of after `simulations`
    # What `time_ms` counts. wall: what a player waits. cpu: the work of the searching thread, so
    # that a busy machine takes nothing away from a search that is measured.
    clock: str = "wall"
    threads: int = 1  # over worlds; without influence on the result
    c: float = 2.0  # exploration constant of UCB1, on rewards in [0, 1]
    # How a simulation goes on below the tree; where scoring is unusual, which softmax playouts have
    # not learned, ε-greedy ones take their place.
    playout: str = "epsilon-greedy"
    epsilon: float = 0.1  # share of random cards in ε-greedy and shoot-aware playouts
    # best-reply: in the tree the others play their best, as if all cards were open. policy: they
    # play as playouts do, softmax ones or else ε-greedy ones, without a look at hidden cards.
    opponents: str = "policy"
    reward: str = "relative"  # what a seat tries to get: see hearts.engine.rewards
    aggregation: str = "weighted"  # how the trees of many worlds become one move
    best_child: str = "robust"  # which move a single tree votes for
    # rollouts: what e times the odds by the network are worth, in rewards: rollouts are few and
    # know nothing of what plays say about hands, the network by itself does.
    prior: float = 0.003
    # rollouts: simulations of a single tree over the same worlds. How much better than the others
    # it finds a move counts as much as what the rollouts find; of a budget of time it has a fifth.
    counsel: int = 0
    risk: float = 0.5  # mean-variance: standard deviations between worlds that are deducted
    # Worlds of at most so many cards a seat are solved exactly, as if all cards were open; 0: none.
    # With 1, only a deal that is certain is solved, from six cards on. For the rewards relative and
    # match the solver plays for the difference, which is close to both and adds up over tricks.
    endgame: int = 1
    passing: str = "search"  # how three cards are chosen: by search or by rule
    blunder: float = 0.0  # probability of a random legal card after the search
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.belief, str):
            raise InvalidConfig("belief", f"{self.belief!r} is not the name of a belief")
        _choice("algorithm", self.algorithm, ALGORITHMS)
        _choice("playout", self.playout, PLAYOUTS)
        _choice("opponents", self.opponents, OPPONENTS)
        _choice("reward", self.reward, REWARDS)
        _choice("aggregation", self.aggregation, AGGREGATIONS)
        _choice("best_child", self.best_child, BEST_CHILDREN)
        _choice("passing", self.passing, PASSINGS)
        _choice("clock", self.clock, CLOCKS)
        _whole("simulations", self.simulations, 1, MAX_SIMULATIONS)
        _whole("worlds", self.worlds, 1, MAX_WORLDS)
        _whole("threads", self.threads, 1, MAX_THREADS)
        _whole("endgame", self.endgame, 0, MAX_ENDGAME)
        _whole("counsel", self.counsel, 0, MAX_SIMULATIONS)
        _whole("seed", self.seed, 0, 2**64 - 1)
        _number("epsilon", self.epsilon, 0, 1)
        _number("blunder", self.blunder, 0, 1)
        _number("c", self.c, 0, 100)
        _number("risk", self.risk, 0, 100)
        _number("prior", self.prior, 0, 100)
        if self.time_ms is not None:
            _number("time_ms", self.time_ms, 1, MAX_TIME_MS)
        if self.clock == "cpu" and self.threads > 1:
            raise InvalidConfig("clock", "'cpu' counts the work of one thread: threads must be 1")

    @classmethod
    def parse(
        cls, options: Mapping[str, Any], base: "SearchConfig | None" = None
    ) -> "SearchConfig":
        """`base` (default: the default config) with the options that are named."""
        known = {field.name for field in fields(cls)}
        for option in options:
            if option not in known:
                raise InvalidConfig(option, f"unknown; choose from {', '.join(sorted(known))}")
        return replace(base or cls(), **options)


def _choice(field: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InvalidConfig(field, f"{value!r} is unknown; choose {', '.join(choices)}")


def _whole(field: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidConfig(field, f"{value!r} is not a whole number")
    _number(field, value, low, high)


def _number(field: str, value: object, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise InvalidConfig(field, f"{value!r} is not a number")
    if not low <= value <= high:
        huge = isinstance(value, int) and abs(value) > 10**30  # too long to be printed
        shown = "such a number" if huge else value
        raise InvalidConfig(field, f"{shown} is out of range: {low} to {high}")


# UCT as the literature has it: in the tree everybody replies best, with open cards.
PLAIN = SearchConfig(
    opponents="best-reply", c=0.5, reward="difference", aggregation="value", endgame=0
)

# What a player meets: each level adds what was measured to help (docs/experiments/022-levels.md),
# since more simulations alone do not. Budgets are counted, not timed, so that a seed gives the same
# card everywhere: about 1, 2, 16 and 25 ms of one core on average, where they were measured.
LEVELS = {
    # Errs like a person who missed a beat: every fourth card is a random legal one.
    "easy": SearchConfig(worlds=10, simulations=300, passing="rule", blunder=0.25),
    # A tree on each of thirty worlds: it thinks that it will see all cards from the next one on.
    "medium": SearchConfig(simulations=3_500, endgame=3),
    # One tree over information sets: it knows that it will not see hidden cards later either. And
    # it guesses hands from passes and plays.
    "hard": SearchConfig(
        algorithm="ismcts", belief="OM-2", playout="softmax", c=0.5, worlds=100, simulations=5_000,
        reward="difference", endgame=3,
    ),
    # Everybody plays on as the network does, and a tree as of `hard` is heard too. Where the
    # network does not know the rules, the tree decides alone.
    "expert": SearchConfig(
        algorithm="rollouts", belief="OM-2", playout="softmax", c=0.5, worlds=200,
        simulations=2_000, counsel=5_000, reward="difference", endgame=3,
    ),
}  # fmt: skip

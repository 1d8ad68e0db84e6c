"""Reads the `ai_config` of a request into a SearchConfig.

    the service's defaults  <  level  <  player_type  <  the options that are given

The schema has checked types; the engine checks ranges, and this module the service's ceilings.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from hearts.engine.beliefs import load_belief
from hearts.engine.config import OPTIONS, SearchConfig, published
from hearts.engine.fallbacks import fallbacks
from hearts.engine.levels import DEFAULT, LEVELS
from hearts.game.errors import InvalidConfig
from hearts.views.view import View
from server.runtime.errors import InvalidAiConfig
from server.runtime.messages import closest, quoted, unknown_fields
from server.runtime.requests import RequestData
from server.runtime.settings import Settings

Knob = str | int | float  # the value of a SearchConfig field
Knobs = Mapping[str, Knob]

# The defaults that the API promises for a move are those of the engine; these are for a fast one.
FAST = replace(DEFAULT, simulations=1_000, worlds=20)

# The options of the clients' player types. All types differ, also after the global ones switch to
# the reward `match`, which they do when the request has match scores.
PLAYER_TYPES: dict[str, dict[str, Knob]] = {
    "simple": {"reward": "points"},
    "safe_simple": {"reward": "points", "aggregation": "mean-variance"},
    "global": {"reward": "difference", "endgame": 4},
    "global2": {"reward": "relative", "aggregation": "mean-variance"},
    "global3": {"reward": "difference", "algorithm": "ismcts", "c": 0.5},
}
_GLOBAL = "global"

# Fields without effect that existing clients put into `ai_config`: labels and diagnostics. They are
# warned of. Any other unknown field is an error, because a misspelt option would be lost.
CLIENT_EXTRAS = frozenset(
    {
        "client", "comment", "debug", "description", "game_id", "id", "log", "name", "player",
        "player_name", "request_id", "session_id", "timestamp", "user", "verbose", "version",
    }
)  # fmt: skip
# The options of clients that were written for other servers. Beside `ai_config`, where these
# clients may repeat them, they are warned of; all other options there are errors.
_CLIENT_OPTIONS = frozenset({"simulations", "worlds", "epsilon", "use_threads", "player_type"})
_OTHER_OPTIONS = frozenset({"level", "player_type", "lambda", "use_threads", "explain", "hint"})
ALL_OPTIONS = OPTIONS | _OTHER_OPTIONS  # the fields of `ai_config`
_SEEDS = 2**32  # a random seed fits into 32 bits, so that every language can hold it


@dataclass(frozen=True)
class Ceilings:
    """The most that a request may ask for."""

    simulations: int
    worlds: int
    time_ms: int
    threads: int
    table_time_ms: int = 1000  # of bots at tables

    @classmethod
    def of(cls, settings: Settings) -> Ceilings:
        """The ceilings of the settings."""
        return cls(
            simulations=settings.max_simulations,
            worlds=settings.max_worlds,
            time_ms=settings.max_time_ms,
            threads=settings.slots,
            table_time_ms=settings.max_table_time_ms,
        )

    @property
    def at_tables(self) -> Ceilings:
        """The ceilings of bots at tables, which search without anybody waiting for each move."""
        return replace(self, time_ms=min(self.time_ms, self.table_time_ms))


@dataclass(frozen=True, kw_only=True)
class AiOptions(RequestData):
    """The search options of a request; None where one is absent."""

    knobs: Knobs = field(default_factory=dict)  # fields of SearchConfig, also by published names
    level: str | None = None
    player_type: str | None = None
    share: float | None = None  # `lambda`: the share of the belief `mixture`
    use_threads: bool = True
    explain: bool = True
    hint: bool = False


NO_OPTIONS = AiOptions()


@dataclass(frozen=True)
class SearchRequest:
    """The search that a client asks for."""

    config: SearchConfig
    threads: int | None  # None: as many as there are free cores
    explain: bool  # whether the answer has statistics and an explanation
    warnings: list[str]  # grows while the request is answered
    # The field that names what a fallback replaces, by option; only options that the client chose.
    chosen: Mapping[str, str] = field(default_factory=dict)
    hint: bool = False  # whether the answer advises a player

    def warn_of_fallbacks(self, view: View) -> None:
        """Add a warning for every option of the client that a view does not support."""
        for option, reason in fallbacks(view, self.config):
            text = f"{self.chosen.get(option)}: {reason}"
            if option in self.chosen and text not in self.warnings:
                self.warnings.append(text)

    def published(self, config: SearchConfig) -> dict[str, object]:
        """A config as answers show it, with the threads that the client asked for, if any.

        How many cores were free would tell whether bots at tables search or have forced cards.
        """
        shown: dict[str, object] = published(vars(config))
        del shown["threads"]
        return shown if self.threads is None else shown | {"threads": self.threads}

    def config_for(self, free: int) -> SearchConfig:
        """The config with the threads that the client wants, or with `free` ones."""
        threads = self.threads or free
        config = self.config
        return config if config.threads == threads else replace(config, threads=threads)


def read_config(
    options: AiOptions,
    ceilings: Ceilings,
    *,
    base: SearchConfig = DEFAULT,
    match_known: bool = False,
    beside: Collection[str] = (),
) -> SearchRequest:
    """The search that a request asks for; `base` has the values of absent options.

    Options `beside` are fields of the request itself and not of its `ai_config`.
    """

    def at(option: str) -> str:
        return option if option in beside else f"ai_config.{option}"

    _check_unknown(options.unknown)
    warnings = unknown_fields(options.unknown, place="ai_config.")
    warnings += [f"{at(option)}: {reason}" for option, reason in _corrections(options)]
    knobs = _knobs(options)
    try:
        _check_ceilings(knobs, ceilings)
        kind = _player_type(options.player_type, match_known) or {}
        config = SearchConfig.parse(kind | _playout(knobs) | knobs, _level(options.level, base))
        load_belief(config.belief)
    except InvalidConfig as error:
        raise InvalidAiConfig(error.reason, field=at(error.field)) from None
    chosen = {option: at(field) for option, field in _chosen(options)}
    threads = _threads(options, config)
    return SearchRequest(config, threads, options.explain, warnings, chosen, options.hint)


def check_misplaced(unknown: Iterable[str]) -> None:
    """Raise InvalidAiConfig for an option beside `ai_config`, among the unknown fields there."""
    for name in sorted(unknown):
        if name in ALL_OPTIONS - _CLIENT_OPTIONS:
            raise InvalidAiConfig("is misplaced: it belongs in ai_config", field=name)


def new_seed() -> int:
    """A random seed for a request without one."""
    return secrets.randbelow(_SEEDS)


def with_share(belief: str, share: float | None, field: str) -> str:
    """The name of a belief with the λ that the request gives in `field`."""
    if share is None:
        return belief
    if belief != "mixture":
        raise InvalidAiConfig("only the belief 'mixture' has a λ", field=field)
    return f"{belief}:{share}"


def _check_unknown(unknown: Iterable[str]) -> None:
    """Raise InvalidAiConfig for an unknown option that existing clients do not send."""
    for name in sorted({*unknown} - CLIENT_EXTRAS):
        match, known = closest(name, ALL_OPTIONS), ", ".join(sorted(ALL_OPTIONS))
        hint = f"did you mean {match!r}?" if match else f"the options are {known}"
        raise InvalidAiConfig(f"there is no such option; {hint}", field=f"ai_config.{name[:40]}")


def _chosen(options: AiOptions) -> Iterator[tuple[str, str]]:
    """The options that a client chose and that may have a fallback, each with its field."""
    for option in ("algorithm", "playout"):
        if option in options.knobs:
            yield option, option
        elif options.level is not None:
            yield option, "level"


def _corrections(options: AiOptions) -> Iterator[tuple[str, str]]:
    """Options whose value is not used as it is, each with the reason."""
    if (simulations := _too_few(options.knobs)) is not None:
        yield "simulations", f"{quoted(simulations)} counts as 1"
    if _player_type(options.player_type) is None:
        known, name = ", ".join(PLAYER_TYPES), str(options.player_type)[:40]
        yield "player_type", f"{name!r} is unknown (known: {known}), ignored"


def _knobs(options: AiOptions) -> dict[str, Knob]:
    """The fields of SearchConfig that a request gives, with a seed."""
    knobs = {"seed": new_seed()} | dict(options.knobs)
    if _too_few(knobs) is not None:
        knobs["simulations"] = 1
    if options.share is not None:
        belief = str(knobs.get("belief", ""))
        knobs["belief"] = with_share(belief, options.share, "ai_config.lambda")
    return knobs


def _playout(knobs: Knobs) -> dict[str, Knob]:
    """ε-greedy playouts for a client that names ε but no playout: other playouts have no ε."""
    return {"playout": "epsilon-greedy"} if "epsilon" in knobs else {}


def _too_few(knobs: Knobs) -> int | None:
    """The number of simulations if it is below 1."""
    simulations = knobs.get("simulations")
    return simulations if isinstance(simulations, int) and simulations < 1 else None


def _level(name: str | None, base: SearchConfig) -> SearchConfig:
    if name is None:
        return base
    if name not in LEVELS:
        raise InvalidConfig("level", f"{name!r} is unknown; choose {', '.join(LEVELS)}")
    return LEVELS[name]


def _player_type(name: str | None, match_known: bool = False) -> dict[str, Knob] | None:
    """The options of a player type; None if it is unknown."""
    kind = {} if name is None else PLAYER_TYPES.get(name)
    if kind and match_known and str(name).startswith(_GLOBAL):
        return kind | {"reward": "match"}
    return kind


def _threads(options: AiOptions, config: SearchConfig) -> int | None:
    """The threads that the client wants; None: the service decides."""
    if not options.use_threads or config.clock == "cpu":
        return 1
    return config.threads if "threads" in options.knobs else None


def _check_ceilings(knobs: Knobs, ceilings: Ceilings) -> None:
    """Reject values that the engine could handle but this service does not allow."""
    for name, most in vars(ceilings).items():
        value = knobs.get(name)
        if isinstance(value, int | float) and value > most:
            shown = value if value < 10**30 else "such a number"
            raise InvalidConfig(name, f"{shown} is more than the {most} that this service allows")

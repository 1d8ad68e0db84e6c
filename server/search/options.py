"""The `ai_config` of a client's request, as a SearchConfig.

    the service's defaults  <  level  <  player_type  <  the options that are named

Every value is checked: types by the schema, ranges by the engine, ceilings here.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hearts.engine.beliefs import load_belief
from hearts.engine.config import OPTIONS, SearchConfig
from hearts.engine.levels import LEVELS
from hearts.game.errors import InvalidConfig
from server.http.schemas.requests import AiConfig
from server.runtime.errors import InvalidAiConfig
from server.runtime.messages import quoted, unknown_fields
from server.runtime.settings import Settings

# What the clients' contract promises to who names nothing, and to who plays fast.
DEFAULT = replace(SearchConfig(), simulations=10_000, worlds=30, epsilon=0.1)
FAST = replace(DEFAULT, simulations=1_000, worlds=20)

# What the clients' player types mean here: no two are the same, also once the global ones look at
# the match, as they do where they know it.
PLAYER_TYPES: dict[str, dict[str, Any]] = {
    "simple": {"reward": "points"},
    "safe_simple": {"reward": "points", "aggregation": "mean-variance"},
    "global": {"reward": "difference"},
    "global2": {"reward": "relative", "aggregation": "mean-variance"},
    "global3": {"reward": "difference", "algorithm": "ismcts", "c": 0.5},
}
_GLOBAL = "global"
_OPTIONS = frozenset(AiConfig().fields)
_SEEDS = 2**32  # a seed of the service's own choice is a number that every language can hold


@dataclass(frozen=True)
class Ceilings:
    """The most that a request may ask for."""

    simulations: int
    worlds: int
    time_ms: int
    threads: int

    @classmethod
    def of(cls, settings: Settings) -> Ceilings:
        """The ceilings that the settings name."""
        return cls(
            settings.max_simulations, settings.max_worlds, settings.max_time_ms, settings.slots
        )


@dataclass(frozen=True)
class SearchRequest:
    """The search that a client asks for."""

    config: SearchConfig
    threads: int | None  # None: as many as there are free cores
    explain: bool  # whether the answer has statistics and an explanation
    warnings: list[str]  # grows while the request is answered

    def config_for(self, free: int) -> SearchConfig:
        """The config with the threads that the client wants, or with `free` ones."""
        threads = self.threads or free
        config = self.config
        return config if config.threads == threads else replace(config, threads=threads)


def read_config(
    options: Mapping[str, Any] | None,
    ceilings: Ceilings,
    *,
    base: SearchConfig = DEFAULT,
    match_known: bool = False,
    beside: Collection[str] = (),
) -> SearchRequest:
    """The search that a request wants (checked for types); `base` is what it names nothing of.

    Options `beside` are those that the request has in itself and not in `ai_config`.
    """

    def at(option: str) -> str:
        return option if option in beside else f"ai_config.{option}"

    options = options or {}
    warnings = unknown_fields(options, _OPTIONS, "ai_config.")
    given = {key: value for key, value in options.items() if value is not None}
    knobs = {key: value for key, value in given.items() if key in OPTIONS}
    if knobs.get("simulations", 1) < 1:
        warnings.append(f"{at('simulations')}: {quoted(knobs['simulations'])} counts as 1")
        knobs["simulations"] = 1
    kind = _player_type(given.get("player_type"), match_known)
    if kind is None:
        known, name = ", ".join(PLAYER_TYPES), given["player_type"][:40]
        warnings.append(f"{at('player_type')}: {name!r} is unknown (known: {known}), ignored")
    if "lambda" in given:
        belief = with_share(given.get("belief", ""), given["lambda"], "ai_config.lambda")
        knobs["belief"] = belief
    knobs.setdefault("seed", new_seed())
    try:
        _check_ceilings(knobs, ceilings)
        config = SearchConfig.parse((kind or {}) | knobs, _level(given.get("level"), base))
        load_belief(config.belief)
    except InvalidConfig as error:
        raise InvalidAiConfig(error.reason, field=at(error.field)) from None
    return SearchRequest(
        config=config,
        threads=_threads(given, config),
        explain=given.get("explain", True),
        warnings=warnings,
    )


def new_seed() -> int:
    """A seed for a request that names none."""
    return secrets.randbelow(_SEEDS)


def _level(name: str | None, base: SearchConfig) -> SearchConfig:
    if name is None:
        return base
    if name not in LEVELS:
        raise InvalidConfig("level", f"{name!r} is unknown; choose {', '.join(LEVELS)}")
    return LEVELS[name]


def _player_type(name: str | None, match_known: bool) -> dict[str, Any] | None:
    """The options of a player type; None: it is unknown."""
    kind = {} if name is None else PLAYER_TYPES.get(name)
    if kind and match_known and str(name).startswith(_GLOBAL):
        return kind | {"reward": "match"}
    return kind


def with_share(belief: str, share: float | None, field: str) -> str:
    """The name of a belief with its λ where that is given apart."""
    if share is None:
        return belief
    if belief != "mixture":
        raise InvalidAiConfig("only the belief 'mixture' has a λ", field=field)
    return f"{belief}:{share}"


def _threads(given: Mapping[str, Any], config: SearchConfig) -> int | None:
    """How many threads the client wants; None: it leaves that to us."""
    if given.get("use_threads") is False or config.clock == "cpu":
        return 1
    return config.threads if "threads" in given else None


def _check_ceilings(knobs: Mapping[str, Any], ceilings: Ceilings) -> None:
    """Refuse what the engine could do, but this service does not."""
    for name, most in vars(ceilings).items():
        value = knobs.get(name)
        if value is not None and value > most:
            shown = value if value < 10**30 else "such a number"
            reason = f"{shown} is more than the {most} that this service allows"
            raise InvalidConfig(name, reason)

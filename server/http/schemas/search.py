"""The schema of `ai_config`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field
from dataclasses import fields as dataclass_fields
from typing import Any

from hearts.engine.config import OPTIONS, PUBLISHED_NAMES, SearchConfig
from server.http.schemas.base import RequestSchema
from server.http.schemas.fields import Flag, Number, Text, Whole, about
from server.search.options import AiOptions, check_misplaced

# The description of every field of SearchConfig; the engine checks the values.
DESCRIPTIONS = {
    "algorithm": "pimc, ismcts, open-loop or rollouts",
    "belief": "the opponent model that samples worlds: see /api/models",
    "worlds": "sampled worlds; absent: 30",
    "simulations": "playouts in total; absent: 10000; values below 1 count as 1",
    "time_ms": "search for this long instead of counting simulations",
    "clock": "the clock of time_ms: wall, or cpu for the CPU time of the search",
    "threads": "threads of the search; absent: the free cores; the result does not depend on it",
    "c": "exploration constant of UCB1",
    "playout": "the policy below the tree: see /api/models",
    "epsilon": "share of random cards in ε-greedy and shoot-aware playouts; absent: 0.1",
    "opponents": "how the opponents play inside the tree: best-reply or policy",
    "reward": "what a seat maximises: points, relative, difference or match",
    "aggregation": "how the trees of many worlds become one move: see /api/models",
    "best_child": "the move that a single tree votes for: max, robust or secure",
    "risk": "standard deviations that the aggregation mean-variance subtracts",
    "policy_weight": "rollouts: weight of the network's log π(move) in the score of a move",
    "auxiliary_simulations": "rollouts: simulations of an auxiliary tree; 0: none",
    "endgame": "worlds with at most this many cards per seat are solved exactly",
    "passing": "how three cards are chosen: search or rule",
    "blunder": "probability of a random legal card after the search",
    "seed": "the same state, config and seed give the same answer; absent: a random one",
}
_KINDS: dict[str, Any] = {"int": Whole, "float": Number, "float | None": Number, "str": Text}


def share() -> Number:
    """The field `lambda`, which Python does not allow as a name."""
    return Number(data_key="lambda", **about("the share of the belief `mixture`, 0 to 1"))


class SearchRequestSchema(RequestSchema):
    """A request with an `ai_config`: an option beside it is an error."""

    def build(self, given: dict[str, Any], sent: Mapping[str, Any]) -> Any:
        """The dataclass of the request."""
        check_misplaced(sent.keys() - self.attributes.keys())
        return super().build(given, sent)


class AiOptionsSchema(RequestSchema):
    """The search options of a request; all are optional."""

    into = AiOptions
    use_threads = Flag(**about("false: one thread; absent: true"))
    player_type = Text(
        **about("simple, safe_simple, global, global2 or global3; others are ignored and warned of")
    )
    level = Text(**about("easy, medium, hard or expert: the config of a level"))
    explain = Flag(**about("false: omit analysis and explanation; absent: true"))
    hint = Flag(**about("true: add the hint for a player, of a move or a pass; absent: false"))
    share = share()

    def build(self, given: dict[str, Any], sent: Mapping[str, Any]) -> Any:
        """The options; the fields of SearchConfig are `knobs`."""
        knobs = {name: value for name, value in given.items() if name in OPTIONS}
        rest = {name: value for name, value in given.items() if name not in OPTIONS}
        return super().build({"knobs": knobs, **rest}, sent)


def _knobs() -> dict[str, Any]:
    """A field for every field of SearchConfig, by both names if it has two."""
    knobs = {each.name: _knob(each) for each in dataclass_fields(SearchConfig)}
    aliases = {
        alias: type(knobs[name])(**about(f"another name for {name}"))
        for name, alias in PUBLISHED_NAMES.items()
    }
    return knobs | aliases


def _knob(knob: Field[Any]) -> Any:
    kind = _KINDS[str(getattr(knob.type, "__name__", knob.type))]
    return kind(**about(DESCRIPTIONS[knob.name]))


AiConfigSchema = AiOptionsSchema.from_dict(_knobs(), name="AiConfig")

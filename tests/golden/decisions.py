"""The golden decisions: how they are stored, computed again and compared.

`decisions.jsonl.gz` has one JSON object per line:

    {"id", "kind": "card" or "pass", "game_state", "ai_config", "also": 3 cards or absent, "result"}

`game_state` and `ai_config` are what a client posts, so the file stays valid when classes and
functions move. The keys of `result` belong to the file. `decided` maps today's classes to them: a
renamed attribute changes that function and nothing else.
"""

import gzip
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hearts.engine.decide import decide
from hearts.engine.decision import Decision
from hearts.engine.difference import Difference
from hearts.engine.passing.choose import choose_pass
from hearts.engine.passing.decision import PassDecision
from hearts.engine.statistics import MoveStatistics
from hearts.game.cards import name, names, parse_cards
from hearts.views.codec import decode_state
from server.http.schemas.moves import MoveRequestSchema
from server.search.options import Ceilings, read_config

PATH = Path(__file__).with_name("decisions.jsonl.gz")
DIGITS = 12  # significant digits that are stored
RELATIVE, ABSOLUTE = 1e-9, 1e-12  # how far a number may be from the stored one
CEILINGS = Ceilings(simulations=100_000, worlds=1_000, time_ms=1_000, threads=64)

# Every pair of these values appears in a decision about a card, in the words of `ai_config`;
# `state` and `stage` describe the position.
CARD_OPTIONS: dict[str, tuple[Any, ...]] = {
    "belief": (
        "OM-0", "OM-1", "OM-2", "mixture", "mixture:0.5", "mixture:0.6-0.1", "mixture:0.4:OM-2",
        "mixture:1:OM-0",
    ),
    "algorithm": ("pimc", "ismcts", "open-loop", "rollouts"),
    "aggregation": ("vote", "visits", "value", "weighted", "mean-variance", "worst-case"),
    "state": ("full", "match", "earlier", "won", "fragment", "short", "bare"),
    "stage": ("opening", "early", "middle", "late", "end"),
    "reward": ("points", "relative", "difference", "match"),
    "playout": ("uniform", "epsilon-greedy", "shoot-aware", "softmax"),
    "endgame": (0, 1, 3, 5),
    "best_child": ("max", "robust", "secure"),
    "risk": (0, 0.5, 2.5),
    "prior": (0, 0.003, 0.05),
    "counsel": (0, 150),
    "threads": (1, 2, 3),
    "opponents": ("best-reply", "policy"),
    "blunder": (0, 0.5),
    "epsilon": (0, 0.1, 0.5),
    "c": (0.3, 2.0),
    "worlds": (1, 8, 30),
    "simulations": (40, 200, 400),
}  # fmt: skip
# Every pair of these appears in a decision by rollouts, in positions where rollouts can search.
ROLLOUT_OPTIONS: dict[str, tuple[Any, ...]] = {
    "belief": CARD_OPTIONS["belief"],
    "aggregation": CARD_OPTIONS["aggregation"],
    "state": ("full", "match", "earlier"),
    "stage": ("opening", "early", "middle", "late"),
    "reward": CARD_OPTIONS["reward"],
    "best_child": CARD_OPTIONS["best_child"],
    "prior": CARD_OPTIONS["prior"],
    "counsel": CARD_OPTIONS["counsel"],
    "threads": CARD_OPTIONS["threads"],
    "worlds": CARD_OPTIONS["worlds"],
    "simulations": (60, 400),
}
# Every pair of these appears in a decision about a pass.
PASS_OPTIONS: dict[str, tuple[Any, ...]] = {
    "belief": ("OM-0", "OM-1", "OM-2", "mixture:0.5", "mixture:0.4:OM-2"),
    "algorithm": ("pimc", "ismcts", "open-loop", "rollouts"),
    "reward": ("points", "relative", "difference", "match"),
    "playout": ("uniform", "epsilon-greedy", "shoot-aware", "softmax"),
    "state": ("full", "match", "earlier", "short"),
    "passing": ("search", "rule"),
    "epsilon": (0, 0.1, 0.5),
    "threads": (1, 2),
    "simulations": (40, 400),
}
LEVELS = ("easy", "medium", "hard", "expert")
PLAYER_TYPES = ("simple", "safe_simple", "global", "global2", "global3")


def stored() -> list[dict[str, Any]]:
    """The cases of the file."""
    with gzip.open(PATH, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def decided(case: dict[str, Any]) -> dict[str, Any]:
    """What the code decides in a case, with every number, under the keys of the file."""
    body = MoveRequestSchema().load({key: case[key] for key in ("game_state", "ai_config")})
    state = decode_state(body.game_state, passing=case["kind"] == "pass")
    config = read_config(body.ai_config, CEILINGS, match_known=state.match_known).config
    if case["kind"] == "pass":
        also = parse_cards(case.get("also", []))
        return _pass_result(choose_pass(state.view, config, alternative=also))
    return _card_result(decide(state.view, config))


def _card_result(decision: Decision) -> dict[str, Any]:
    return _search(decision) | {
        "card": name(decision.card),
        "cards": [_statistics(decision, move) for move in decision.cards],
        "worlds": decision.worlds,
        "effective_worlds": decision.effective_worlds,
        "exact": decision.exact,
        "blunder": decision.blunder,
        "forced": decision.forced,
    }


def _statistics(decision: Decision, move: MoveStatistics) -> dict[str, Any]:
    return {
        "card": name(move.card),
        "votes": move.votes,
        "visits": move.visits,
        "points": move.points,
        "points_error": move.points_error,
        "queen": move.queen,
        "moon": move.moon,
        "moon_against": move.moon_against,
        "match_value": move.match_value,
        "tree_advantage": move.auxiliary_value,
        "score": move.score,
        "cost": _cost(decision.cost_of(move.card)),
    }


def _pass_result(decision: PassDecision) -> dict[str, Any]:
    return _search(decision) | {
        "cards": names(decision.cards),
        "candidates": [
            {
                "cards": names(candidate.cards),
                "playouts": candidate.playouts,
                "points": candidate.points,
                "points_error": candidate.points_error,
                "moon": candidate.moon,
                "score": candidate.score,
            }
            for candidate in decision.candidates
        ],
        "cost": _cost(decision.cost),
    }


def _search(decision: Decision | PassDecision) -> dict[str, Any]:
    """What both kinds of decision have."""
    config = decision.config
    return {
        "view": decision.view.fingerprint,
        "simulations": decision.simulations,
        "seed": decision.seed,
        "algorithm": config.algorithm,
        "belief": config.belief,
        "playout": config.playout,
        "reward": config.reward,
    }


def _cost(cost: Difference | None) -> dict[str, Any] | None:
    if cost is None:
        return None
    return {
        "points": cost.points,
        "error": cost.error,
        "worlds": cost.worlds,
        "cheaper": cost.cheaper,
    }


def rounded(value: Any) -> Any:
    """A result with its numbers as they are stored."""
    if isinstance(value, dict):
        return {key: rounded(below) for key, below in value.items()}
    if isinstance(value, list):
        return [rounded(below) for below in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def differences(now: Any, then: Any, place: str = "") -> Iterator[str]:
    """The places where a result is not the stored one: keys, cards and counts exactly."""
    if isinstance(then, dict) and isinstance(now, dict) and then.keys() == now.keys():
        for key in then:
            yield from differences(now[key], then[key], f"{place}.{key}")
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for number, pair in enumerate(zip(now, then, strict=True)):
            yield from differences(*pair, f"{place}[{number}]")
    elif not _is_same(now, then):
        yield f"{place}: {now!r}, stored {then!r}"


def _is_same(now: Any, then: Any) -> bool:
    if isinstance(then, float) and isinstance(now, float):
        return math.isclose(now, then, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return type(now) is type(then) and bool(now == then)

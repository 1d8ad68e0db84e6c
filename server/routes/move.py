"""Which card to play."""

from __future__ import annotations

from typing import Any

from flask_smorest import Blueprint

from hearts.cards import name
from hearts.config import SearchConfig
from hearts.decide import decide
from hearts.errors import ImpossibleView
from server.game_state import parse_game_state
from server.schemas import MoveReply, MoveRequest

blueprint = Blueprint("move", __name__, description="Which card to play.")

# What clients send in `ai_config` that a search knows by the same name.
OPTIONS = ("simulations", "worlds", "epsilon", "time_ms", "seed")


@blueprint.post("/api/move")
@blueprint.arguments(MoveRequest)
@blueprint.response(200, MoveReply)
def move(request: dict[str, Any]) -> dict[str, Any]:
    """Choose a card for the player whose state is posted."""
    state, options = request["game_state"], request.get("ai_config") or {}
    view = parse_game_state(state)
    if not view.to_move:
        raise ImpossibleView("current_player", f"seat {view.turn} is to play, not seat {view.seat}")
    config = SearchConfig.parse({key: options[key] for key in OPTIONS if key in options})
    decision = decide(view, config)
    return {
        "move": {"card": name(decision.card), "player": view.seat},
        "computation_time_ms": round(decision.seconds * 1000, 3),
        "simulations": decision.simulations,
        "explanation": decision.explain(),
    }

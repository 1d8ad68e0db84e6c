"""Which card to play, and which may be played."""

from __future__ import annotations

from typing import Any

from flask import Response

from hearts.engine.config import SearchConfig, published
from hearts.engine.decision import Decision
from hearts.engine.explain import explain
from hearts.game.cards import name, names
from hearts.views.codec import decode_state, decode_to_play
from server.http.bodies import HeartsBlueprint
from server.http.replies import success
from server.http.schemas import examples
from server.http.schemas.replies import LegalReply, MoveReply
from server.http.schemas.requests import LegalRequest, MoveRequest, PlayOneRequest
from server.http.services import current_services, endpoint
from server.runtime.messages import unknown_fields
from server.search.options import DEFAULT, FAST, SearchRequest, read_config

blueprint = HeartsBlueprint("moves", __name__, description="Which card to play.")

_MOVE = frozenset(MoveRequest().fields)
_PLAY_ONE = frozenset(PlayOneRequest().fields)
_LEGAL = frozenset(LegalRequest().fields)


@blueprint.post("/api/move")
@blueprint.arguments(MoveRequest(), example=examples.MOVE)
@blueprint.response(200, MoveReply)
def move(body: dict[str, Any]) -> Response:
    """Choose a card for the player whose state is posted."""
    return _answer(body, {}, DEFAULT, _MOVE)


@blueprint.post("/api/play-one")
@blueprint.arguments(PlayOneRequest(), example=examples.PLAY_ONE)
@blueprint.response(200, MoveReply)
def play_one(body: dict[str, Any]) -> Response:
    """Choose a card fast: 1,000 simulations, 20 worlds."""
    named = {key: body[key] for key in ("simulations", "player_type") if body.get(key) is not None}
    return _answer(body, named, FAST, _PLAY_ONE)


@blueprint.post("/api/legal")
@blueprint.arguments(LegalRequest(), example=examples.LEGAL)
@blueprint.response(200, LegalReply)
def legal(body: dict[str, Any]) -> Response:
    """Say which cards may be played; none when it is another seat's turn."""
    state = decode_state(body["game_state"])
    view = state.view
    return success(
        legal_cards=names(view.legal),
        turn=view.turn,
        hearts_broken=view.broken,
        view_hash=view.fingerprint,
        warnings=unknown_fields(body, _LEGAL) + state.warnings,
    )


def _answer(
    body: dict[str, Any],
    beside: dict[str, Any],
    base: SearchConfig,
    known: frozenset[str],
) -> Response:
    """The move for a request; options `beside` its ai_config go over those in it."""
    state = decode_to_play(body["game_state"])
    options, here = (body.get("ai_config") or {}) | beside, current_services()
    given = read_config(
        options, here.ceilings, base=base, match_known=state.match_known, beside=beside
    )
    decision = here.searches.choose_card(state.view, given, endpoint())
    warnings = unknown_fields(body, known) + state.warnings + given.warnings
    warnings += here.log_decision(decision, body.get("game_id"), body.get("hand"))
    return success(**move_fields(decision, given), warnings=warnings)


def move_fields(decision: Decision, given: SearchRequest) -> dict[str, Any]:
    """A decision in the words of the API."""
    view = decision.view
    fields: dict[str, Any] = {
        "move": {"card": name(decision.card), "player": view.seat},
        "computation_time_ms": round(decision.seconds * 1000, 3),
        "legal_cards": names(view.legal),
        "simulations": decision.simulations,
        "worlds": decision.worlds,
        "exact": decision.exact,
        "seed": decision.seed,
        "model": decision.config.belief,
        "config": published(vars(decision.config)),
        "view_hash": view.fingerprint,
    }
    if given.explain:
        fields["analysis"] = [move.as_object() for move in decision.cards]
        fields["explanation"] = explain(decision)
    return fields

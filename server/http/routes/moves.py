"""Cards to play, and which cards are legal."""

from __future__ import annotations

from collections.abc import Collection

from flask import Response

from hearts.analysis.hints import hint_of
from hearts.engine.config import SearchConfig
from hearts.engine.decision import Decision
from hearts.engine.explain import explain
from hearts.engine.levels import DEFAULT
from hearts.game.cards import name, names
from hearts.views.codec import decode_state, decode_to_play
from server.http.access.callers import current_caller
from server.http.access.marks import stateless
from server.http.batch import answers, counted
from server.http.bodies import HeartsBlueprint
from server.http.replies import success
from server.http.schemas import examples
from server.http.schemas.moves import (
    BatchRequest,
    BatchRequestSchema,
    LegalRequest,
    LegalRequestSchema,
    MoveRequest,
    MoveRequestSchema,
    PlayOneRequest,
    PlayOneRequestSchema,
    State,
)
from server.http.schemas.replies import BatchReply, LegalReply, MoveReply
from server.http.services import current_services, endpoint
from server.runtime.errors import Busy
from server.search.options import FAST, AiOptions, SearchRequest, read_config

blueprint = HeartsBlueprint("moves", __name__, description="Cards to play.")


@blueprint.post("/api/move")
@stateless
@blueprint.arguments(MoveRequestSchema(), example=examples.MOVE)
@blueprint.response(200, MoveReply)
@blueprint.raises(Busy)
def move(request: MoveRequest) -> Response:
    """Choose a card for the player whose state is posted."""
    return _answer(request, request.ai_config, DEFAULT)


@blueprint.post("/api/moves")
@stateless
@blueprint.arguments(BatchRequestSchema(), example=examples.MOVES)
@blueprint.response(200, BatchReply)
def moves(request: BatchRequest) -> Response:
    """Choose a card for each of many states. A state that is wrong is rejected alone."""
    here, options = current_services(), request.ai_config
    warnings = request.warnings + read_config(options, here.ceilings).warnings

    def answer(given: State, path: tuple[str, int]) -> dict[str, object]:
        state = decode_to_play(given, path=path)
        search = read_config(options, here.ceilings, match_known=state.match_known)
        decision = here.searches.choose_card(state.view, search, endpoint())
        own = [warning for warning in search.warnings if warning not in warnings]
        return move_fields(decision, search) | {"warnings": state.warnings + own}

    results = answers(request.states, answer, here.settings.request_seconds)
    return success(results=results, **counted(results), warnings=warnings)


@blueprint.post("/api/play-one")
@stateless
@blueprint.arguments(PlayOneRequestSchema(), example=examples.PLAY_ONE)
@blueprint.response(200, MoveReply)
@blueprint.raises(Busy)
def play_one(request: PlayOneRequest) -> Response:
    """Choose a card fast: 1,000 simulations, 20 worlds."""
    return _answer(request, request.options, FAST, request.beside)


@blueprint.post("/api/legal")
@stateless
@blueprint.arguments(LegalRequestSchema(), example=examples.LEGAL)
@blueprint.response(200, LegalReply)
def legal(request: LegalRequest) -> Response:
    """List the legal cards; none if it is another seat's turn."""
    state = decode_state(request.game_state)
    view = state.view
    return success(
        legal_cards=names(view.legal),
        turn=view.turn,
        hearts_broken=view.broken,
        view_hash=view.fingerprint,
        warnings=request.warnings + state.warnings,
    )


def _answer(
    request: MoveRequest, options: AiOptions, base: SearchConfig, beside: Collection[str] = ()
) -> Response:
    """The move for a request; options `beside` are fields of the request itself."""
    state, here = decode_to_play(request.game_state), current_services()
    search = read_config(
        options, here.ceilings, base=base, match_known=state.match_known, beside=beside
    )
    decision = here.searches.choose_card(state.view, search, endpoint())
    warnings = request.warnings + state.warnings + search.warnings
    warnings += here.log_decision(decision, request, current_caller())
    return success(**move_fields(decision, search), warnings=warnings)


def move_fields(decision: Decision, search: SearchRequest) -> dict[str, object]:
    """A decision as JSON."""
    view = decision.view
    fields: dict[str, object] = {
        "move": {"card": name(decision.card), "player": view.seat},
        "computation_time_ms": round(decision.seconds * 1000, 3),
        "legal_cards": names(view.legal),
        "simulations": decision.simulations,
        "worlds": decision.worlds,
        "exact": decision.exact,
        "seed": decision.seed,
        "model": decision.config.belief,
        "config": search.published(decision.config),
        "view_hash": view.fingerprint,
    }
    if search.explain:
        fields["analysis"] = [move.as_object() for move in decision.cards]
        fields["explanation"] = explain(decision)
    if search.hint:
        fields["hint"] = hint_of(decision).as_object()
    return fields

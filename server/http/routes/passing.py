"""Cards to pass."""

from __future__ import annotations

from flask import Response

from hearts.analysis.hints import hint_of
from hearts.engine.passing.decision import PassDecision
from hearts.game.cards import count, names
from hearts.views.codec import decode_to_pass
from server.http.access.callers import current_caller
from server.http.access.marks import stateless
from server.http.bodies import HeartsBlueprint
from server.http.replies import success
from server.http.schemas import examples
from server.http.schemas.moves import MoveRequest, MoveRequestSchema
from server.http.schemas.replies import PassReply
from server.http.services import current_services, endpoint
from server.runtime.errors import Busy
from server.search.options import SearchRequest, read_config

blueprint = HeartsBlueprint("passing", __name__, description="Cards to pass.")


@blueprint.post("/api/pass")
@stateless
@blueprint.arguments(MoveRequestSchema(), example=examples.PASS)
@blueprint.response(200, PassReply)
@blueprint.raises(Busy)
def choose(request: MoveRequest) -> Response:
    """Choose three cards to pass from the thirteen that were dealt."""
    state, here = decode_to_pass(request.game_state), current_services()
    search = read_config(request.ai_config, here.ceilings, match_known=state.match_known)
    decision = here.searches.choose_pass(state.view, search, endpoint())
    warnings = request.warnings + state.warnings + search.warnings
    warnings += here.log_decision(decision, request, current_caller())
    return success(**pass_fields(decision, search), warnings=warnings)


def pass_fields(decision: PassDecision, search: SearchRequest) -> dict[str, object]:
    """A decision about a pass as JSON."""
    assert count(decision.cards & decision.view.hand) == 3
    fields: dict[str, object] = {
        "pass": names(decision.cards),
        "candidates": [each.as_object() for each in decision.candidates if each.playouts],
        "computation_time_ms": round(decision.seconds * 1000, 3),
        "simulations": decision.simulations,
        "seed": decision.seed,
        "model": decision.config.belief,
        "config": search.published(decision.config),
        "view_hash": decision.view.fingerprint,
    }
    if search.hint:
        fields["hint"] = hint_of(decision).as_object()
    return fields

"""Which three cards to pass."""

from __future__ import annotations

from typing import Any

from flask import Response

from hearts.engine.config import published
from hearts.game.cards import count, names
from hearts.views.codec import decode_to_pass
from server.http.bodies import HeartsBlueprint
from server.http.replies import success
from server.http.schemas import examples
from server.http.schemas.replies import PassReply
from server.http.schemas.requests import MoveRequest
from server.http.services import current_services, endpoint
from server.runtime.messages import unknown_fields
from server.search.options import read_config

blueprint = HeartsBlueprint("passing", __name__, description="Which cards to pass.")

_KNOWN = frozenset(MoveRequest().fields)


@blueprint.post("/api/pass")
@blueprint.arguments(MoveRequest(), example=examples.PASS)
@blueprint.response(200, PassReply)
def choose(body: dict[str, Any]) -> Response:
    """Choose three cards to pass from the thirteen that were dealt."""
    state = decode_to_pass(body["game_state"])
    here = current_services()
    given = read_config(body.get("ai_config"), here.ceilings, match_known=state.match_known)
    decision = here.searches.choose_pass(state.view, given, endpoint())
    assert count(decision.cards & state.view.hand) == 3
    warnings = unknown_fields(body, _KNOWN) + state.warnings + given.warnings
    warnings += here.log_decision(decision, body.get("game_id"), body.get("hand"))
    return success(
        **{"pass": names(decision.cards)},
        candidates=[each.as_object() for each in decision.candidates if each.playouts],
        computation_time_ms=round(decision.seconds * 1000, 3),
        simulations=decision.simulations,
        seed=decision.seed,
        model=decision.config.belief,
        config=published(vars(decision.config)),
        view_hash=state.view.fingerprint,
        warnings=warnings,
    )

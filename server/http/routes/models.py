"""The choices for a search, and their limits."""

from __future__ import annotations

from flask import Response

from hearts.engine import config, levels
from hearts.engine.beliefs import belief_names
from hearts.engine.levels import DEFAULT
from server.http.access.marks import stateless
from server.http.bodies import MAX_BATCH_BODY, MAX_BODY, HeartsBlueprint
from server.http.replies import success
from server.http.schemas.moves import MAX_BATCH, MAX_SAMPLED_WORLDS, MAX_STATES
from server.http.schemas.replies import ModelsReply
from server.http.services import current_services
from server.search.options import FAST, PLAYER_TYPES

blueprint = HeartsBlueprint("models", __name__, description="The choices for a search.")


@blueprint.get("/api/models")
@stateless
@blueprint.response(200, ModelsReply)
def models() -> Response:
    """List opponent models, playouts, aggregations, levels with their configs, and ceilings."""
    return success(
        models=[{"name": name, "default": name == DEFAULT.belief} for name in belief_names()],
        algorithms=config.ALGORITHMS,
        playouts=config.PLAYOUTS,
        rewards=config.REWARDS,
        aggregations=config.AGGREGATIONS,
        opponents=config.OPPONENTS,
        best_children=config.BEST_CHILDREN,
        passings=config.PASSINGS,
        levels={name: config.published(vars(level)) for name, level in levels.LEVELS.items()},
        player_types=PLAYER_TYPES,
        defaults={
            "move": config.published(vars(DEFAULT)),
            "play-one": config.published(vars(FAST)),
        },
        ceilings=ceilings(),
    )


def ceilings() -> dict[str, object]:
    """The limits of a request."""
    here = current_services()
    return vars(here.ceilings) | {
        "request_seconds": here.settings.request_seconds,
        "body_bytes": MAX_BODY,
        "states": MAX_STATES,
        "batch_states": MAX_BATCH,
        "batch_body_bytes": MAX_BATCH_BODY,
        "sampled_worlds": MAX_SAMPLED_WORLDS,
        "searches_at_once": here.settings.slots,
        "queue": here.settings.queue,
    }

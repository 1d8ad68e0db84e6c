"""Who holds what."""

from __future__ import annotations

from typing import Any

import numpy as np
from flask import Response

from hearts.engine.beliefs import Worlds, load_belief
from hearts.engine.config import SearchConfig
from hearts.game.cards import ALL_CARDS, SUIT_LETTERS, index_of, name, names
from hearts.game.errors import InvalidConfig
from hearts.views.codec import decode_state, is_before_pass
from server.http.bodies import HeartsBlueprint
from server.http.replies import success
from server.http.schemas import examples
from server.http.schemas.replies import BeliefsReply
from server.http.schemas.requests import MAX_SAMPLED_WORLDS, BeliefsRequest
from server.http.services import current_services
from server.runtime.errors import InvalidAiConfig
from server.runtime.messages import unknown_fields
from server.search.options import DEFAULT, new_seed, with_share

blueprint = HeartsBlueprint("beliefs", __name__, description="What opponent models believe.")

_KNOWN = frozenset(BeliefsRequest().fields)


@blueprint.post("/api/beliefs")
@blueprint.arguments(BeliefsRequest(), example=examples.BELIEFS)
@blueprint.response(200, BeliefsReply)
def beliefs(body: dict[str, Any]) -> Response:
    """Say what a model believes that each seat holds."""
    state = decode_state(body["game_state"], passing=is_before_pass(body["game_state"]))
    view = state.view
    model = with_share(body.get("model") or DEFAULT.belief, body.get("lambda"), "lambda")
    wanted, seed = _worlds(body.get("worlds")), _seed(body.get("seed"))
    try:
        belief = load_belief(model)
    except InvalidConfig as error:
        raise InvalidAiConfig(error.reason, field="model") from None
    with current_services().slots.taken():
        chances = belief.probabilities(view)
        worlds = belief.sample(view, wanted, np.random.default_rng(seed)) if wanted else None
    return success(
        model=model,
        seed=seed,
        probabilities={
            name(card): [round(float(chance), 6) for chance in chances[index_of(card)]]
            for card in ALL_CARDS
        },
        voids=[
            [letter for letter, void in zip(SUIT_LETTERS, seat, strict=True) if void]
            for seat in view.voids
        ],
        known=[names(cards) for cards in view.known],
        worlds=_sampled(worlds),
        view_hash=view.fingerprint,
        warnings=unknown_fields(body, _KNOWN) + state.warnings,
    )


def _worlds(given: int | None) -> int:
    if given is not None and not 0 <= given <= MAX_SAMPLED_WORLDS:
        raise InvalidAiConfig(f"must be 0 to {MAX_SAMPLED_WORLDS}", field="worlds")
    return given or 0


def _seed(given: int | None) -> int:
    try:
        return new_seed() if given is None else SearchConfig(seed=given).seed
    except InvalidConfig as error:
        raise InvalidAiConfig(error.reason, field=error.field) from None


def _sampled(worlds: Worlds | None) -> list[dict[str, Any]]:
    if worlds is None:
        return []
    return [
        {"hands": [names(int(cards)) for cards in hands], "weight": round(float(weight), 9)}
        for hands, weight in zip(worlds.hands, worlds.weights, strict=True)
    ]

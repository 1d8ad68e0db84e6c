"""What opponent models believe about hidden cards."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from flask import Response

from hearts.engine.beliefs import (
    Belief,
    BeliefReport,
    LimitedBelief,
    Probabilities,
    TypedBelief,
    load_belief,
    sample_worlds,
)
from hearts.engine.clock import UNLIMITED, Limit
from hearts.engine.config import SearchConfig
from hearts.engine.levels import DEFAULT
from hearts.game.cards import ALL_CARDS, SUIT_LETTERS, index_of, name, names
from hearts.game.errors import InvalidConfig
from hearts.views.codec import decode_state, is_before_pass
from hearts.views.view import View
from server.http.access.limits import count_expensive
from server.http.access.marks import stateless
from server.http.bodies import HeartsBlueprint
from server.http.replies import success
from server.http.schemas import examples
from server.http.schemas.moves import MAX_SAMPLED_WORLDS, BeliefsRequest, BeliefsRequestSchema
from server.http.schemas.replies import BeliefsReply
from server.http.services import current_services
from server.runtime.errors import Busy, InvalidAiConfig
from server.search.options import new_seed, with_share

blueprint = HeartsBlueprint("beliefs", __name__, description="Beliefs of opponent models.")

MANY_WORLDS = 100  # sampled worlds above which a request counts as expensive


@blueprint.post("/api/beliefs")
@stateless
@blueprint.arguments(BeliefsRequestSchema(), example=examples.BELIEFS)
@blueprint.response(200, BeliefsReply)
@blueprint.raises(Busy)
def beliefs(request: BeliefsRequest) -> Response:
    """Show the probability that a seat holds a card, by an opponent model."""
    state = decode_state(request.game_state, passing=is_before_pass(request.game_state))
    model = with_share(request.model or DEFAULT.belief, request.share, "lambda")
    _check_worlds(request.worlds)
    if request.worlds > MANY_WORLDS:
        count_expensive()
    seed, belief = _seed(request.seed), _belief(model)
    slots = current_services().slots
    with slots.taken() as slot:
        limit = Limit(slot.stop, UNLIMITED.deadline)
        report = _report(belief, state.view, limit)
        worlds = _sampled(belief, state.view, request.worlds, seed, limit)
    found = {
        "model": model,
        "seed": seed,
        "probabilities": _by_card(report.probabilities),
        "types": [_rounded(of_seat) for of_seat in report.types],
        "worlds": worlds,
    }
    late = [f"the deadline of {slots.seconds} s ended the sampling early"] if limit.is_over else []
    warnings = request.warnings + state.warnings + late
    return success(**found, **_known(state.view), warnings=warnings)


def _belief(model: str) -> Belief:
    try:
        return load_belief(model)
    except InvalidConfig as error:
        raise InvalidAiConfig(error.reason, field="model") from None


def _check_worlds(wanted: int) -> None:
    if not 0 <= wanted <= MAX_SAMPLED_WORLDS:
        raise InvalidAiConfig(f"must be 0 to {MAX_SAMPLED_WORLDS}", field="worlds")


def _seed(given: int | None) -> int:
    try:
        return new_seed() if given is None else SearchConfig(seed=given).seed
    except InvalidConfig as error:
        raise InvalidAiConfig(error.reason, field=error.field) from None


def _report(belief: Belief, view: View, limit: Limit) -> BeliefReport:
    """What the belief says; only some beliefs know types of players."""
    if isinstance(belief, TypedBelief):
        return belief.report_within(limit, view)
    if isinstance(belief, LimitedBelief):
        return BeliefReport(belief.probabilities_within(limit, view), ())
    return BeliefReport(belief.probabilities(view), ())


def _rounded(shares: Mapping[str, float]) -> dict[str, float]:
    return {label: round(share, 4) for label, share in shares.items()}


def _by_card(found: Probabilities) -> dict[str, list[float]]:
    """For every card, the probability that each seat holds it."""
    return {
        name(card): [round(float(each), 6) for each in found[index_of(card)]] for card in ALL_CARDS
    }


def _known(view: View) -> dict[str, object]:
    """What is certain: for every seat, suits that it does not hold, and cards that it holds."""
    voids = [
        [letter for letter, void in zip(SUIT_LETTERS, seat, strict=True) if void]
        for seat in view.voids
    ]
    known = [names(cards) for cards in view.known]
    return {"voids": voids, "known": known, "view_hash": view.fingerprint}


def _sampled(
    belief: Belief, view: View, wanted: int, seed: int, limit: Limit
) -> list[dict[str, object]]:
    """Worlds that the belief samples, with their weights."""
    if not wanted:
        return []
    worlds = sample_worlds(belief, view, wanted, np.random.default_rng(seed), limit)
    return [
        {"hands": [names(int(cards)) for cards in hands], "weight": round(float(weight), 9)}
        for hands, weight in zip(worlds.hands, worlds.weights, strict=True)
    ]

"""Decisions of every kind, printed as JSON: run in different processes, they must be the same."""

import json
import sys

from hearts.engine.config import ALGORITHMS, SearchConfig
from hearts.engine.decide import decide
from hearts.engine.passing.choose import choose_pass
from hearts.game.cards import name
from hearts.game.rules import PASSING, PassDirection
from hearts.views.view import View
from tests.hearts.play import positions, random_deal

BASE = SearchConfig(simulations=40, worlds=4, seed=11)
TREES = [algorithm for algorithm in ALGORITHMS if algorithm != "rollouts"]
# Few, since they take seconds where nothing is compiled.
ROLLOUTS = SearchConfig(algorithm="rollouts", simulations=4, worlds=2, seed=11)


def decisions() -> list[object]:
    """What is decided, with all statistics, for each algorithm, way of playing and an ending."""
    found: list[object] = []
    hand = list(positions(PASSING, 5, skew=0.2))
    for cards in (2, 17, 34):
        view = View.of(hand[cards], hand[cards].turn or 0)
        for algorithm in TREES:
            for opponents in ("best-reply", "policy"):
                options = {"algorithm": algorithm, "opponents": opponents, "endgame": 0}
                found.append(_decided(view, SearchConfig.parse(options, BASE)))
    view = View.of(hand[34], hand[34].turn or 0)
    found.append(_decided(view, ROLLOUTS))
    for cards in (40, 44):
        view = View.of(hand[cards], hand[cards].turn or 0)
        found.append(_decided(view, BASE))
    deal = random_deal(PASSING, 0, 3, PassDirection.HOLD)
    passing = type(deal).of(PASSING, deal.dealt, PassDirection.LEFT)
    chosen = choose_pass(View.of(passing, 1), SearchConfig.parse({"simulations": 100}, BASE))
    found.append([candidate.as_object() for candidate in chosen.candidates])
    return found


def _decided(view: View, config: SearchConfig) -> dict[str, object]:
    decision = decide(view, config)
    return {
        "card": name(decision.card),
        "cards": [move.as_object() for move in decision.cards],
        "worlds": decision.worlds,
        "effective_worlds": round(decision.effective_worlds, 2),
        "simulations": decision.simulations,
        "seed": decision.seed,
        "config": vars(decision.config),
        "exact": decision.exact,
        "blunder": decision.blunder,
        "view": decision.view.fingerprint,
    }


if __name__ == "__main__":
    json.dump(decisions(), sys.stdout)

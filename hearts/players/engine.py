"""The engine as a player."""

from dataclasses import replace

import numpy as np

from hearts.engine.beliefs import Belief
from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.engine.decision import Decision
from hearts.engine.passing.choose import choose_pass
from hearts.game.cards import Card, CardSet, members
from hearts.game.deal import Deal
from hearts.game.rules import PassDirection, Rules
from hearts.players.player import Player
from hearts.views.view import View


class EnginePlayer(Player):
    """Searches with one config; the seed of a decision is given with the question."""

    def __init__(self, config: SearchConfig, name: str = "engine") -> None:
        self.config = config
        self.name = name
        self.belief: Belief | None = None  # replaces the one that the config names

    def choose_card(self, view: View, seed: int) -> Card:
        """Decide by search."""
        decision = decide(view, replace(self.config, seed=seed), belief=self.belief)
        self.simulations += decision.simulations
        self.expected_moons = expected_moons(decision)
        return decision.card

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """Choose three cards by search or by rule, as the config says."""
        decision = choose_pass(view, replace(self.config, seed=seed), belief=self.belief)
        self.simulations += decision.simulations
        return decision.cards

    def warm_up(self) -> None:
        """Load or compile the kernels with a pass, a first card and a solved ending."""
        free = Rules.from_mask(0)  # every card may be led: the first card is a choice
        deal = Deal.random(free, PassDirection.LEFT, np.random.default_rng(0))
        self.choose_pass(View.of(deal, 0), 0)
        deal = Deal.of(free, deal.dealt)
        self.choose_card(View.of(deal, 0), 0)
        for _ in range(4 * 9):  # to an ending that is solved
            deal = deal.play(next(members(deal.legal)))
        self.choose_card(View.of(deal, deal.trick.leader), 0)
        self.simulations = 0


def expected_moons(decision: Decision) -> tuple[float, float] | None:
    """The probabilities that the seat of a decision shoots the moon, and that another does.

    They are those of the chosen card; None if no simulation tried it.
    """
    best = decision.best
    return None if best is None or not best.visits else (best.moon, best.moon_against)

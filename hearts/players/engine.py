"""The engine as a player: a search config in, cards out."""

from dataclasses import replace

import numpy as np

from hearts.engine.beliefs import Belief
from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.engine.passing.choose import choose_pass
from hearts.game.cards import Card, CardSet, members
from hearts.game.deal import Deal
from hearts.game.rules import PassDirection, Rules
from hearts.players.player import Player
from hearts.views.view import View


class EnginePlayer(Player):
    """Searches with one config; every decision gets the seed that it is asked with."""

    def __init__(self, config: SearchConfig, name: str = "engine") -> None:
        self.config = config
        self.name = name
        self.belief: Belief | None = None  # takes the place of the config's

    def choose_card(self, view: View, seed: int) -> Card:
        """The card that the search decides for."""
        decision = decide(view, replace(self.config, seed=seed), belief=self.belief)
        self.simulations += decision.simulations
        return decision.card

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """The three cards that the search decides for."""
        decision = choose_pass(view, replace(self.config, seed=seed), belief=self.belief)
        self.simulations += decision.simulations
        return decision.cards

    def warm_up(self) -> None:
        """Load or compile the kernels, so that no move is late, or slow in the figures, for it."""
        free = Rules.from_mask(0)  # every card is legal on lead: there is a choice at once
        deal = Deal.random(free, PassDirection.LEFT, np.random.default_rng(0))
        self.choose_pass(View.of(deal, 0), 0)
        deal = Deal.of(free, deal.dealt)
        self.choose_card(View.of(deal, 0), 0)
        for _ in range(4 * 9):  # endings have kernels of their own
            deal = deal.play(next(members(deal.legal)))
        self.choose_card(View.of(deal, deal.trick.leader), 0)
        self.simulations = 0

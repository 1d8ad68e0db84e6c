"""The oracle: it knows the true deal, and is a player but no registered belief."""

import numpy as np
import pytest

from hearts.arena.referee import Referee
from hearts.arena.tournament import Tournament, play_deal
from hearts.engine.beliefs import belief_names, load_belief
from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.game.cards import SEATS, lowest, members, set_of
from hearts.game.deal import Deal
from hearts.game.errors import InvalidConfig
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.players.registry import shared_player
from hearts.players.spec import parse_spec, parse_table
from hearts.views.view import View
from models.oracle import OracleBelief, OraclePlayer
from tests.hearts.play import random_deal


def test_it_knows_the_true_deal():
    deal = random_deal(STANDARD, 9, 1)
    for seat in range(SEATS):
        view, belief = View.of(deal, seat), OracleBelief(deal.hands)
        worlds = belief.sample(view, 3, np.random.default_rng(0))
        assert worlds.hands.tolist() == [list(deal.hands)] * 3
        assert worlds.weights.tolist() == [1 / 3] * 3
        assert view.consistent_with(deal.hands)
        found = belief.probabilities(view)
        assert found.sum(axis=0).tolist() == list(view.hand_sizes)
        assert set(found.ravel()) == {0, 1}


def test_it_is_not_a_registered_belief():
    assert not any("oracle" in name for name in belief_names())
    with pytest.raises(InvalidConfig, match="not installed"):
        load_belief("oracle")


def test_it_is_a_player():
    spec = parse_spec("oracle:simulations=200")
    assert str(spec) == "oracle:simulations=200"
    assert parse_table(spec.as_object()) == spec
    assert spec.searches
    assert isinstance(shared_player(spec), OraclePlayer)


def test_it_searches_the_true_deal():
    """Its choice is that of a search in the true world."""
    player = OraclePlayer(SearchConfig(simulations=100))
    deal = random_deal(STANDARD, 9, 2)
    while not deal.legal & (deal.legal - 1):
        deal = deal.play(lowest(deal.legal))
    view = View.of(deal, deal.turn or 0)
    player.show(deal)
    config = SearchConfig(simulations=100, worlds=1, seed=3)
    expected = decide(view, config, belief=OracleBelief(deal.hands))
    assert player.choose_card(view, 3) == expected.card


def test_the_referee_shows_all_hands_before_it_asks():
    seen: list[bool] = []

    class Watching(OraclePlayer):
        def choose_card(self, view, seed):
            seen.append(view.consistent_with(self.belief.hands))
            return lowest(view.legal & -view.legal)

        def choose_pass(self, view, seed):
            seen.append(self.belief.hands[view.seat] == view.hand)
            return set_of(list(members(view.hand))[:3])

    watching = Watching(SearchConfig())
    deal = Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(5))
    referee = Referee([watching] * SEATS)
    assert referee.play(deal, 1).finished
    assert len(seen) > 30
    assert all(seen)
    assert not any(spent.faults for spent in referee.spending)


def test_a_tournament_with_it_runs():
    tournament = Tournament(parse_spec("oracle:simulations=50"), parse_spec("cautious"))
    result = play_deal(tournament, 0)
    assert result.focus.simulations
    assert not result.focus.faults

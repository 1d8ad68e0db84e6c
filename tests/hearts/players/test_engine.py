"""The engine as a player."""

import numpy as np
import pytest

from hearts.arena.referee import Referee
from hearts.arena.tournament import Tournament, play_deal
from hearts.engine.passing.rule import rule_pass as compiled_rule_pass
from hearts.game.deal import Deal
from hearts.game.errors import InvalidConfig
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.players.passing import rule_pass
from hearts.players.registry import shared_player
from hearts.players.spec import parse_spec
from tests.hearts.games import random_hands, skewed_hands

QUICK = "engine:simulations=60,worlds=6"


def test_the_engine_plays_a_hand_and_says_what_it_did():
    player = shared_player(parse_spec(QUICK))
    assert player.simulations == 0
    referee = Referee([player, *[shared_player(parse_spec("cautious"))] * 3])
    deal = Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(3))
    assert referee.play(deal, seed=1).finished
    assert referee.spending[0].faults == {}
    assert player.simulations == referee.spending[0].simulations > 60


@pytest.mark.parametrize("algorithm", ["pimc", "ismcts", "open-loop"])
def test_the_engine_against_itself_gives_exactly_0(algorithm):
    spec = parse_spec(f"{QUICK},algorithm={algorithm}")
    result = play_deal(Tournament(spec, parse_spec(str(spec)), passing="cycle"), 1)
    assert result.difference == 0.0
    assert len({table.digest for table in result.tables}) == 1


def test_what_the_engine_refuses_is_refused_when_the_player_is_made():
    with pytest.raises(InvalidConfig, match="belief"):
        shared_player(parse_spec("engine:belief=OM-99"))


@pytest.mark.parametrize("rules", [STANDARD, PASSING])
def test_both_rule_passers_are_one(rules):
    rng = np.random.default_rng(5)
    for number in range(100):
        for hand in (random_hands if number % 2 else skewed_hands)(rng):
            for direction in (PassDirection.LEFT, PassDirection.ACROSS, PassDirection.RIGHT):
                passed = rule_pass(hand, direction, rules)
                assert compiled_rule_pass(hand, direction, rules) == passed

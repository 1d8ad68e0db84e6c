"""Populations: names with weights, tables drawn from them, contests without search."""

import numpy as np
import pytest
from click.testing import CliRunner

from hearts.engine.bridge.network import shipped
from hearts.engine.bridge.policies import POLICIES
from hearts.game.errors import InvalidConfig
from hearts.kernels.policies.choose import NETWORK, NETWORK_BEST
from hearts.training.contest import play_contest
from hearts.training.population import Population, epsilons, parse_population, stacked
from server.cli import main
from tests.hearts.kernels.network.test_inference import random_network


def test_names_have_weights():
    assert parse_population("duck=2,shooter, shipped=0.5") == (
        ("duck", 2), ("shooter", 1), ("shipped", 0.5),
    )  # fmt: skip
    for wrong in ("", "duck=x", "duck=0", "duck=-1", "duck=nan"):
        with pytest.raises(InvalidConfig, match="population"):
            parse_population(wrong)


def test_a_population_is_policies_and_networks(tmp_path):
    path = tmp_path / "other.npz"
    random_network(1).save(path)
    weighted = (("duck", 1.0), ("shipped", 2.0), (f"best:{path}", 1.0), ("self", 4.0))
    found = Population.of(weighted)
    assert found.names == ("self", "duck", "shipped", f"best:{path}")
    assert found.policies.tolist() == [NETWORK, POLICIES["duck"].code, NETWORK, NETWORK_BEST]
    assert found.networks.tolist() == [0, 0, 1, 2]
    assert [each.digest for each in found.others] == [shipped().digest, random_network(1).digest]
    assert found.shares == pytest.approx([0.5, 0.125, 0.25, 0.125])
    with pytest.raises(InvalidConfig, match="not a network"):
        Population.of((("stranger", 1.0),))


def test_at_mixed_tables_one_seat_learns_and_the_others_are_drawn():
    found = Population.of((("duck", 1.0), ("shooter", 3.0)))
    kinds = found.seat(4000, 0.5, np.random.default_rng(1))
    learners = (kinds == 0).sum(axis=1)
    assert set(learners.tolist()) == {1, 4}
    assert (learners == 1).mean() == pytest.approx(0.5, abs=0.05)
    others = kinds[kinds > 0]
    assert (others == found.names.index("shooter")).mean() == pytest.approx(0.75, abs=0.05)
    assert epsilons(100, np.random.default_rng(1)).shape == (100, 4)


def test_a_stack_keeps_the_weights_of_each_network():
    narrow, wide = random_network(1), random_network(2, 24, 8)
    stack = stacked((narrow, wide))
    assert stack.hidden.shape == (2, 8, 24)
    assert (stack.hidden[0, :4, :16] == narrow.hidden).all()
    assert not stack.hidden[0, 4:].any()
    assert not stack.hidden[0, :, 16:].any()
    assert (stack.out[1] == wide.out).all()


def test_a_player_against_itself_has_no_difference():
    found = play_contest("cautious", "cautious", 2, 20, 1)
    assert (found.difference, found.margin) == (0, 0)


def test_a_contest_tells_the_better_player():
    found = play_contest("shipped", "uniform", 1, 60, 1)
    assert found.difference + found.margin < -5
    assert found.deals == 60
    reverse = play_contest("uniform", "shipped", 3, 60, 1)
    assert reverse.difference == pytest.approx(-found.difference)
    assert reverse.moons == pytest.approx(found.moons[::-1])


def test_the_command_compares():
    result = CliRunner().invoke(main, ["network", "compare", "duck", "uniform", "--deals", "20"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("duck - uniform: -")
    refused = CliRunner().invoke(main, ["network", "compare", "duck", "none.npz"])
    assert refused.exit_code == 1
    assert "not a network" in refused.output

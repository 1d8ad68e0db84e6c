"""Beliefs by name, with arguments and errors; the effective number of worlds."""

from importlib.metadata import EntryPoint

import numpy as np
import pytest

from hearts.engine import beliefs
from hearts.engine.beliefs import Worlds, belief_names, load_belief
from hearts.game.errors import InvalidConfig


def test_installed_beliefs_are_found():
    assert {"OM-0", "OM-1", "mixture"} <= set(belief_names())
    assert load_belief("OM-1") is load_belief("OM-1")


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(InvalidConfig, match="belief: 'OM-9' is not installed; choose OM-0, OM-1"):
        load_belief("OM-9")
    with pytest.raises(InvalidConfig, match="not installed"):
        load_belief("")


class Leaning:
    def __init__(self, to: str, by: str = "1") -> None:
        self.to, self.by = to, by


def test_arguments_reach_the_belief(monkeypatch):
    point = EntryPoint("leaning", f"{__name__}:Leaning", beliefs.GROUP)
    monkeypatch.setattr(EntryPoint, "load", lambda _: Leaning)
    monkeypatch.setattr(beliefs, "entry_points", lambda **_: [point])
    load_belief.cache_clear()
    for name in ("leaning:left:2", "leaning:left,2"):
        belief = load_belief(name)
        assert (belief.to, belief.by) == ("left", "2")
    for name in ("leaning", "leaning:left:2:3"):
        with pytest.raises(InvalidConfig, match="leaning does not take these arguments"):
            load_belief(name)
    load_belief.cache_clear()


def test_arguments_of_a_belief_that_has_none_are_refused():
    with pytest.raises(InvalidConfig, match=r"'OM-1:0\.3': OM-1 does not take these arguments"):
        load_belief("OM-1:0.3")


def test_unequal_weights_are_worth_fewer_worlds():
    hands = np.zeros((4, 4), dtype=np.uint64)
    assert Worlds(hands, np.full(4, 0.25)).effective == pytest.approx(4)
    assert Worlds(hands, np.array([0.5, 0.5, 0, 0])).effective == pytest.approx(2)
    assert len(Worlds(hands, np.full(4, 0.25))) == 4

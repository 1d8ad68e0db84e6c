"""Search configs: valid values, errors, renamed options, stored configs, levels."""

import math
import subprocess
import sys
from dataclasses import fields

import pytest

from hearts.engine.beliefs import load_belief
from hearts.engine.config import (
    AGGREGATIONS,
    ALGORITHMS,
    BEST_CHILDREN,
    CLOCKS,
    MAX_ENDGAME,
    MAX_SIMULATIONS,
    MAX_THREADS,
    MAX_TIME_MS,
    MAX_WORLDS,
    OPPONENTS,
    PASSINGS,
    PLAYOUTS,
    REWARDS,
    SearchConfig,
    canonical,
    published,
)
from hearts.engine.levels import LEVELS
from hearts.game.errors import InvalidConfig

NO_NAMES = ["", "no such thing", None, 1, True]
NO_NUMBERS = ["1", None, True, math.nan, math.inf, -math.inf, -1]
GOOD = {
    "algorithm": ALGORITHMS,
    "belief": ["OM-1"],
    "worlds": [1, MAX_WORLDS],
    "simulations": [1, MAX_SIMULATIONS],
    "time_ms": [None, 1, 2.5, MAX_TIME_MS],
    "clock": CLOCKS,
    "threads": [1, MAX_THREADS],
    "c": [0, 0.5, 100],
    "playout": PLAYOUTS,
    "epsilon": [0, 0.1, 1],
    "opponents": OPPONENTS,
    "reward": REWARDS,
    "aggregation": AGGREGATIONS,
    "best_child": BEST_CHILDREN,
    "risk": [0, 0.5, 100],
    "policy_weight": [0, 0.003, 100],
    "auxiliary_simulations": [0, MAX_SIMULATIONS],
    "endgame": [0, MAX_ENDGAME],
    "passing": PASSINGS,
    "blunder": [0, 0.25, 1],
    "seed": [0, 2**64 - 1],
}
BAD = {
    "algorithm": NO_NAMES,
    "worlds": [*NO_NUMBERS, 0, 1.5, MAX_WORLDS + 1],
    "simulations": [*NO_NUMBERS, 0, 10.0, MAX_SIMULATIONS + 1],
    "time_ms": ["1", True, math.nan, math.inf, 0, -1, MAX_TIME_MS + 1],
    "clock": NO_NAMES,
    "threads": [*NO_NUMBERS, 0, 2.0, MAX_THREADS + 1],
    "c": [*NO_NUMBERS, -0.1, 101],
    "playout": NO_NAMES,
    "epsilon": [*NO_NUMBERS, -0.1, 1.1],
    "opponents": NO_NAMES,
    "reward": NO_NAMES,
    "aggregation": NO_NAMES,
    "best_child": NO_NAMES,
    "risk": [*NO_NUMBERS, 101],
    "policy_weight": [*NO_NUMBERS, 101],
    "auxiliary_simulations": [*NO_NUMBERS, 0.5, MAX_SIMULATIONS + 1],
    "endgame": [*NO_NUMBERS, 2.0, MAX_ENDGAME + 1],
    "passing": NO_NAMES,
    "blunder": [*NO_NUMBERS, 1.01],
    "seed": [*NO_NUMBERS, 0.5, 2**64],
}


def cases(table):
    return [(field, value) for field, values in table.items() for value in values]


def test_every_field_is_tried():
    known = {field.name for field in fields(SearchConfig)}
    assert set(GOOD) == known
    assert set(BAD) == known - {"belief"}  # a belief is looked up later: see below


@pytest.mark.parametrize(("field", "value"), cases(GOOD))
def test_every_good_value_is_taken(field, value):
    assert getattr(SearchConfig.parse({field: value}), field) == value


@pytest.mark.parametrize(("field", "value"), cases(BAD))
def test_a_bad_value_is_refused_by_the_name_of_its_field(field, value):
    with pytest.raises(InvalidConfig, match=rf"^{field}: ") as caught:
        SearchConfig.parse({field: value})
    assert caught.value.field == field
    assert str(value) in caught.value.reason


@pytest.mark.parametrize("field", [field for field, bad in BAD.items() if bad is NO_NAMES])
def test_an_unknown_name_is_answered_with_the_names_there_are(field):
    with pytest.raises(InvalidConfig) as caught:
        SearchConfig(**{field: "bold"})
    assert all(name in caught.value.reason for name in GOOD[field])


def test_an_unknown_belief_is_answered_with_the_beliefs_there_are():
    with pytest.raises(InvalidConfig, match=r"^belief: 'OM-0815' is not installed; .*OM-1"):
        load_belief("OM-0815")


def test_an_unknown_option_is_named():
    with pytest.raises(InvalidConfig, match=r"^simulation: unknown; choose from .*simulations"):
        SearchConfig.parse({"worlds": 5, "simulation": 100})


def test_options_go_on_top_of_a_base():
    assert SearchConfig.parse({}) == SearchConfig()
    config = SearchConfig.parse({"seed": 7}, LEVELS["expert"])
    assert (config.seed, config.simulations) == (7, LEVELS["expert"].simulations)


RENAMED = [("prior", "policy_weight", 0.25), ("counsel", "auxiliary_simulations", 7)]


@pytest.mark.parametrize(("old", "new", "value"), RENAMED)
def test_an_option_keeps_its_published_name(old, new, value):
    config = SearchConfig.parse({old: value})
    assert config == SearchConfig.parse({new: value})
    assert getattr(config, new) == value
    assert published(vars(config))[old] == value
    assert canonical(published(vars(config))) == vars(config)
    assert SearchConfig.parse(published(vars(config))) == config
    with pytest.raises(InvalidConfig, match=rf"^{old}: -1 is out of range"):
        SearchConfig.parse({old: -1})


@pytest.mark.parametrize(("old", "new", "value"), RENAMED)
def test_an_option_has_one_name_at_a_time(old, new, value):
    for options in ({old: value, new: value}, {new: value, old: value}):
        with pytest.raises(InvalidConfig, match=rf"^{new}: '{old}' is another name for it"):
            SearchConfig.parse(options)


def test_a_stored_config_loads_under_old_and_new_names():
    config = SearchConfig.parse({"prior": 0.25, "counsel": 7, "seed": 2**64 - 1})
    for stored in (vars(config), published(vars(config))):
        assert SearchConfig.stored(stored) == (config, ())
    assert SearchConfig.stored({}) == (SearchConfig(), ())
    assert SearchConfig.stored({"prior": 0.1, "policy_weight": 0.2}).config.policy_weight == 0.2


def test_a_stored_config_with_an_unknown_option_loads_and_says_so():
    stored = {"worlds": 7, "prior": 0.25, "luck": 1.0, "courage": "high"}
    config, unknown = SearchConfig.stored(stored)
    assert config == SearchConfig(worlds=7, policy_weight=0.25)
    assert unknown == ("courage", "luck")
    with pytest.raises(InvalidConfig, match=r"^worlds: "):
        SearchConfig.stored({"worlds": 0})


def test_configs_and_levels_need_no_compiler():
    program = "import sys; import hearts.engine.levels; sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_config_does_not_change():
    with pytest.raises(AttributeError):
        SearchConfig().seed = 1  # type: ignore[misc]  # it is frozen


def test_levels_are_in_order_and_installed():
    assert list(LEVELS) == ["easy", "medium", "hard", "expert"]
    assert [level.worlds for level in LEVELS.values()] == [10, 30, 100, 200]
    costs = {"pimc": 0.7, "ismcts": 1.2, "rollouts": 25}  # of a simulation, about, in µs
    efforts = [level.simulations * costs[level.algorithm] for level in LEVELS.values()]
    assert efforts == sorted(efforts)
    assert [level.blunder for level in LEVELS.values()] == [0.25, 0.0, 0.0, 0.0]
    for level in LEVELS.values():
        assert SearchConfig.parse(vars(level)) == level
        assert load_belief(level.belief)

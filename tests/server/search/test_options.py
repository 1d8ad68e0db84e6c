"""Search options of requests: precedence, ceilings, names in messages."""

from __future__ import annotations

import pytest

from hearts.engine.levels import DEFAULT, LEVELS
from server.runtime.errors import InvalidAiConfig
from server.search.options import FAST, AiOptions, Ceilings, read_config

CEILINGS = Ceilings(simulations=5_000, worlds=100, time_ms=1_000, threads=4)


def test_absent_options_are_those_of_the_base():
    for base in (DEFAULT, FAST):
        search = read_config(AiOptions(knobs={"seed": 7}), CEILINGS, base=base)
        assert vars(search.config) == vars(base) | {"seed": 7}
        assert (search.threads, search.explain, search.warnings) == (None, True, [])


def test_options_override_the_player_type_which_overrides_the_level():
    options = AiOptions(level="easy", player_type="global3", knobs={"c": 0.7})
    config = read_config(options, CEILINGS).config
    assert (config.c, config.algorithm) == (0.7, "ismcts")
    assert config.blunder == LEVELS["easy"].blunder


def test_a_search_without_a_seed_gets_a_random_one():
    assert len({read_config(AiOptions(), CEILINGS).config.seed for _ in range(8)}) > 1


@pytest.mark.parametrize("option", ["simulations", "worlds", "time_ms", "threads"])
def test_a_ceiling_is_named_with_the_place_of_the_option(option):
    options = AiOptions(knobs={option: 10**6})
    with pytest.raises(InvalidAiConfig, match=rf"^ai_config\.{option}: 1000000 is more than"):
        read_config(options, CEILINGS)
    with pytest.raises(InvalidAiConfig, match=rf"^{option}: 1000000 is more than"):
        read_config(options, CEILINGS, beside=[option])


def test_threads_are_the_client_s_or_those_that_are_free():
    assert read_config(AiOptions(), CEILINGS).config_for(3).threads == 3
    assert read_config(AiOptions(knobs={"threads": 2}), CEILINGS).config_for(3).threads == 2
    assert read_config(AiOptions(use_threads=False), CEILINGS).config_for(3).threads == 1
    assert read_config(AiOptions(knobs={"clock": "cpu"}), CEILINGS).config_for(3).threads == 1


def test_only_a_mixture_has_a_share():
    mixed = read_config(AiOptions(knobs={"belief": "mixture"}, share=0.25), CEILINGS)
    assert mixed.config.belief == "mixture:0.25"
    with pytest.raises(InvalidAiConfig, match=r"^ai_config\.lambda: only the belief 'mixture'"):
        read_config(AiOptions(knobs={"belief": "OM-1"}, share=0.25), CEILINGS)

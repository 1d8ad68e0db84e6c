"""Players from texts and tables, and the errors about those that do not exist."""

import pickle
from dataclasses import replace

import pytest

from hearts.engine.levels import LEVELS
from hearts.game.errors import InvalidConfig
from hearts.players.spec import RULE_BASED, Spec, parse_spec, parse_table

TEXTS = [
    *RULE_BASED,
    "expert",
    "hard:simulations=300,worlds=10",
    "engine:algorithm=ismcts,simulations=1000,c=0.7,time_ms=none",
    "http://127.0.0.1:8080?simulations=1000",
    "command:python player.py --fast",
    "exploiter:duck",
    "exploiter:medium,simulations=300,worlds=10",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_read_and_written_again(text):
    spec = parse_spec(text)
    assert str(spec) == text
    assert parse_table(spec.as_object()) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("goose", "player: 'goose' is unknown; choose random, careless, cautious"),
        ("random:seed=1", "random has no options"),
        ("engine:simulations", "options are written name=value"),
        ("engine:depth=3", "depth: unknown"),
        ("engine:simulations=-1", "simulations: -1 is out of range"),
        ("engine:algorithm=magic", "'magic' is unknown"),
        ("exploiter", "'exploiter': it can know duck, cautious"),
        ("exploiter:default", "it can know duck, cautious, guard, shooter, easy"),
        ("exploiter:duck,depth=3", "depth: unknown"),
    ],
)
def test_what_is_wrong_is_said(text, message):
    with pytest.raises(InvalidConfig, match=message.replace("(", r"\(")):
        parse_spec(text)


def test_tables_name_their_players():
    spec = parse_table({"kind": "engine", "simulations": 300}, "quick")
    assert (str(spec), dict(spec.options)) == ("quick", {"simulations": 300})
    assert parse_spec("quick", {"quick": spec}) is spec
    assert parse_table({"kind": "command", "command": "./p"}, "mine").place == "./p"
    with pytest.raises(InvalidConfig, match="needs its address or command"):
        parse_table({"kind": "http"})


def test_a_budget_is_for_players_that_search():
    assert dict(Spec("hard").with_options(time_ms=5.0).options) == {"time_ms": 5.0}
    assert Spec("cautious").with_options(time_ms=5.0) == Spec("cautious")


def test_an_exploiter_searches_like_expert():
    spec = parse_spec("exploiter:easy,worlds=10")
    assert spec.as_object() == {"kind": "exploiter", "knows": "easy", "worlds": 10}
    assert spec.config == replace(LEVELS["expert"], worlds=10)
    assert spec.with_options(time_ms=5.0).place == "easy"

"""The players of a process: made once, closed together."""

import pytest

from hearts.game.errors import InvalidConfig
from hearts.players.registry import close_players, shared_player
from hearts.players.spec import RULE_BASED, parse_spec


@pytest.mark.parametrize("kind", RULE_BASED)
def test_rule_based_players_are_made_once_per_process(kind):
    player = shared_player(parse_spec(kind))
    assert player.name == kind
    assert shared_player(parse_spec(kind)) is player


def test_players_are_closed_when_they_are_forgotten():
    spec = parse_spec("command:sh -c 'read line; echo 1; exec sleep 600'")
    player = shared_player(spec)
    assert player._exchange(b"?\n") == b"1\n"
    process = player.process
    close_players()
    assert process.poll() is not None
    assert shared_player(spec) is not player


@pytest.mark.parametrize("text", ["http://", "http://a:99999", "https://a:b", "command:"])
def test_places_that_are_none_are_refused_when_made(text):
    with pytest.raises(InvalidConfig):
        shared_player(parse_spec(text))

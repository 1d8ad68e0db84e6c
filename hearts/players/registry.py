"""Create players from their specifications, or share those of this process."""

import atexit
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import entry_points
from pkgutil import resolve_name

from hearts.engine.config import SearchConfig
from hearts.game.errors import InvalidConfig
from hearts.players.command import CommandPlayer
from hearts.players.player import Player
from hearts.players.remote import RemotePlayer
from hearts.players.spec import ORACLE, RULE_BASED, Spec

ENGINE_PLAYER = "hearts.players.engine:EnginePlayer"  # imported on first use: it loads numba
REACHED_SECONDS = 10.0  # for a service to answer before a tournament
GROUP = "hearts.players"  # the entry point group of the oracle

_players: dict[tuple[Spec, float], Player] = {}


def shared_player(spec: Spec, limit: float = 30.0) -> Player:
    """The cached player of a spec, warmed up; an external player has `limit` seconds a move."""
    key = (spec, limit)
    if key not in _players:
        _players[key] = create_player(spec, limit)
        _players[key].warm_up()
    return _players[key]


@atexit.register
def close_players() -> None:
    """Close and forget all players of this process."""
    while _players:
        _players.popitem()[1].close()


def check_reachable(*specs: Spec) -> None:
    """Raise InvalidConfig if a service among some players does not answer."""
    for spec in specs:
        if spec.kind == "http":
            with closing(RemotePlayer(spec.place, str(spec), REACHED_SECONDS)) as player:
                player.check_reachable()


def create_player(spec: Spec, limit: float = 30.0) -> Player:
    """Create a player from a spec, without the cache."""
    if spec.kind == "http":
        return RemotePlayer(spec.place, str(spec), limit)
    if spec.kind == "command":
        return CommandPlayer(spec.place, str(spec), limit)
    if spec.searches:
        return _searching(spec.kind)(spec.config, str(spec))
    player: Player = resolve_name(RULE_BASED[spec.kind])()
    return player


def _searching(kind: str) -> Callable[[SearchConfig, str], Player]:
    """The class of a player that searches."""
    player: Callable[[SearchConfig, str], Player]
    if kind != ORACLE:
        player = resolve_name(ENGINE_PLAYER)
        return player
    for point in entry_points(group=GROUP, name=ORACLE):
        player = point.load()
        return player
    raise InvalidConfig("player", "no oracle is installed")

"""Create players from their specifications, or share those of this process."""

import atexit
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import entry_points
from pkgutil import resolve_name

from hearts.game.errors import InvalidConfig
from hearts.players.command import CommandPlayer
from hearts.players.player import Player
from hearts.players.remote import RemotePlayer
from hearts.players.spec import EXPLOITER, ORACLE, RULE_BASED, Spec

ENGINE_PLAYER = "hearts.players.engine:EnginePlayer"  # imported on first use: it loads numba
REACHED_SECONDS = 10.0  # for a service to answer before a tournament
GROUP = "hearts.players"  # the entry point group of players that need an opponent model

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
    if spec.kind == EXPLOITER:
        return _installed(EXPLOITER)(spec.place, spec.config, str(spec))
    if spec.searches:
        make = _installed(ORACLE) if spec.kind == ORACLE else resolve_name(ENGINE_PLAYER)
        searching: Player = make(spec.config, str(spec))
        return searching
    player: Player = resolve_name(RULE_BASED[spec.kind])()
    return player


def _installed(kind: str) -> Callable[..., Player]:
    """The class of a player of the entry point group."""
    for point in entry_points(group=GROUP, name=kind):
        player: Callable[..., Player] = point.load()
        return player
    raise InvalidConfig("player", f"no {kind} is installed")

"""Players by name: from a text on the command line, or from a table in a TOML file.

| text | player |
|---|---|
| `random`, `careless`, `cautious`, `duck`, `guard`, `shooter` | the rule-based ones |
| `easy`, `medium`, `hard`, `expert` | the engine's levels; `hard:simulations=300` changes one |
| `engine:algorithm=ismcts,simulations=1000` | the engine's default config, changed |
| `oracle:simulations=2000` | the engine with all cards open: what a belief can gain at most |
| `http://host:port?simulations=1000` | a service elsewhere |
| `command:./player --fast` | a program that speaks JSON lines |

As a table: `kind` is the part before the colon; for `http` and `command` there is `address` or
`command`; every other key is an option of the engine.
"""

import atexit
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from hearts.engine.config import SearchConfig, published
from hearts.engine.levels import LEVELS
from hearts.game.errors import InvalidConfig
from hearts.players.careless import CarelessPlayer
from hearts.players.cautious import CautiousPlayer
from hearts.players.command import CommandPlayer
from hearts.players.guard import GuardPlayer
from hearts.players.player import Player
from hearts.players.random import RandomPlayer
from hearts.players.remote import RemotePlayer
from hearts.players.shooter import ShooterPlayer

if TYPE_CHECKING:
    from hearts.players.engine import EnginePlayer


def _duck() -> Player:
    # Here, so that players without kernels need not wait until these are loaded.
    from hearts.players.duck import DuckPlayer

    return DuckPlayer()


RULE_BASED: dict[str, Callable[[], Player]] = {
    "random": RandomPlayer,
    "careless": CarelessPlayer,
    "cautious": CautiousPlayer,
    "duck": _duck,
    "guard": GuardPlayer,
    "shooter": ShooterPlayer,
}
ENGINE = "engine"
ORACLE = "oracle"
GROUP = "hearts.players"  # the entry point under which a package offers the oracle
ELSEWHERE = ("http", "command")


@dataclass(frozen=True)
class Spec:
    """A player as data: it travels to other processes, which make the player itself."""

    kind: str  # a rule-based player, `engine`, `oracle`, a level, `http` or `command`
    options: tuple[tuple[str, Any], ...] = ()  # of the engine, by name
    place: str = ""  # the address or the command of a player elsewhere
    name: str = ""  # what results call it; the text form where it is empty

    def __str__(self) -> str:
        if self.name:
            return self.name
        if self.kind == "http":
            return self.place
        if self.kind == "command":
            return f"command:{self.place}"
        options = ",".join(f"{key}={_shown(value)}" for key, value in self.options)
        return f"{self.kind}:{options}" if options else self.kind

    @property
    def searches(self) -> bool:
        """Whether it is an engine in this process, with a budget that can be set."""
        return self.kind in (ENGINE, ORACLE, *LEVELS)

    @property
    def elsewhere(self) -> bool:
        """Whether it is a service or a program, which keeps its own time."""
        return self.kind in ELSEWHERE

    def with_options(self, **options: Any) -> "Spec":
        """The same player with some options of the engine changed; no other kind has any."""
        if not self.searches:
            return self
        merged = dict(self.options) | options
        return Spec(self.kind, tuple(merged.items()), self.place, self.name)

    def published(self) -> "Spec":
        """The same player with the published names of its options."""
        return replace(self, options=tuple(published(dict(self.options)).items()))

    def resolved(self) -> dict[str, Any]:
        """Every option of the engine, defaults and levels included; empty for other kinds."""
        return asdict(_config(self)) if self.searches else {}

    def as_object(self) -> dict[str, Any]:
        """The spec as JSON and TOML have it; `parse_table` reads it back."""
        place = {"address" if self.kind == "http" else "command": self.place} if self.place else {}
        named = {"name": self.name} if self.name else {}
        return {"kind": self.kind, **named, **place, **dict(self.options)}


def parse_spec(text: str, known: Mapping[str, Spec] | None = None) -> Spec:
    """Read a player's text form, or the name of one of the `known` specs."""
    if known and text in known:
        return known[text]
    if text.startswith(("http://", "https://")):
        return Spec("http", place=text)
    kind, _, rest = text.partition(":")
    if kind == "command":
        return Spec("command", place=rest)
    return _checked(kind, _options(rest), text, known)


def parse_table(table: Mapping[str, Any], name: str = "") -> Spec:
    """Read a player from a table, such as one of a TOML file."""
    options = dict(table)
    kind = str(options.pop("kind", ENGINE))
    name = str(options.pop("name", name))
    if kind in ELSEWHERE:
        place = str(options.pop("address" if kind == "http" else "command", ""))
        if options or not place:
            raise InvalidConfig("player", f"{name or kind}: needs its address or command, alone")
        return Spec(kind, place=place, name=name)
    spec = _checked(kind, options, name or kind)
    return Spec(spec.kind, spec.options, spec.place, name)


_players: dict[tuple[Spec, float], Player] = {}  # of this process


def make_player(spec: Spec, limit: float = 30.0) -> Player:
    """The player of a spec, one per process; `limit` is in seconds a move for those elsewhere."""
    key = (spec, limit)
    if key not in _players:
        _players[key] = _made(spec, limit)
    return _players[key]


@atexit.register
def close_players() -> None:
    """Forget all players of this process; connections and programs of theirs end."""
    while _players:
        _players.popitem()[1].close()


def _made(spec: Spec, limit: float) -> Player:
    if spec.kind in RULE_BASED:
        return RULE_BASED[spec.kind]()
    if spec.kind == "http":
        return RemotePlayer(spec.place, str(spec), limit)
    if spec.kind == "command":
        return CommandPlayer(spec.place, str(spec), limit)
    return _engine(spec)


def _engine(spec: Spec) -> Player:
    from hearts.players.engine import EnginePlayer

    make = _oracle() if spec.kind == ORACLE else EnginePlayer
    player = make(_config(spec), str(spec))
    player.warm_up()
    return player


def _oracle() -> "type[EnginePlayer]":
    for point in entry_points(group=GROUP, name=ORACLE):
        player: type[EnginePlayer] = point.load()
        return player
    raise InvalidConfig("player", "no oracle is installed")


def _config(spec: Spec) -> SearchConfig:
    base = LEVELS.get(spec.kind, SearchConfig())
    return SearchConfig.parse(dict(spec.options), base)


def _checked(
    kind: str, options: dict[str, Any], text: str, known: Mapping[str, Spec] | None = None
) -> Spec:
    names = (*RULE_BASED, *LEVELS, ENGINE, ORACLE, *(known or ()))
    if kind not in (*RULE_BASED, *LEVELS, ENGINE, ORACLE):
        choices = ", ".join((*names, "http://…", "command:…"))
        raise InvalidConfig("player", f"{text!r} is unknown; choose {choices}")
    if kind in RULE_BASED and options:
        raise InvalidConfig("player", f"{text!r}: {kind} has no options")
    if options:
        SearchConfig.parse(options)
    return Spec(kind, tuple(options.items()))


def _options(text: str) -> dict[str, Any]:
    """Read `a=1,b=x`; numbers and flags where the text is one."""
    options = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise InvalidConfig("player", f"{part!r}: options are written name=value")
        options[key.strip()] = _value(value.strip())
    return options


def _value(text: str) -> Any:
    if text in ("true", "false", "none"):
        return {"true": True, "false": False, "none": None}[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _shown(value: Any) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)

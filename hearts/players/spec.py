"""Specifications of players, parsed from a text or from a table of a TOML file.

| text | player |
|---|---|
| `random`, `careless`, `cautious`, `duck`, `guard`, `shooter` | a rule-based player |
| `easy`, `medium`, `hard`, `expert` | a level; `hard:simulations=300` changes an option |
| `default` | what the service plays by default; `default:worlds=100` changes an option |
| `engine:algorithm=ismcts,simulations=1000` | the engine, with options on top of `SearchConfig()` |
| `oracle:simulations=2000` | the engine with open cards: the upper bound for any belief |
| `exploiter:duck`, `exploiter:medium,worlds=100` | a search that knows the policy of the others |
| `http://host:port?simulations=1000` | a remote service |
| `command:./player --fast` | a program that reads and writes JSON lines |

In a table, `kind` is the part before the colon, `address` or `command` the place of a remote player
or a program; every other key is an option of the engine.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from hearts.engine.config import SearchConfig, published
from hearts.engine.levels import DEFAULT, LEVELS
from hearts.game.errors import InvalidConfig

# The rule-based players with their classes, which are imported on first use: some load numba.
RULE_BASED = {
    "random": "hearts.players.random:RandomPlayer",
    "careless": "hearts.players.careless:CarelessPlayer",
    "cautious": "hearts.players.cautious:CautiousPlayer",
    "duck": "hearts.players.duck:DuckPlayer",
    "guard": "hearts.players.guard:GuardPlayer",
    "shooter": "hearts.players.shooter:ShooterPlayer",
}
ENGINE, ORACLE, EXPLOITER = "engine", "oracle", "exploiter"
CONFIGS = {**LEVELS, "default": DEFAULT}  # by the names of players
SEARCHING = (*CONFIGS, ENGINE, ORACLE, EXPLOITER)
EXPLOITED = ("duck", "cautious", "guard", "shooter", *LEVELS)  # whom an exploiter can know
EXTERNAL = ("http", "command")
PLACES = {"http": "address", "command": "command", EXPLOITER: "knows"}  # the keys in tables


@dataclass(frozen=True)
class Spec:
    """A player as data; another process can create the player from it."""

    # a rule-based player, a level, `engine`, `oracle`, `exploiter`, `http` or `command`
    kind: str
    options: tuple[tuple[str, Any], ...] = ()  # of the engine, by name
    place: str = ""  # the address or command of an external player; whom an exploiter knows
    name: str = ""  # the name in results; empty: the text form

    def __str__(self) -> str:
        if self.name:
            return self.name
        if self.kind == "http":
            return self.place
        if self.kind == "command":
            return f"command:{self.place}"
        options = (f"{key}={_shown(value)}" for key, value in self.options)
        details = ",".join(filter(None, (self.place, *options)))
        return f"{self.kind}:{details}" if details else self.kind

    @property
    def searches(self) -> bool:
        """Whether it is an engine in this process, with a budget that can be set."""
        return self.kind in SEARCHING

    @property
    def external(self) -> bool:
        """Whether it is a remote service or a program, which has its own clock."""
        return self.kind in EXTERNAL

    @property
    def config(self) -> SearchConfig:
        """The config of a player that searches."""
        base = LEVELS["expert"] if self.kind == EXPLOITER else SearchConfig()
        return SearchConfig.parse(dict(self.options), CONFIGS.get(self.kind, base))

    def with_options(self, **options: Any) -> "Spec":
        """The same player with other options; players that do not search stay as they are."""
        if not self.searches:
            return self
        return replace(self, options=tuple((dict(self.options) | options).items()))

    def published(self) -> "Spec":
        """The same player with the published names of its options."""
        return replace(self, options=tuple(published(dict(self.options)).items()))

    def resolved(self) -> dict[str, Any]:
        """Every option, with levels and defaults; empty for a player that does not search."""
        return asdict(self.config) if self.searches else {}

    def as_object(self) -> dict[str, Any]:
        """The spec as JSON and TOML; `parse_table` reads it."""
        place = {PLACES[self.kind]: self.place} if self.place else {}
        named = {"name": self.name} if self.name else {}
        return {"kind": self.kind, **named, **place, **dict(self.options)}


def parse_spec(text: str, known: Mapping[str, Spec] | None = None) -> Spec:
    """Parse the text form of a player, or look up one of the `known` specs by name."""
    if known and text in known:
        return known[text]
    if text.startswith(("http://", "https://")):
        return Spec("http", place=text)
    kind, _, rest = text.partition(":")
    if kind == "command":
        return Spec("command", place=rest)
    if kind == EXPLOITER:
        target, _, rest = rest.partition(",")
        return _exploiter(target, _options(rest), text)
    return _checked(kind, _options(rest), text, known)


def parse_table(table: Mapping[str, Any], name: str = "") -> Spec:
    """Parse a player from a table, such as one of a TOML file."""
    options = dict(table)
    kind = str(options.pop("kind", ENGINE))
    name = str(options.pop("name", name))
    if kind in EXTERNAL:
        place = str(options.pop(PLACES[kind], ""))
        if options or not place:
            raise InvalidConfig("player", f"{name or kind}: needs its address or command only")
        return Spec(kind, place=place, name=name)
    if kind == EXPLOITER:
        target = str(options.pop(PLACES[kind], ""))
        return replace(_exploiter(target, options, name or kind), name=name)
    return replace(_checked(kind, options, name or kind), name=name)


def _exploiter(target: str, options: dict[str, Any], text: str) -> Spec:
    if target not in EXPLOITED:
        raise InvalidConfig("player", f"{text!r}: it can know {', '.join(EXPLOITED)}")
    return replace(_checked(EXPLOITER, options, text), place=target)


def _checked(
    kind: str, options: dict[str, Any], text: str, known: Mapping[str, Spec] | None = None
) -> Spec:
    kinds = (*RULE_BASED, *SEARCHING)
    if kind not in kinds:
        choices = ", ".join((*kinds, *(known or ()), "http://…", "command:…"))
        raise InvalidConfig("player", f"{text!r} is unknown; choose {choices}")
    if kind in RULE_BASED and options:
        raise InvalidConfig("player", f"{text!r}: {kind} has no options")
    SearchConfig.parse(options)
    return Spec(kind, tuple(options.items()))


def _options(text: str) -> dict[str, Any]:
    """Parse `a=1,b=x`."""
    options = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise InvalidConfig("player", f"{part!r}: options are written name=value")
        options[key.strip()] = _value(value.strip())
    return options


def _value(text: str) -> Any:
    """The flag, None or number that a text stands for, else the text."""
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

"""The setup of a table: rules, players, and how the engine's seats search."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NotRequired, TypedDict

from hearts.engine.config import SearchConfig
from hearts.engine.levels import LEVELS
from hearts.game.cards import SEATS
from hearts.game.errors import InvalidConfig, InvalidRules
from hearts.game.rules import PASSING, Rules
from server.runtime.errors import ApiError, InvalidAiConfig, InvalidGameState
from server.runtime.messages import quoted, unknown_fields
from server.runtime.requests import RequestData
from server.search.options import AiOptions, Ceilings, read_config
from server.tables.table import Occupant, Table

HUMAN, ENGINE = "human", "engine"
MAX_NAME = 60  # characters
MAX_PACE_MS = 60_000
OWN_PACE_MS = 500  # the default without people, so that one can watch the table
SHOWN_TIMING = "pace_ms: 0: the time of a bot's move shows whether its card was forced"
SEEDED = "seed:"  # the prefix of the secret of a seeded table


@dataclass(frozen=True, kw_only=True)
class SeatRequest(RequestData):
    """A seat as a client asks for it. The schema has checked the options of an engine only."""

    kind: object = None  # "human" or "engine"; None: engine
    name: object = None
    level: object = None
    ai_config: object = None
    options: AiOptions | None = None  # of an engine: `ai_config` with `level`


@dataclass(frozen=True, kw_only=True)
class TableRequest(RequestData):
    """A table as a client asks for it: its types are checked, its values are not."""

    seats: Sequence[SeatRequest] | None = None
    rules: int | Mapping[str, Any] | None = None
    target_score: int | None = None
    seed: int | None = None
    open: bool = False
    name: str = ""
    pace_ms: int | None = None
    public: bool | None = None
    seat: int | None = None
    sent: Mapping[str, Any] = field(default_factory=dict)  # as it was sent


DEFAULT_SEATS = (
    SeatRequest(kind=HUMAN),
    *(SeatRequest(level="hard", options=AiOptions(level="hard")) for _ in range(SEATS - 1)),
)


class SeatBody(TypedDict):
    """A seat as it is stored; earlier versions wrote fewer keys."""

    kind: str
    name: str
    level: NotRequired[str | None]
    config: NotRequired[Mapping[str, Any] | None]
    threads: NotRequired[int | None]


class SetupBody(TypedDict):
    """A setup as it is stored, apart from rules and secret."""

    seats: list[SeatBody]
    name: str
    open: bool
    pace_ms: int
    quick: NotRequired[bool]


@dataclass(frozen=True)
class SeatSetup:
    """One seat: its player, and its search config if it is the engine's."""

    player: Occupant
    config: SearchConfig | None = None  # its seed is not used: each decision has its own
    threads: int | None = None  # None: as many as there are free cores

    def as_object(self) -> SeatBody:
        """The seat as it is stored."""
        return {
            "kind": self.player.kind,
            "name": self.player.name,
            "level": self.player.level,
            "config": None if self.config is None else asdict(self.config),
            "threads": self.threads,
        }

    @classmethod
    def of(cls, stored: SeatBody) -> SeatSetup:
        """A stored seat, perhaps of another version.

        An invalid config becomes None; then rule-based moves are played.
        """
        player = Occupant(stored["kind"], stored["name"], stored.get("level"))
        options, config = stored.get("config"), None
        if options is not None:
            with suppress(InvalidConfig):
                config = SearchConfig.stored(options).config
        return cls(player, config, stored.get("threads"))


@dataclass(frozen=True)
class Setup:
    """A table before its first card."""

    rules: Rules
    seats: tuple[SeatSetup, ...]
    secret: str  # the source of all seeds; never shown
    name: str = ""
    open: bool = False
    pace_ms: int = 0
    private: bool = False
    quick: bool = False  # bots move as soon as they can, also at a table with people

    @property
    def hides_timing(self) -> bool:
        """Whether the times of moves must tell nothing about the cards of bots."""
        return not self.quick and not self.alone

    @property
    def alone(self) -> bool:
        """Whether no seat is a person's."""
        return not any(seat.player.is_human for seat in self.seats)

    @property
    def seed(self) -> int | None:
        """The seed of the deals; None: they are random."""
        is_seeded = self.secret.startswith(SEEDED)
        return int(self.secret.removeprefix(SEEDED)) if is_seeded else None

    def table(self, table_id: str) -> Table:
        """The table before its first event."""
        players = tuple(seat.player for seat in self.seats)
        return Table(
            id=table_id,
            rules=self.rules,
            players=players,
            name=self.name,
            open=self.open,
            pace_ms=self.pace_ms,
            seed=self.seed,
            private=self.private,
        )

    def as_object(self) -> SetupBody:
        """The setup as it is stored, apart from rules and secret."""
        seats = [seat.as_object() for seat in self.seats]
        return {
            "seats": seats,
            "name": self.name,
            "open": self.open,
            "pace_ms": self.pace_ms,
            "quick": self.quick,
        }

    @classmethod
    def of(cls, rules: Rules, secret: str, stored: SetupBody, *, private: bool = False) -> Setup:
        """A stored setup."""
        return cls(
            rules=rules,
            seats=tuple(SeatSetup.of(seat) for seat in stored["seats"]),
            secret=secret,
            name=stored["name"],
            open=stored["open"],
            pace_ms=stored["pace_ms"],
            private=private,
            quick=stored.get("quick", False),
        )


def read_setup(
    request: TableRequest, ceilings: Ceilings, default_pace: int
) -> tuple[Setup, list[str]]:
    """The table that a request asks for, and warnings; `default_pace` is that with people."""
    warnings: list[str] = []
    ceilings = ceilings.at_tables
    given = DEFAULT_SEATS if request.seats is None else request.seats
    if len(given) != SEATS:
        raise _fault("seats", f"{len(given)} are given: there are {SEATS}")
    seats = tuple(_seat(seat, f"seats[{i}]", ceilings, warnings) for i, seat in enumerate(given))
    people = sum(seat.player.is_human for seat in seats)
    alone = people == 0
    if request.open and not alone:
        raise _fault("open", "only a table without people can be open")
    pace_ms = _pace(request.pace_ms, OWN_PACE_MS if alone else default_pace)
    warnings += [SHOWN_TIMING] if request.pace_ms == 0 and not alone else []
    setup = Setup(
        rules=_rules(request),
        seats=seats,
        secret=_secret(request.seed, people),
        name=read_name(request.name, "name"),
        open=request.open,
        pace_ms=pace_ms,
        private=not (alone if request.public is None else request.public),
        quick=pace_ms == 0,
    )
    return setup, warnings


def creator_seat(request: TableRequest, setup: Setup) -> int | None:
    """The seat that the creator of a table takes: a person's; by default the first; or none."""
    people = [seat for seat, each in enumerate(setup.seats) if each.player.is_human]
    if request.seat is None:
        return None if "seat" in request.sent or not people else people[0]
    if request.seat not in people:
        raise _fault("seat", f"{request.seat} is not the seat of a person")
    return request.seat


def _rules(request: TableRequest) -> Rules:
    rules, target = _given_rules(request.rules), request.target_score
    try:
        rules = rules if target is None else replace(rules, target_score=target)
    except InvalidRules as error:
        raise _fault(error.field, error.reason) from None
    if not rules.total:
        raise _fault("rules", "no card scores: the match would never end")
    return rules


def _given_rules(given: object) -> Rules:
    try:
        return PASSING if given is None else Rules.parse(given, PASSING)
    except InvalidRules as error:
        raise _fault(error.within("rules").field, error.reason) from None


def _seat(given: SeatRequest, place: str, ceilings: Ceilings, warnings: list[str]) -> SeatSetup:
    warnings += unknown_fields(given.unknown, place=f"{place}.")
    kind = given.kind or ENGINE
    if kind not in (HUMAN, ENGINE):
        raise _fault(f"{place}.kind", f"{quoted(kind)}: choose {HUMAN} or {ENGINE}")
    if not isinstance(given.name, str | None):
        raise _fault(f"{place}.name", f"must be a text, not {quoted(given.name)}")
    name = read_name(given.name or "", f"{place}.name")
    if kind == ENGINE:
        return _engine(given, name, place, ceilings, warnings)
    for option, value in (("level", given.level), ("ai_config", given.ai_config)):
        if value is not None:
            raise _fault(f"{place}.{option}", "only an engine's seat may have it")
    return SeatSetup(Occupant(HUMAN, name or HUMAN))


def _engine(
    given: SeatRequest, name: str, place: str, ceilings: Ceilings, warnings: list[str]
) -> SeatSetup:
    """An engine's seat, with its complete config."""
    options = given.options
    if options is None:
        raise _fault(f"{place}.ai_config", f"must be an object, not {quoted(given.ai_config)}")
    try:
        search = read_config(options, ceilings, match_known=True)
    except ApiError as error:
        raise InvalidAiConfig(error.reason, field=f"{place}.{error.field}") from None
    warnings += [f"{place}.{warning}" for warning in search.warnings]
    if "seed" in options.knobs:
        warnings.append(f"{place}.ai_config.seed: every decision has a seed of its own, ignored")
    config = replace(search.config, seed=0)
    level = options.level
    level = level if level is not None and config == LEVELS[level] else None
    if config.reward == "difference" and "reward" not in options.knobs:
        config = replace(config, reward="match")  # docs/experiments/044-winning-matches.md
    return SeatSetup(Occupant(ENGINE, name or level or ENGINE, level), config, search.threads)


def _secret(seed: int | None, people: int) -> str:
    """The secret of a table; whoever knows its seed knows all cards, and must harm nobody."""
    if seed is None:
        return secrets.token_hex(32)
    if people > 1:
        raise _fault("seed", "it would show you the cards of the other people")
    if not 0 <= seed < 2**64:
        raise _fault("seed", "must be 0 to 2⁶⁴ − 1")
    return f"{SEEDED}{seed}"


def read_name(given: str, place: str) -> str:
    """A name for people, or an error."""
    if len(given) > MAX_NAME or not given.isprintable():
        raise _fault(place, f"must have at most {MAX_NAME} characters, all of them printable")
    return given.strip()


def _pace(given: int | None, default: int) -> int:
    if given is not None and not 0 <= given <= MAX_PACE_MS:
        raise _fault("pace_ms", f"must be 0 to {MAX_PACE_MS}")
    return default if given is None else given


def _fault(place: str, reason: str) -> InvalidGameState:
    return InvalidGameState(reason, field=place)

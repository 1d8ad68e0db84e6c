"""What is played: two sides, duplicate deals, the seatings; and one deal of it, played.

Deal k is a function of the seed and k. It is played once for every seating, so that luck of the
cards cancels: 1 against 3 with the focus player in each of the four seats, or 2 against 2 in all
six pairs of seats.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any
from zlib import crc32

from hearts.arena.referee import Effort, Referee
from hearts.arena.results import DealResult, Table
from hearts.arena.seeds import deal_of, mixed
from hearts.game.cards import SEATS
from hearts.game.deal import Deal
from hearts.game.errors import InvalidConfig
from hearts.game.match import Match
from hearts.game.records import Record
from hearts.game.rules import JACK_POINTS, PASSING, PassDirection, Rules
from hearts.game.scoring import Points, points_of
from hearts.players.player import Player
from hearts.players.registry import Spec, make_player, parse_table

Seating = tuple[int, ...]  # the seats of the focus player

SEATINGS: dict[str, tuple[Seating, ...]] = {
    "single": tuple((seat,) for seat in range(SEATS)),
    "pairs": tuple(combinations(range(SEATS), 2)),
}
UNITS = ("hand", "match")
SOURCE = "arena"  # of its records
PASSINGS = ("none", "cycle", "left", "right", "across")


@dataclass(frozen=True)
class Tournament:
    """Everything that a result depends on, but for the clock."""

    focus: Spec
    others: Spec
    seed: int = 0
    seats: str = "single"  # 1 against 3, or `pairs`: 2 against 2
    unit: str = "hand"  # a deal is one hand, or a `match` to the target score
    passing: str = "none"  # `cycle`: by the rules' cycle; or one direction for all
    rules: Rules = field(default=PASSING)
    limit: float = 30.0  # seconds that a decision may take before it is a fault
    equal_time: float | None = None  # CPU ms for every searched move, instead of its own budget

    def __post_init__(self) -> None:
        for option, choices in (("seats", SEATINGS), ("unit", UNITS), ("passing", PASSINGS)):
            value = getattr(self, option)
            if value not in choices:
                raise InvalidConfig(option, f"{value!r} is unknown; choose {', '.join(choices)}")
        if self.seed < 0:
            raise InvalidConfig("seed", f"{self.seed} is out of range: not negative")
        for option, seconds in (("timeout", self.limit), ("equal_time", self.equal_time)):
            if seconds is not None and not seconds > 0:
                raise InvalidConfig(option, f"{seconds} is out of range: more than 0")
        elsewhere = [str(side) for side in (self.focus, self.others) if side.elsewhere]
        if self.equal_time is not None and elsewhere:
            raise InvalidConfig("equal_time", f"{elsewhere[0]} has a clock of its own")
        if self.unit == "match" and self.rules.total + JACK_POINTS * self.rules.jack_bonus <= 0:
            raise InvalidConfig("rules", "give no points to reach a target score with")

    @property
    def table_rules(self) -> Rules:
        """The rules with the passes that this tournament has."""
        if self.passing == "none":
            return replace(self.rules, do_pass_cards=False)
        if self.passing == "cycle":
            return replace(self.rules, do_pass_cards=True)
        cycle = (PassDirection.parse(self.passing),)
        return replace(self.rules, do_pass_cards=True, pass_cycle=cycle)

    def player_spec(self, spec: Spec) -> Spec:
        """A side's player with the budget that it gets here."""
        if self.equal_time is None:
            return spec
        return spec.with_options(time_ms=self.equal_time, clock="cpu", threads=1)

    def record_id(self, deal: object, seating: object, hand: object) -> str:
        """The id of a hand's record."""
        return f"{self.seed}-{deal}-{seating}-{hand}"

    def owns(self, record: Any) -> bool:
        """Whether a record looks like that of a hand of this tournament."""
        if not isinstance(record, Mapping) or record.get("source") != SOURCE:
            return False
        place = (record.get(each) for each in ("deal", "seating", "hand"))
        names = {str(self.focus), str(self.others)}
        return record.get("id") == self.record_id(*place) and set(record["players"]) == names

    def published(self) -> "Tournament":
        """The same tournament with the published names of its players' options.

        What is stored by the definition of a tournament is found by this form.
        """
        return replace(self, focus=self.focus.published(), others=self.others.published())

    def as_object(self) -> dict[str, Any]:
        """The tournament as JSON has it; `tournament_of` reads it back."""
        return {
            "focus": self.focus.as_object(),
            "others": self.others.as_object(),
            "seed": self.seed,
            "seats": self.seats,
            "unit": self.unit,
            "passing": self.passing,
            "rules": self.rules.as_value(),
            "limit": self.limit,
            "equal_time": self.equal_time,
        }


def tournament_of(given: Mapping[str, Any]) -> Tournament:
    """Read a tournament back from its JSON form."""
    fields = dict(given)
    focus, others = parse_table(fields.pop("focus")), parse_table(fields.pop("others"))
    return Tournament(focus, others, rules=Rules.parse(fields.pop("rules")), **fields)


def play_deal(tournament: Tournament, number: int, keep: bool = False) -> DealResult:
    """Deal `number` in every seating; `keep` returns the record of every hand too."""
    focus, others = Effort(), Effort()
    tables, records = [], []
    for place, seating in enumerate(SEATINGS[tournament.seats]):
        referee = Referee(_players(tournament, seating), tournament.limit)
        hands = _hands(tournament, referee, number)
        tables.append(_table(seating, hands))
        for seat, effort in enumerate(referee.efforts):
            (focus if seat in seating else others).add(effort)
        if keep:
            records += _records(tournament, number, place, hands)
    return DealResult(number, tuple(tables), focus, others, tuple(records))


def _players(tournament: Tournament, seating: Seating) -> list[Player]:
    focus, others = map(tournament.player_spec, (tournament.focus, tournament.others))
    specs = [focus if seat in seating else others for seat in range(SEATS)]
    return [make_player(spec, tournament.limit) for spec in specs]


def _hands(tournament: Tournament, referee: Referee, number: int) -> list[tuple[Deal, Points]]:
    """The hands of one seating, each with its points."""
    rules, seed = tournament.table_rules, tournament.seed
    if tournament.unit == "hand":
        cycle = rules.pass_cycle
        passes = rules.do_pass_cards
        direction = cycle[number % len(cycle)] if passes else PassDirection.HOLD
        deal = referee.play(deal_of(seed, number, 0, rules, direction), mixed(seed, number))
        return [(deal, points_of(deal))]

    def next_deal(match: Match) -> Deal:
        return deal_of(seed, number, len(match.hands), rules, match.direction)

    return referee.play_match(next_deal, Match(rules), mixed(seed, number))


def _table(seating: Seating, hands: list[tuple[Deal, Points]]) -> Table:
    plays = bytes(card for deal, _ in hands for _, card in deal.plays)
    passes = b"".join(cards.to_bytes(8) for deal, _ in hands for cards in deal.passes)
    return Table(
        focus=seating,
        points=tuple(points for _, points in hands),
        shooters=tuple(deal.shooter for deal, _ in hands),
        digest=crc32(plays + passes),
    )


def _records(
    tournament: Tournament, number: int, place: int, hands: list[tuple[Deal, Points]]
) -> list[dict[str, Any]]:
    seating = SEATINGS[tournament.seats][place]
    names = [
        str(tournament.focus if seat in seating else tournament.others) for seat in range(SEATS)
    ]
    found = []
    for hand, (deal, points) in enumerate(hands):
        key = tournament.record_id(number, place, hand)
        extra = {"players": names, "deal": number, "seating": place, "hand": hand}
        record = Record(deal, key, SOURCE, points, extra)
        found.append(record.as_object())
    return found

"""The definition of a tournament between two players, and the play of one of its deals.

Deals are duplicated: each is played once in every seating, so that the luck of the cards cancels.
1 against 3: the focus player in each of the four seats. 2 against 2: all six pairs of seats. All:
the 14 ways to seat two players at a table, with 1, 2 or 3 seats of the focus player.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any
from zlib import crc32

from hearts.arena.referee import Prediction, Referee, Spending
from hearts.arena.results import DealResult, Table
from hearts.arena.seeds import deal_of, derive_seed, match_of
from hearts.game.cards import SEATS
from hearts.game.deal import REMEMBERED, Deal
from hearts.game.errors import InvalidConfig
from hearts.game.match import Match
from hearts.game.records import Record
from hearts.game.rules import JACK_POINTS, PASSING, PassDirection, Rules
from hearts.game.scoring import Points, points_of
from hearts.players.player import Player
from hearts.players.registry import shared_player
from hearts.players.spec import Spec

if TYPE_CHECKING:
    from hearts.arena.adjustment import Adjustment

Seating = tuple[int, ...]  # the seats of the focus player

SEATINGS: dict[str, tuple[Seating, ...]] = {
    "single": tuple((seat,) for seat in range(SEATS)),
    "pairs": tuple(combinations(range(SEATS), 2)),
    "all": tuple(seats for size in range(1, SEATS) for seats in combinations(range(SEATS), size)),
}
UNITS = ("hand", "match")
SOURCE = "arena"  # the `source` of its records
PASSINGS = ("none", "cycle", "left", "right", "across")


@dataclass(frozen=True)
class Tournament:
    """The definition of a tournament: everything that its results depend on, except the clock."""

    focus: Spec
    others: Spec
    seed: int = 0
    seats: str = "single"  # 1 against 3; `pairs`: 2 against 2; `all`: all 14 seatings
    unit: str = "hand"  # a deal is one hand, or a `match` to the target score
    passing: str = "none"  # `cycle`: the cycle of the rules; or one direction for all deals
    rules: Rules = field(default=PASSING)
    limit: float = 30.0  # seconds that a decision may take before it is a fault
    equal_time: float | None = None  # CPU ms per searched move; replaces the players' budgets
    # Matches start when a seat first has so many points: see `hearts.arena.seeds.match_of`. Not in
    # the names of journals unless it is set, so that those of earlier versions are found.
    from_score: int = field(default=0, repr=False)
    # The hands that the players of a table have played before each hand, as in a match, without
    # their scores: what players remember of each other. Named in journals only if it is set.
    earlier_hands: int = field(default=0, repr=False)
    # Store what the focus player expects of the moon after each card that it chooses. Likewise.
    predictions: bool = field(default=False, repr=False)
    # Estimate the luck of the cards with this policy, or the network, in place of the focus player.
    # Not part of the repr, by which journals of earlier versions are found.
    proxy: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for option, choices in (("seats", SEATINGS), ("unit", UNITS), ("passing", PASSINGS)):
            value = getattr(self, option)
            if value not in choices:
                raise InvalidConfig(option, f"{value!r} is unknown; choose {', '.join(choices)}")
        if self.seed < 0:
            raise InvalidConfig("seed", f"{self.seed} is out of range: must not be negative")
        for option, seconds in (("timeout", self.limit), ("equal_time", self.equal_time)):
            if seconds is not None and not seconds > 0:
                raise InvalidConfig(option, f"{seconds} is out of range: must be more than 0")
        if self.from_score and not self._can_start_late:
            reason = "is for matches with the usual scoring, below the target score"
            raise InvalidConfig("from_score", f"{self.from_score} {reason}")
        external = [str(side) for side in (self.focus, self.others) if side.external]
        if self.equal_time is not None and external:
            raise InvalidConfig("equal_time", f"{external[0]} has its own clock")
        if self.unit == "match" and self.rules.total + JACK_POINTS * self.rules.jack_bonus <= 0:
            raise InvalidConfig("rules", "give no points: no match could reach the target score")
        self._check_hand_options()

    def _check_hand_options(self) -> None:
        """Check the options that only hands have."""
        if not 0 <= self.earlier_hands <= REMEMBERED:
            reason = f"is out of range: must be 0 to {REMEMBERED}"
            raise InvalidConfig("earlier_hands", f"{self.earlier_hands} {reason}")
        if self.unit == "hand":
            return
        if self.proxy is not None:
            raise InvalidConfig(
                "adjusted", "is for hands: the hands of a match are not independent"
            )
        if self.earlier_hands:
            raise InvalidConfig("earlier_hands", "are for hands: a match begins without any")
        if self.predictions:
            raise InvalidConfig("predictions", "are for hands")

    @property
    def adjustment(self) -> "Adjustment | None":
        """How results are adjusted; None if they are not."""
        if self.proxy is None:
            return None
        # Imported here: it loads numba.
        from hearts.arena.adjustment import adjustment_of

        return adjustment_of(self.focus, self.others, self.proxy)

    @property
    def _can_start_late(self) -> bool:
        is_usual = self.unit == "match" and self.rules.usual_scoring
        return is_usual and 0 < self.from_score < self.rules.target_score

    @property
    def table_rules(self) -> Rules:
        """The rules with the passing of this tournament."""
        if self.passing == "none":
            return replace(self.rules, do_pass_cards=False)
        if self.passing == "cycle":
            return replace(self.rules, do_pass_cards=True)
        cycle = (PassDirection.parse(self.passing),)
        return replace(self.rules, do_pass_cards=True, pass_cycle=cycle)

    def player_spec(self, spec: Spec) -> Spec:
        """The player of a side, with the budget of this tournament."""
        if self.equal_time is None:
            return spec
        return spec.with_options(time_ms=self.equal_time, clock="cpu", threads=1)

    def record_id(self, deal: object, seating: object, hand: object) -> str:
        """The id of the record of a hand."""
        return f"{self.seed}-{deal}-{seating}-{hand}"

    def owns(self, record: Any) -> bool:
        """Whether a record is that of a hand of this tournament, by its id and players."""
        if not isinstance(record, Mapping) or record.get("source") != SOURCE:
            return False
        place = (record.get(each) for each in ("deal", "seating", "hand"))
        names = {str(self.focus), str(self.others)}
        return record.get("id") == self.record_id(*place) and set(record["players"]) == names

    def published(self) -> "Tournament":
        """The same tournament with the published names of its players' options.

        Journals and stored hands are looked up by this form.
        """
        return replace(self, focus=self.focus.published(), others=self.others.published())

    def as_object(self) -> dict[str, Any]:
        """The tournament as JSON."""
        optional = ("from_score", "earlier_hands", "predictions")
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
            **{name: getattr(self, name) for name in optional if getattr(self, name)},
            **({} if self.proxy is None else {"proxy": self.proxy}),
        }


def play_deal(tournament: Tournament, number: int, keep_records: bool = False) -> DealResult:
    """Play deal `number` in every seating; `keep_records` adds the record of every hand."""
    focus, others = Spending(), Spending()
    tables, records, first_hands = [], [], []
    start = match_of(tournament.seed, number, tournament.table_rules, tournament.from_score)
    for place, seating in enumerate(SEATINGS[tournament.seats]):
        referee = Referee(_players(tournament, seating), tournament.limit)
        hands = _hands(tournament, referee, number, start)
        noted = _noted(referee, seating) if tournament.predictions else ()
        tables.append(_table(seating, hands, start.scores, noted))
        first_hands.append(hands[0][0])
        for seat, spent in enumerate(referee.spending):
            (focus if seat in seating else others).add(spent)
        if keep_records:
            records += _records(tournament, number, place, hands)
    result = DealResult(number, tuple(tables), focus, others, tuple(records))
    adjustment = tournament.adjustment
    if adjustment is None:
        return result
    seed = derive_seed(tournament.seed, number)
    features = adjustment.features(list(zip(tables, first_hands, strict=True)), seed)
    return replace(
        result, adjusted=adjustment.adjusted(features), features=tuple(features.tolist())
    )


def _players(tournament: Tournament, seating: Seating) -> list[Player]:
    focus, others = map(tournament.player_spec, (tournament.focus, tournament.others))
    specs = [focus if seat in seating else others for seat in range(SEATS)]
    return [shared_player(spec, tournament.limit) for spec in specs]


def _hands(
    tournament: Tournament, referee: Referee, number: int, start: Match
) -> list[tuple[Deal, Points]]:
    """Play the hand or the match of one seating; return the hands with their points."""
    rules, seed = tournament.table_rules, tournament.seed
    if tournament.unit == "hand":
        earlier = _earlier_hands(tournament, referee, number)
        deal = deal_of(seed, number, 0, rules, _direction(rules, number))
        deal = referee.play(deal, derive_seed(seed, number), earlier=earlier)
        return [(deal, points_of(deal))]

    def next_deal(match: Match) -> Deal:
        return deal_of(seed, number, len(match.hands), rules, match.direction)

    return referee.play_match(next_deal, start, derive_seed(seed, number))


def _direction(rules: Rules, number: int) -> PassDirection:
    """The direction in which a single hand passes."""
    cycle = rules.pass_cycle
    return cycle[number % len(cycle)] if rules.do_pass_cards else PassDirection.HOLD


def _earlier_hands(tournament: Tournament, referee: Referee, number: int) -> list[Deal]:
    """Play the hands before that of a deal; a referee of their own counts what they cost."""
    rules, seed = tournament.table_rules, tournament.seed
    before = Referee(referee.players, referee.limit)
    hands: list[Deal] = []
    for hand in range(1, tournament.earlier_hands + 1):
        deal = deal_of(seed, number, hand, rules, _direction(rules, hand))
        hands.append(before.play(deal, derive_seed(seed, number, hand), earlier=hands))
    return hands


def _noted(referee: Referee, seating: Seating) -> tuple[Prediction, ...]:
    """What the focus seats expected of the moon in the last hand."""
    return tuple(each for each in referee.predictions if each.seat in seating)


def _table(
    seating: Seating,
    hands: list[tuple[Deal, Points]],
    start: Points,
    predictions: tuple[Prediction, ...],
) -> Table:
    plays = bytes(card for deal, _ in hands for _, card in deal.plays)
    passes = b"".join(cards.to_bytes(8) for deal, _ in hands for cards in deal.passes)
    return Table(
        focus=seating,
        points=tuple(points for _, points in hands),
        shooters=tuple(deal.shooter for deal, _ in hands),
        digest=crc32(plays + passes),
        start=start,
        predictions=predictions,
    )


def _records(
    tournament: Tournament, number: int, place: int, hands: list[tuple[Deal, Points]]
) -> list[dict[str, Any]]:
    seating = SEATINGS[tournament.seats][place]
    names = [
        str(tournament.focus if seat in seating else tournament.others) for seat in range(SEATS)
    ]
    records = []
    for hand, (deal, points) in enumerate(hands):
        key = tournament.record_id(number, place, hand)
        extra = {"players": names, "deal": number, "seating": place, "hand": hand}
        record = Record(deal, key, SOURCE, points, extra)
        records.append(record.as_object())
    return records

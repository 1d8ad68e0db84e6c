"""The options of the rules, and the value of tricks and cards; `legality` has the rules of play.

Where engines differ, these rules follow OpenSpiel:
- On the first trick, a player who is void in the suit led and has only barred cards may play any
  of them, including Q♠. The C++ server allows the hearts only.
- J♦ counts −10 even if somebody shoots the moon. The bonus for taking no trick is not paid in a
  hand in which somebody shoots the moon.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum, IntEnum
from typing import Any

from hearts.game.cards import (
    HEARTS,
    JACK_OF_DIAMONDS,
    QUEEN_OF_SPADES,
    SEATS,
    SUIT_MASK,
    TWO_OF_CLUBS,
    Card,
    CardSet,
    bit,
    count,
    suit_of,
)
from hearts.game.errors import InvalidRules

QUEEN: CardSet = bit(QUEEN_OF_SPADES)
JACK: CardSet = bit(JACK_OF_DIAMONDS)
ALL_HEARTS: CardSet = SUIT_MASK[HEARTS]

QUEEN_POINTS = 13
JACK_POINTS = -10
NO_TRICK_POINTS = -5
MAX_TARGET_SCORE = 100_000
PASS_SIZE = 3


class PassDirection(IntEnum):
    """How many seats to the left the three passed cards go."""

    HOLD = 0
    LEFT = 1
    ACROSS = 2
    RIGHT = 3

    @classmethod
    def parse(cls, value: object) -> "PassDirection":
        """Read a name, or a client's number (0 hold, 1 left, −1 right, 2 across)."""
        if isinstance(value, str) and value.upper() in cls.__members__:
            return cls[value.upper()]
        if isinstance(value, int) and not isinstance(value, bool) and value in (0, 1, -1, 2, 3):
            return cls(value % SEATS)
        reason = f"{value!r}: choose left, right, across, hold (1, -1, 2, 0)"
        raise InvalidRules((), reason)

    @property
    def label(self) -> str:
        """The name in records: `left`, `across`, `right` or `hold`."""
        return self.name.lower()


class MoonScoring(Enum):
    """How a moon is scored; `Rules.total` is all penalty points, 26 by the usual rules."""

    OTHERS_ADD = "others_add"  # the three others add the total, and the shooter nothing
    SHOOTER_SUBTRACTS = "shooter_subtracts"  # the shooter subtracts the total
    SHOOTER_CHOOSES = "shooter_chooses"  # the shooter chooses between the two


@dataclass(frozen=True)
class Rules:
    """One variant of Hearts; `Rules()` is the clients' standard set, mask 2465."""

    queen_penalty: bool = True  # Q♠ costs 13
    jack_bonus: bool = False  # J♦ is worth −10
    no_trick_bonus: bool = False  # a player who takes no trick gets −5
    end_score_bonus: bool = False  # stored for clients, which define it; no effect here
    shooting_needs_jack: bool = False  # a moon needs J♦ too
    lead_2_clubs: bool = True  # 2♣ opens the hand
    lead_clubs: bool = False  # the holder of 2♣ opens the hand, with any club
    no_hearts_first_trick: bool = True  # hearts are barred from the first trick
    no_queen_first_trick: bool = True  # Q♠ is barred from the first trick
    queen_breaks_hearts: bool = False  # playing Q♠ breaks hearts
    do_pass_cards: bool = False  # hands begin with a pass
    must_break_hearts: bool = True  # unbroken hearts may be led only from a hand of hearts
    hearts_arent_points: bool = False  # hearts cost nothing, and nobody can shoot the moon
    no_shooting: bool = False  # a player who takes all points keeps them
    # Options that are not in the mask; a new one belongs here, False by default.
    hearts_instead_of_queen: bool = False  # unbroken hearts may be led from Q♠ and hearts only
    moon: MoonScoring = MoonScoring.OTHERS_ADD
    target_score: int = 100  # the match ends when a player has reached this score
    pass_cycle: tuple[PassDirection, ...] = (
        PassDirection.LEFT,
        PassDirection.RIGHT,
        PassDirection.ACROSS,
        PassDirection.HOLD,
    )

    def __post_init__(self) -> None:
        if not 1 <= self.target_score <= MAX_TARGET_SCORE:
            reason = f"{self.target_score}: must be 1 to {MAX_TARGET_SCORE}"
            raise InvalidRules("target_score", reason)
        if not self.pass_cycle:
            raise InvalidRules("pass_cycle", "must name at least one direction")

    @classmethod
    def from_mask(cls, mask: int) -> "Rules":
        """The rules of a client's 14-bit mask, with defaults for all other options."""
        if not 0 <= mask < 1 << len(MASK_BITS):
            raise InvalidRules((), f"{mask}: the mask has {len(MASK_BITS)} bits, 0 to 16383")
        options: dict[str, Any] = {name: bool(mask & flag) for name, flag in MASK_BITS.items()}
        return cls(**options)

    @classmethod
    def parse(cls, value: object, base: "Rules | None" = None) -> "Rules":
        """Read a mask, or an object with the options that differ from `base`, or from STANDARD."""
        if isinstance(value, bool) or not isinstance(value, int | Mapping):
            raise InvalidRules((), f"{value!r}: give a bit mask or an object of named options")
        if isinstance(value, int):
            return cls.from_mask(value)
        options = {str(key): _option(str(key), given) for key, given in value.items()}
        if options.get("lead_clubs"):  # instead of 2♣, unless both are named
            options.setdefault("lead_2_clubs", False)
        return replace(base or cls(), **options)

    @property
    def mask(self) -> int:
        """The 14-bit mask, without the options that it cannot express."""
        return sum(flag for option, flag in MASK_BITS.items() if getattr(self, option))

    def as_object(self) -> dict[str, Any]:
        """All options by name, as JSON; `Rules.parse` reads them back."""
        flags = {field.name: getattr(self, field.name) for field in fields(self)}
        cycle = [direction.label for direction in self.pass_cycle]
        return flags | {"moon": self.moon.value, "pass_cycle": cycle}

    def as_value(self) -> int | dict[str, Any]:
        """The mask if it expresses these rules, else all options by name."""
        return self.mask if self == Rules.from_mask(self.mask) else self.as_object()

    @property
    def total(self) -> int:
        """All penalty points of a deal, 26 by the usual rules."""
        return points_in(replace(self, jack_bonus=False), ALL_HEARTS | QUEEN)

    @property
    def point_cards(self) -> CardSet:
        """The cards that add or subtract points."""
        hearts = 0 if self.hearts_arent_points else ALL_HEARTS
        return hearts | QUEEN * self.queen_penalty | JACK * self.jack_bonus

    @property
    def usual_scoring(self) -> bool:
        """Whether points are scored as usual: hearts 1, Q♠ 13, and moons."""
        unusual = (
            self.jack_bonus
            or self.no_trick_bonus
            or self.shooting_needs_jack
            or self.hearts_arent_points
            or self.no_shooting
        )
        return self.queen_penalty and not unusual

    @property
    def usual_penalties(self) -> bool:
        """Whether hearts cost 1 and Q♠ costs 13, whatever moons and bonuses there are."""
        return self.queen_penalty and not self.hearts_arent_points

    @property
    def moon_cards(self) -> CardSet:
        """The cards that a shooter must take, 0 under rules without moons."""
        if self.no_shooting or self.hearts_arent_points:
            return 0
        queen, jack = QUEEN * self.queen_penalty, JACK * self.shooting_needs_jack
        return ALL_HEARTS | queen | jack

    @property
    def barred_first(self) -> CardSet:
        """The cards that may not be played to the first trick while the hand has others."""
        return ALL_HEARTS * self.no_hearts_first_trick | QUEEN * self.no_queen_first_trick

    @property
    def heart_breakers(self) -> CardSet:
        """The cards that break hearts when they are played."""
        return ALL_HEARTS | QUEEN * self.queen_breaks_hearts

    @property
    def opener(self) -> CardSet:
        """The card whose holder leads the first trick, 0 if the deal names the leader."""
        return bit(TWO_OF_CLUBS) if self.lead_2_clubs or self.lead_clubs else 0


FLAGS = frozenset(field.name for field in fields(Rules) if isinstance(field.default, bool))
# The options of the mask, in the order of their bits. Clients send masks, and games are stored with
# them: the list never changes.
_MASK_OPTIONS = (
    "queen_penalty",
    "jack_bonus",
    "no_trick_bonus",
    "end_score_bonus",
    "shooting_needs_jack",
    "lead_2_clubs",
    "lead_clubs",
    "no_hearts_first_trick",
    "no_queen_first_trick",
    "queen_breaks_hearts",
    "do_pass_cards",
    "must_break_hearts",
    "hearts_arent_points",
    "no_shooting",
)
MASK_BITS = {name: 1 << index for index, name in enumerate(_MASK_OPTIONS)}

STANDARD = Rules()  # mask 2465
PASSING = Rules.from_mask(4001)  # the usual game: STANDARD with passing, and Q♠ breaks hearts


def _option(option: str, given: object) -> Any:
    """The value of one named option, checked."""
    if option in FLAGS:
        if not isinstance(given, bool):
            raise InvalidRules(option, f"{given!r}: must be true or false")
        return given
    if option == "moon":
        choices = [scoring.value for scoring in MoonScoring]
        if given not in choices:
            raise InvalidRules(option, f"{given!r}: choose one of {', '.join(choices)}")
        return MoonScoring(given)
    if option == "target_score":
        if isinstance(given, bool) or not isinstance(given, int):
            raise InvalidRules(option, f"{given!r}: must be a whole number")
        return given
    if option == "pass_cycle":
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise InvalidRules(option, f"{given!r}: must be a list of directions")
        return tuple(_cycle_entry(index, direction) for index, direction in enumerate(given))
    raise InvalidRules(option, "there is no such rule")


def _cycle_entry(index: int, given: object) -> PassDirection:
    try:
        return PassDirection.parse(given)
    except InvalidRules as error:
        raise error.within("pass_cycle", index) from None


def trick_winner(leader: int, cards: Sequence[Card]) -> int:
    """The seat with the highest card of the suit led, in a complete or incomplete trick."""
    best = max(range(len(cards)), key=lambda i: (suit_of(cards[i]) == suit_of(cards[0]), cards[i]))
    return (leader + best) % SEATS


def points_in(rules: Rules, cards: CardSet) -> int:
    """The points of a set of cards, without moons and the bonus for taking no trick."""
    hearts = 0 if rules.hearts_arent_points else count(cards & ALL_HEARTS)
    queen = QUEEN_POINTS if rules.queen_penalty and cards & QUEEN else 0
    jack = JACK_POINTS if rules.jack_bonus and cards & JACK else 0
    return hearts + queen + jack


def moon_shooter(rules: Rules, taken: Sequence[CardSet]) -> int | None:
    """The seat that took all cards that a moon needs; `taken` has the cards of each seat."""
    needed = rules.moon_cards
    if not needed:
        return None
    return next((seat for seat in range(SEATS) if not needed & ~taken[seat]), None)


def hand_points(
    rules: Rules, taken: Sequence[CardSet], choice: MoonScoring = MoonScoring.OTHERS_ADD
) -> tuple[int, ...]:
    """The points of a finished hand, moon included; `choice` applies if the shooter may choose."""
    points = [points_in(rules, cards) for cards in taken]
    shooter = moon_shooter(rules, taken)
    if shooter is not None:
        scoring = choice if rules.moon is MoonScoring.SHOOTER_CHOOSES else rules.moon
        subtracts = scoring is MoonScoring.SHOOTER_SUBTRACTS
        for seat in range(SEATS):
            others = 0 if subtracts else rules.total
            points[seat] += others if seat != shooter else -rules.total * (2 if subtracts else 1)
    elif rules.no_trick_bonus:
        for seat in range(SEATS):
            points[seat] += 0 if taken[seat] else NO_TRICK_POINTS
    return tuple(points)


def lowest_score(rules: Rules) -> int:
    """The lowest score that a seat can get in a hand."""
    jack = JACK_POINTS if rules.jack_bonus else 0
    moon = -rules.total if rules.moon is MoonScoring.SHOOTER_SUBTRACTS else 0
    return min(moon, NO_TRICK_POINTS if rules.no_trick_bonus else 0) + jack

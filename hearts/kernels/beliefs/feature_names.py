"""Columns and labels of the features of leads, follows, discards and passes.

Style books store the labels, so a label cannot change. Terms, with the prefix that names use:

    rank                    the card's rank, from 0 (two) to 1 (ace)
    height                  the share of the others' unplayed cards of the suit that are lower
    highest, lowest of all  no unplayed card of the suit in another hand is higher, or lower
    tricks over     LATE    factor: the share of tricks played, from 0 to 1
    not last        EARLY   other seats play to the trick after this one
    seats out of the suit   other seats that are known to be void in it
    queen out               Q♠ costs points and has not been played; otherwise it is gone
    beside the queen        Q♠ is in the same hand
    high, low spades        ace and king; those below the queen
    only taker              the only seat that has taken points
    alone with points       MOON: this seat is the only taker
    another alone           STOPPER: another seat is
    feeds                   lets the only taker win the trick, or discards on a trick it is winning
"""

from enum import IntEnum


class Feature(IntEnum):
    """The column of a feature, with its label in style books; an integer to the kernels."""

    label: str

    def __new__(cls, column: int, label: str) -> "Feature":
        """Create a member with a column and a label."""
        member = int.__new__(cls, column)
        member._value_, member.label = column, label
        return member


class Lead(Feature):
    """Features of a lead."""

    RUN = 0, "cards in the run (log)"
    DIAMOND = 1, "diamonds"
    SPADE = 2, "spades"
    HEART = 3, "hearts"
    HEIGHT = 4, "height"
    HEIGHT_SQUARED = 5, "height squared"
    HEART_HEIGHT = 6, "height of a heart"
    LATE_HEIGHT = 7, "height, by tricks over"
    HEIGHT_BY_VOIDS = 8, "height, by seats out of the suit"
    TOP_OF_ALL = 9, "highest of all"
    BOTTOM_OF_ALL = 10, "lowest of all"
    NOBODY_ELSE = 11, "nobody else has the suit"
    LOWEST = 12, "lowest of the suit"
    SINGLETON = 13, "singleton"
    DOUBLETON = 14, "doubleton"
    LENGTH = 15, "length of the suit"
    VOIDS = 16, "seats out of the suit"
    OTHERS = 17, "others' cards of the suit"
    LOW_SPADE = 18, "low spade, queen out, no high spade in hand"
    LOW_SPADE_WITH_QUEEN = 19, "low spade, queen out, queen in hand"
    LOW_SPADE_WITH_HIGH = 20, "low spade, queen out, ace or king in hand"
    HIGH_SPADE = 21, "ace or king of spades, queen out"
    QUEEN = 22, "queen of spades"
    HIGH_SPADE_WITH_QUEEN = 23, "ace or king of spades beside the queen"
    MOON_HEIGHT = 24, "alone with points: height"
    MOON_TOP_OF_ALL = 25, "alone with points: highest of all"
    STOPPER_HEIGHT = 26, "another alone with points: height"
    STOPPER_HEART = 27, "another alone with points: heart"
    SPADE_WITHOUT_QUEEN = 28, "spades, queen gone"
    LATE_HEART = 29, "hearts, by tricks over"
    LOW_SPADE_LENGTH = 30, "low spade, queen out, cards of the suit in hand"
    LONG_HEIGHT = 31, "height of a long suit"


class Follow(Feature):
    """Features of a card that follows suit."""

    RUN = 0, "cards in the run (log)"
    DUCKS = 1, "ducks"
    HIGHEST_DUCK = 2, "highest that ducks"
    LOWEST = 3, "lowest of the suit"
    HIGHEST = 4, "highest of the suit"
    HEIGHT = 5, "height"
    SURE_TAKE = 6, "takes for sure"
    LAST_TAKE = 7, "takes, last"
    LAST_FREE_TAKE = 8, "takes, last, no points"
    LAST_POINTS = 9, "takes, last, by points"
    LAST_QUEEN = 10, "takes, last, queen on the table"
    EARLY_POINTS = 11, "takes, not last, by points"
    FIRST_TRICK_HEIGHT = 12, "takes, height, first trick"
    EARLY_HEIGHT = 13, "takes, not last, height"
    TAKE_BEFORE_VOIDS = 14, "takes, seats to come out of the suit"
    LAST_HIGHEST = 15, "takes, highest, last"
    LAST_LOWEST = 16, "takes, lowest, last"
    TAKES_HEART = 17, "takes a heart trick"
    LATE_TAKE = 18, "takes, by tricks over"
    HIGH_SPADE_EARLY = 19, "ace or king of spades, queen out, not last"
    HIGH_SPADE_LAST = 20, "ace or king of spades, queen out, last"
    QUEEN_DUCKS = 21, "queen of spades ducks"
    QUEEN_TAKES = 22, "queen of spades takes"
    QUEEN_TAKES_LAST = 23, "queen of spades takes, last"
    LOW_SPADE_TAKES = 24, "low spade takes, queen in hand"
    LOW_SPADE_WITH_HIGH = 25, "low spade, queen out, ace or king in hand"
    MOON_TAKE = 26, "alone with points: takes"
    MOON_POINTS = 27, "alone with points: takes points"
    FEEDS = 28, "feeds the only taker"
    STOPPER_POINTS = 29, "takes points from the only taker"
    FED_POINTS = 30, "feeds, by points"
    DUCK_HEIGHT = 31, "ducks, height"
    FREE_DUCK_HEIGHT = 32, "ducks, height, no points"
    TAKE_UNDER = 33, "takes, others' cards above"
    SECOND_TAKE = 34, "takes, second to play"
    TAKE_OVER_OWN = 35, "takes, cards left below in the suit"
    EARLY_HIGHEST = 36, "takes, not last, highest"
    EARLY_LOWEST = 37, "takes, not last, lowest"


class Discard(Feature):
    """Features of a discard."""

    RUN = 0, "cards in the run (log)"
    DIAMOND = 1, "diamonds"
    SPADE = 2, "spades"
    HEART = 3, "hearts"
    HEIGHT = 4, "height"
    HEART_HEIGHT = 5, "height of a heart"
    HIGHEST = 6, "highest of the suit"
    HIGHEST_HEART = 7, "highest heart"
    SINGLETON = 8, "singleton"
    DOUBLETON = 9, "doubleton"
    LENGTH = 10, "length of the suit"
    OWN_BELOW = 11, "own cards below"
    TOP_OF_ALL = 12, "highest of all"
    NOBODY_ELSE = 13, "nobody else has the suit"
    OTHERS = 14, "others' cards of the suit"
    QUEEN = 15, "queen of spades"
    QUEEN_LAST = 16, "queen of spades, last"
    HIGH_SPADE = 17, "ace or king of spades, queen out"
    HIGH_SPADE_SHORT = 18, "ace or king of spades, queen out, few spades"
    HIGH_SPADE_WITH_QUEEN = 19, "ace or king of spades beside the queen"
    LOW_SPADE = 20, "low spade, queen out"
    LOW_SPADE_WITH_QUEEN = 21, "low spade beside the queen"
    FEEDS = 22, "feeds the only taker: heart or queen"
    FEEDS_MOON = 23, "feeds a moon: heart or queen"
    MOON_COST = 24, "alone with points: heart or queen"
    HEART_ON_POINTS = 25, "heart, points on the table"
    LATE_HEART = 26, "heart, by tricks over"
    LATE_HEIGHT = 27, "height, by tricks over"
    LATE_SINGLETON = 28, "singleton, by tricks over"
    LOWEST = 29, "lowest of the suit"
    CLUB_HEIGHT = 30, "height of clubs"
    FIRST_HEART = 31, "heart, first thrown"
    SHORT_HEIGHT = 32, "height of a short suit"
    FIRST_TRICK_HEIGHT = 33, "first trick, height"


class Pass(Feature):
    """Features of a card to pass."""

    CLUB_RANK = 0, "rank of a club"
    DIAMOND_RANK = 1, "rank of a diamond"
    HEART_RANK = 2, "rank of a heart"
    DIAMOND = 3, "diamonds"
    SPADE = 4, "spades"
    HEART = 5, "hearts"
    OWN_BELOW = 6, "own cards below"
    CLUB_OWN_BELOW = 7, "own cards below a club"
    HEART_OWN_BELOW = 8, "own cards below a heart"
    CLUBS_1 = 9, "clubs: length 1"
    CLUBS_2 = 10, "clubs: length 2"
    CLUBS_3 = 11, "clubs: length 3"
    DIAMONDS_1 = 12, "diamonds: length 1"
    DIAMONDS_2 = 13, "diamonds: length 2"
    DIAMONDS_3 = 14, "diamonds: length 3"
    CLUBS = 15, "clubs: length"
    DIAMONDS = 16, "diamonds: length"
    HEARTS = 17, "hearts: length"
    QUEEN = 18, "queen of spades"
    QUEEN_BY_LOW = 19, "queen of spades: low spades"
    QUEEN_GUARDED = 20, "queen of spades: four low spades or more"
    HIGH_SPADE = 21, "ace or king of spades"
    HIGH_SPADE_BY_LOW = 22, "ace or king: low spades"
    HIGH_SPADE_WITH_QUEEN = 23, "ace or king: queen in hand"
    HIGH_SPADE_GUARDED = 24, "ace or king: four low spades or more"
    LOW_SPADE = 25, "low spade"
    LOW_SPADE_WITH_QUEEN = 26, "low spade: queen in hand"
    LOW_SPADE_WITH_HIGH = 27, "low spade: ace or king in hand"
    LOW_SPADE_RANK = 28, "rank of a low spade"
    SPADES = 29, "spades: length"
    ACE = 30, "ace"
    KING = 31, "king"
    LOW_CLUB = 32, "low club"
    ACE_OF_CLUBS = 33, "ace of clubs"
    TWO_OF_CLUBS = 34, "two of clubs"
    LOW_HEART = 35, "heart: low"
    HIGHEST_HEART = 36, "heart: highest"
    HIGHEST = 37, "highest of the suit"
    RANK_SQUARED = 38, "rank squared"

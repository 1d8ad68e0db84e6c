"""What a hand came to: by hand-made hands, and by an oracle on hands that were really played."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from hearts.game.cards import SEATS, count
from hearts.game.deal import Deal
from hearts.game.errors import IllegalMove
from hearts.game.records import Record, read_records
from hearts.game.rules import PASSING, QUEEN, MoonScoring, Rules
from hearts.game.summary import SeatSummary, summarise
from tests.golden.make_hands import PATH as GOLDEN
from tests.hearts.games import trick

DATA = Path(__file__).parents[2] / "data"
FREE = replace(
    PASSING,
    lead_2_clubs=False,
    no_hearts_first_trick=False,
    no_queen_first_trick=False,
    must_break_hearts=False,
)
EIGHT_HEARTS = ("0 AH 2H 3H 4H", "0 KH 5H 6H 7H")
TWELVE_HEARTS = (*EIGHT_HEARTS, "0 QH 8H 9H 10H")
REST = (
    "5C 6C 7C 8C", "9C 10C JC QC",
    "2D 3D 4D 5D", "6D 7D 8D 9D", "10D JD QD KD",
    "4S 5S 6S 7S", "8S 9S 10S KS",
)  # fmt: skip


def played(rules: Rules, *tricks: str) -> Record:
    """The record of a hand from its tricks ("leader, cards"), which must be legal to the end."""
    line = [trick(int(text[0]), text[2:]) for text in tricks]
    dealt = [0] * SEATS
    for each in line:
        for seat, card in each.plays:
            dealt[seat] |= 1 << card
    deal = Deal.of(rules, dealt, leader=line[0].leader)
    for each in line:
        for seat, card in each.plays:
            deal = deal.play(card, seat)
    return Record.of(deal)


def led_by(leader: int, tricks: tuple[str, ...]) -> list[str]:
    """Tricks that the last card wins, led by whoever won the one before."""
    return [f"{(leader - number) % SEATS} {text}" for number, text in enumerate(tricks)]


NOBODY = (False, False, False)
LAST = "0 AD JH KC AS"
TRIED, MADE, STOPPED = (True, False, False), (True, True, False), (False, False, True)
AWAY = ("0 2C 3C 4C AC", *led_by(3, REST))  # the lead goes to seat 3, and comes back to seat 0
MOON = (*TWELVE_HEARTS, "0 QS 2S 3S JS", *AWAY, LAST)


def test_a_hand_in_all_its_figures():
    record = played(FREE, *TWELVE_HEARTS, "0 2C 3C 4C AC", "3 QS 2S 3S JS", *led_by(3, REST), LAST)
    assert summarise(record) == (
        SeatSummary(13, 6, False, *TRIED),
        SeatSummary(0, 2, False, *NOBODY),
        SeatSummary(0, 2, False, *NOBODY),
        SeatSummary(13, 3, True, *STOPPED),
    )


@pytest.mark.parametrize(
    ("rules", "tricks", "wanted"),
    [
        pytest.param(FREE, MOON, [MADE, NOBODY, NOBODY, NOBODY], id="made"),
        pytest.param(
            FREE,
            (*TWELVE_HEARTS, "0 QS 2S 3S JS", "0 AC 2C 3C 4C", *led_by(0, REST), "1 JH KC AS AD"),
            [TRIED, STOPPED, NOBODY, NOBODY],
            id="stopped by the last trick",
        ),
        pytest.param(
            FREE,
            ("0 AH 2H 3H 4H", "0 5H 6H 7H KH", "3 QH 8H 9H 10H", "3 QS 2S 3S JS", "3 AC 2C 3C 4C",
             *led_by(3, REST), LAST),
            [NOBODY, NOBODY, NOBODY, NOBODY],
            id="four hearts are no try",
        ),
        pytest.param(
            replace(FREE, no_shooting=True), MOON, [NOBODY] * SEATS, id="rules without moons"
        ),
        pytest.param(
            replace(FREE, shooting_needs_jack=True),
            MOON,
            # Seat 2 takes J♦ when seat 0 has 13 of the 15 cards.
            [TRIED, NOBODY, STOPPED, NOBODY],
            id="a moon that needs the jack",
        ),
    ],
)  # fmt: skip
def test_who_tried_made_and_stopped_a_moon(rules, tricks, wanted):
    found = summarise(played(rules, *tricks))
    assert [(each.moon_tried, each.moon_made, each.moon_stopped) for each in found] == wanted


def test_the_points_are_those_that_were_written_down():
    record = played(replace(FREE, moon=MoonScoring.SHOOTER_CHOOSES), *MOON)
    assert [each.points for each in summarise(record)] == [0, 26, 26, 26]
    subtracted = replace(record, points=(-26, 0, 0, 0))
    assert [each.points for each in summarise(subtracted)] == [-26, 0, 0, 0]


def test_an_unfinished_hand_has_no_summary():
    deal = replace(played(FREE, *MOON).deal, tricks=())
    with pytest.raises(IllegalMove, match="no result yet"):
        summarise(Record(deal))


def oracle(record: Record) -> list[tuple[int, bool, bool, bool, bool]]:
    """Tricks, queen, tried, made, stopped of each seat, by looking at every moment by itself."""
    needed = record.deal.rules.moon_cards
    moments = [[0] * SEATS]
    for each in record.deal.tricks:
        taken = list(moments[-1])
        taken[each.winner] |= each.cards_set
        moments.append(taken)
    numbers = [[count(cards & needed) for cards in taken] for taken in moments]

    def trying(now: list[int], seat: int) -> bool:
        return 2 * now[seat] >= count(needed) > 0 and sum(now) == now[seat]

    return [
        (
            sum(each.winner == seat for each in record.deal.tricks),
            bool(moments[-1][seat] & QUEEN),
            any(trying(now, seat) for now in numbers),
            needed > 0 and numbers[-1][seat] == count(needed),
            any(
                trying(now, other) and after[seat] > now[seat]
                for now, after in pairwise(numbers)
                for other in range(SEATS)
                if other != seat
            ),
        )
        for seat in range(SEATS)
    ]


@pytest.mark.parametrize(
    "path", [*sorted(DATA.glob("*.jsonl.gz")), GOLDEN], ids=lambda path: path.name.split(".")[0]
)
def test_recorded_hands_agree_with_the_oracle(path):
    tried = made = 0
    for record in read_records(path):
        found = summarise(record)
        assert [
            (s.tricks, s.queen_taken, s.moon_tried, s.moon_made, s.moon_stopped) for s in found
        ] == oracle(record)
        assert tuple(s.points for s in found) == record.points
        tried += sum(s.moon_tried for s in found)
        made += sum(s.moon_made for s in found)
        assert all(s.moon_tried for s in found if s.moon_made)
        assert sum(s.moon_stopped for s in found) <= 1
    assert tried > made > 0

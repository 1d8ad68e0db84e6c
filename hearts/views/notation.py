"""Views read back from their JSON form, `View.as_object`: for logs, audits and tests."""

from collections.abc import Mapping, Sequence
from typing import Any

from hearts.game.cards import CardSet, parse_card, parse_cards
from hearts.game.errors import ImpossibleView, InvalidCard
from hearts.game.rules import STANDARD, PassDirection, Rules
from hearts.game.scoring import NO_SCORES
from hearts.game.trick import PastHands, Trick
from hearts.views.view import View

FIELDS = frozenset(View.__dataclass_fields__)


def view_of(given: object) -> View:
    """The view of a JSON object; only `seat`, `hand` and `trick` must be there.

    A trick is `{"leader", "cards"}`, perhaps with `winner`, which is then compared with the cards.
    """
    fields = _object(given, "view")
    if unknown := sorted(fields.keys() - FIELDS):
        raise ImpossibleView(unknown[0], "there is no such field")
    won, claim = fields.get("won"), fields.get("points_claim")
    return View(
        seat=_number(fields.get("seat"), "seat"),
        hand=_cards(fields.get("hand"), "hand"),
        trick=_trick(fields.get("trick"), "trick"),
        tricks=_tricks(fields.get("tricks", ()), "tricks"),
        rules=Rules.parse(fields["rules"]) if "rules" in fields else STANDARD,
        direction=PassDirection.parse(fields.get("direction", "hold")),
        passed=_cards(fields.get("passed", ()), "passed"),
        received=_cards(fields.get("received", ()), "received"),
        match_scores=_numbers(fields.get("match_scores", NO_SCORES), "match_scores"),
        earlier=_earlier(fields.get("earlier", ())),
        passing=_flag(fields.get("passing", False), "passing"),
        won=None if won is None else _hands(won),
        hearts_broken=None
        if fields.get("hearts_broken") is None
        else _flag(fields["hearts_broken"], "hearts_broken"),
        points_claim=None if claim is None else _numbers(claim, "points_claim"),
    )


def _earlier(given: object) -> PastHands:
    places = {f"earlier[{i}]": hand for i, hand in enumerate(_list(given, "earlier"))}
    hands = {place: _object(hand, place) for place, hand in places.items()}
    return tuple(_tricks(hand.get("tricks"), f"{place}.tricks") for place, hand in hands.items())


def _tricks(given: object, place: str) -> tuple[Trick, ...]:
    tricks = _list(given, place)
    return tuple(_trick(trick, f"{place}[{i}]") for i, trick in enumerate(tricks))


def _trick(given: object, place: str) -> Trick:
    fields = _object(given, place)
    leader = _number(fields.get("leader"), f"{place}.leader")
    cards = _list(fields.get("cards", ()), f"{place}.cards")
    trick = Trick(leader, tuple(_card(card, f"{place}.cards[{i}]") for i, card in enumerate(cards)))
    claimed = fields.get("winner")
    if claimed is not None and claimed != trick.winner:
        raise ImpossibleView(f"{place}.winner", f"seat {trick.winner} wins, not seat {claimed}")
    return trick


def _hands(given: object) -> tuple[CardSet, ...]:
    return tuple(_cards(cards, f"won[{i}]") for i, cards in enumerate(_list(given, "won")))


def _card(given: object, place: str) -> int:
    try:
        return parse_card(given)
    except InvalidCard as error:
        raise ImpossibleView(place, str(error)) from None


def _cards(given: object, place: str) -> CardSet:
    try:
        return parse_cards(_list(given, place))
    except InvalidCard as error:
        raise ImpossibleView(place, str(error)) from None


def _numbers(given: object, place: str) -> tuple[int, ...]:
    numbers = _list(given, place)
    return tuple(_number(number, f"{place}[{i}]") for i, number in enumerate(numbers))


def _object(given: object, place: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise ImpossibleView(place, f"{given!r} is no object")
    return given


def _list(given: object, place: str) -> Sequence[object]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ImpossibleView(place, f"{given!r} is no list")
    return given


def _number(given: object, place: str) -> int:
    if isinstance(given, bool) or not isinstance(given, int):
        raise ImpossibleView(place, f"{given!r} is no whole number")
    return given


def _flag(given: object, place: str) -> bool:
    if not isinstance(given, bool):
        raise ImpossibleView(place, f"{given!r} is neither true nor false")
    return given

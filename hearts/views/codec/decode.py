"""Reads a client's `game_state` as a View.

A state names its fields differently from a View, and may omit some. If a state contradicts itself
but still has a clear meaning, it is read with a warning. Otherwise a FieldError names the field of
the state.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from hearts.game.cards import RANKS, SEATS, count, names
from hearts.game.errors import FieldError, FieldPath, ImpossibleView, NothingToPlay, renamed
from hearts.game.lazy import cached_property
from hearts.game.rules import PASSING, PassDirection, Rules
from hearts.game.scoring import NO_SCORES
from hearts.game.trick import Hands, PastHands, Trick, taken_in
from hearts.views.codec.names import NAMES, RULE_FIELDS
from hearts.views.codec.tricks import read_trick, read_tricks
from hearts.views.codec.warnings import unknown_fields, warning
from hearts.views.parsing import (
    read_cards,
    read_field,
    read_flag,
    read_items,
    read_number,
    read_numbers,
    read_object,
    read_optional,
    whole,
)
from hearts.views.partial_history import check_fragment
from hearts.views.view import View

T = TypeVar("T")
D = TypeVar("D")

GAME_STATE: FieldPath = ("game_state",)
_AFTER_PASS = ("passed_cards", "received_cards", "current_trick")  # absent before a pass
_PER_SEAT = ("played_cards", "scores", "match_scores")  # an empty list is the same as no field


@dataclass(frozen=True)
class GivenState:
    """The view of a state, and the warnings about the state."""

    view: View
    match_known: bool  # whether the state has the scores of the match
    warnings: list[str]


def decode_state(
    state: Mapping[str, Any],
    *,
    passing: bool = False,
    path: FieldPath = GAME_STATE,
    also: frozenset[str] = frozenset(),
) -> GivenState:
    """Read a state, which is the field `path` of a request.

    `passing` says that cards are still to be passed. `also` are further fields that the caller
    reads. Raises FieldError with the path of the field in the request.
    """
    try:
        decoder = _Decoder(read_object(state), passing)
        view = decoder.view()
    except FieldError as error:
        raise error.within(*path) from None
    unknown = [(field, "unknown, ignored") for field in unknown_fields(state, also)]
    warnings = [warning((*path, *field), why) for field, why in (*unknown, *decoder.warnings)]
    return GivenState(view, decoder.match_known, warnings)


def decode_to_play(
    state: Mapping[str, Any], *, path: FieldPath = GAME_STATE, also: frozenset[str] = frozenset()
) -> GivenState:
    """Read a state in which the player is to play a card."""
    if not state.get("player_hand"):
        raise NothingToPlay((*path, "player_hand"), "no cards, so nothing to play")
    decoded = decode_state(state, path=path, also=also)
    view = decoded.view
    if _awaits_pass(state, view.rules):
        reason = "cards are still to be passed: pass first (POST /api/pass)"
        raise ImpossibleView((*path, "pass_direction"), reason)
    if not view.to_move:
        field = ("current_trick",) if view.trick.cards else ("current_trick", "lead_player")
        reason = f"seat {view.turn} is to play, not seat {view.seat}"
        raise ImpossibleView((*path, *field), reason)
    return decoded


def decode_to_pass(state: Mapping[str, Any], *, path: FieldPath = GAME_STATE) -> GivenState:
    """Read a state in which the player is to pass three of thirteen cards."""
    size = len(state.get("player_hand") or ())
    if size != RANKS:
        raise ImpossibleView((*path, "player_hand"), f"{size} cards: a pass is made from {RANKS}")
    return decode_state(state, passing=True, path=path)


def is_before_pass(state: Mapping[str, Any]) -> bool:
    """Whether the player is still to pass: a direction, thirteen cards, and none passed."""
    return state.get("passed_cards") == [] and _is_fresh(state)


def _awaits_pass(state: Mapping[str, Any], rules: Rules) -> bool:
    """Whether a pass comes first: none is made, or neither a pass nor a trick is mentioned.

    Clients that ignore passes send a `current_trick`, perhaps an empty one.
    """
    silent = all(state.get(field) is None for field in _AFTER_PASS)
    return is_before_pass(state) or (silent and rules.do_pass_cards and _is_fresh(state))


def _is_fresh(state: Mapping[str, Any]) -> bool:
    """Whether a hand with a pass direction has thirteen cards, and none was played."""
    played = (state.get("current_trick") or {}).get("cards") or state.get("trick_history")
    directed = state.get("pass_direction") not in (None, 0, "hold")
    return directed and not played and len(state.get("player_hand") or ()) == RANKS


class _Decoder:
    """Reads one state; the paths of errors are relative to it."""

    def __init__(self, state: Mapping[str, Any], passing: bool) -> None:
        stated = ((key, value) for key, value in state.items() if value is not None)
        self.given = {key: value for key, value in stated if value or key not in _PER_SEAT}
        self.passing = passing
        self.warnings: list[tuple[FieldPath, str]] = []

    def view(self) -> View:
        """The view that the state describes."""
        rules, fields = self._rules(), self._fields()
        try:
            view = View(rules=rules, **fields)
        except ImpossibleView as error:
            view = self._without_opener(rules, fields, error.renamed(NAMES))
        self._compare(view)
        return view

    @property
    def match_known(self) -> bool:
        """Whether the scores of the match are given, as `_scores` reads them."""
        return "match_scores" in self.given or (self.passing and "scores" in self.given)

    def _rules(self) -> Rules:
        """The rules, by default the usual ones, with the target score of the state."""
        rules = self._read("rules", _read_rules, PASSING)
        target = self._read("target_score", read_number, None)
        if target is None or target == rules.target_score:
            return rules
        return replace(rules, target_score=target)

    def _fields(self) -> dict[str, Any]:
        """The fields of the view except the rules."""
        seat = self._read("current_player", read_number, 0)
        tricks: tuple[Trick, ...] = self._read("trick_history", read_tricks, ())
        fields = {
            "seat": seat,
            "trick": self._trick(tricks[-1].winner if tricks else seat),
            "tricks": tricks,
            "hand": self._read("player_hand", read_cards, 0),
            "direction": self._direction(),
            "passed": self._read("passed_cards", read_cards, 0),
            "received": self._read("received_cards", read_cards, 0),
            "earlier": self._read("earlier_hands", _read_earlier, ()),
            "passing": self.passing,
            "hearts_broken": self._read("hearts_broken", read_flag, None),
            **self._scores(),
        }
        return fields | self._past(fields)

    def _read(self, field: str, read: Callable[[Any], T], default: D) -> T | D:
        return read_optional(self.given, field, read, default)

    def _trick(self, leader: int) -> Trick:
        """The current trick, which `leader` leads unless the state says otherwise."""
        trick = self._read("current_trick", lambda given: read_trick(given, leader), Trick(leader))
        if self.given.get("current_trick", {}).get("winner") is not None:
            path = ("current_trick", "winner")
            self.warnings.append((path, "the trick is not over, so nobody has won it"))
        return trick

    def _direction(self) -> PassDirection:
        if self.passing and "pass_direction" not in self.given:
            reason = "is missing: say who gets the cards (1, -1 or 2)"
            raise ImpossibleView("pass_direction", reason)
        return self._read("pass_direction", PassDirection.parse, PassDirection.HOLD)

    def _scores(self) -> dict[str, Any]:
        """The scores of the match, and the points of the hand."""
        match = self._read("match_scores", read_numbers, None)
        points = self._read("scores", read_numbers, None)
        if self.passing and match is None:
            # Before the first card there are no points in this hand: `scores` are the match's.
            match, points = points, None
        return {"match_scores": match or NO_SCORES, "points_claim": points}

    def _past(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The fields that describe completed tricks: all tricks, or the cards that seats won."""
        tricks: tuple[Trick, ...] = fields["tricks"]
        size = count(fields["hand"]) + fields["trick"].has_played(fields["seat"])
        if size + len(tricks) >= RANKS:
            return {}  # a full history, or too much of one
        if not tricks:
            return {"won": self._won}
        self._check_fragment(fields)
        reason = f"{len(tricks)} of {RANKS - size} tricks: only the cards won are used"
        self.warnings.append((("trick_history",), reason))
        taken = zip(taken_in(tricks), self._won or (0,) * SEATS, strict=True)
        return {"tricks": (), "won": tuple(seen | claimed for seen, claimed in taken)}

    def _check_fragment(self, fields: dict[str, Any]) -> None:
        """Raise ImpossibleView if the latest tricks of a hand are impossible."""
        try:
            check_fragment(fields["tricks"], fields["trick"], fields["seat"], fields["hand"])
        except ImpossibleView as error:
            raise error.renamed(NAMES) from None

    @cached_property
    def _won(self) -> Hands | None:
        """The cards that each seat has won, according to the state."""
        return self._read("played_cards", _read_piles, None)

    def _without_opener(self, rules: Rules, fields: dict[str, Any], fault: ImpossibleView) -> View:
        """The view of a hand that breaks only the rule about the opening.

        Under rules that the state names, only a first trick that is not over may break it.
        """
        forgiven = not fields["tricks"] or "rules" not in self.given
        if not rules.opener or not forgiven or fault.path[0] == "earlier_hands":
            raise fault from None
        try:
            view = View(rules=replace(rules, lead_2_clubs=False, lead_clubs=False), **fields)
        except ImpossibleView:
            raise fault from None
        reason = f"{fault.reason}: the rule about the opening is not applied"
        self.warnings.append((fault.path, reason))
        return view

    def _compare(self, view: View) -> None:
        """Warn about claims that the known cards contradict."""
        for path, reason in view.contradictions:
            self.warnings.append((renamed(path, NAMES), f"{reason}; the claim is ignored"))
        if view.partial:
            return
        for seat, (won, taken) in enumerate(zip(self._won or view.taken, view.taken, strict=True)):
            if wrong := names(won & ~taken):
                reason = f"the history has no trick with {wrong[0]} for it"
                self.warnings.append((("played_cards", seat), reason))


def _read_rules(given: object) -> Rules:
    """A mask, or an object of options; unknown options are ignored."""
    if isinstance(given, Mapping):
        named = ((k, v) for k, v in given.items() if k in RULE_FIELDS and v is not None)
        given = {k: [*map(whole, v)] if isinstance(v, list) else whole(v) for k, v in named}
    return Rules.parse(given, PASSING)


def _read_earlier(given: object) -> PastHands:
    def read_hand(hand: object) -> tuple[Trick, ...]:
        return read_field(read_object(hand), "trick_history", read_tricks)

    return read_items(given, read_hand)


def _read_piles(given: object) -> Hands:
    piles = read_items(given, read_cards)
    if len(piles) != SEATS:
        raise ImpossibleView((), f"{len(piles)} entries: there are {SEATS} seats")
    return piles

"""The game state of a client's request, as a View.

Clients name things differently from a View, send less, and sometimes a little too much: this module
translates, both the state and what the View objects to. Where a state contradicts itself but has a
sane answer, the answer carries a warning; otherwise the refusal names the client's own field.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from hearts.game.cards import RANKS, SEATS, Card, CardSet, bit, count, name, names, parse_card
from hearts.game.errors import ImpossibleView, InvalidCard, InvalidRules
from hearts.game.rules import PassDirection, Rules
from hearts.game.scoring import NO_SCORES
from hearts.game.trick import Hands, PastHands, Trick, taken_in
from hearts.views.partial_history import check_fragment
from hearts.views.view import View
from server.http.schemas.fields import whole
from server.http.schemas.requests import EarlierHand, GameState, PlayedCard
from server.http.schemas.requests import Trick as TrickSchema
from server.runtime.errors import InvalidGameState, NoLegalMoves
from server.runtime.messages import short, unknown_fields

# What a client plays that sends no rules: any club opens, Q♠ counts and breaks hearts.
CLIENT_MASK = 0xBC1
CLIENT_RULES = Rules.from_mask(CLIENT_MASK)

_RULE_NAMES = frozenset(field.name for field in fields(Rules))
_STATE_NAMES = frozenset(GameState().fields)
_HAND_NAMES = frozenset(EarlierHand().fields)
_TRICK_NAMES = frozenset(TrickSchema().fields)
_PLAY_NAMES = frozenset(PlayedCard().fields)
_OF_SEATS = ("played_cards", "scores", "match_scores")  # an empty list of them says nothing

# A View's fields in the words of the API, longest first where one begins another.
_WORDS = {
    "seat": "current_player",
    "hand": "player_hand",
    "tricks": "trick_history",
    "trick": "current_trick",
    "passed": "passed_cards",
    "received": "received_cards",
    "passing": "pass_direction",
    "won": "played_cards",
    "points_claim": "scores",
    "match_scores": "match_scores",
    "hearts_broken": "hearts_broken",
    "earlier": "earlier_hands",
}
_PLACE = re.compile(rf"^({'|'.join(_WORDS)})\b")
# Faults inside `rules` that sound like those of a state's own field.
_RULE_WORDS = {"target_score": "rules.target_score", "pass_direction": "rules.pass_cycle"}
# Places inside a sentence: "… was played before, at tricks[0].cards[2]".
_MENTION = re.compile(r"\b(tricks(?=\[)|trick(?=\.)|(?<=belongs in )tricks|(?<=\.)tricks)")


@dataclass(frozen=True)
class GivenState:
    """What a client's state means, and what has to be said about it."""

    view: View
    match_known: bool  # whether the client has told how the match stands
    warnings: list[str]


def read_state(
    state: Mapping[str, Any],
    *,
    passing: bool = False,
    place: str = "game_state",
    also: frozenset[str] = frozenset(),
) -> GivenState:
    """The view of a client's state (checked for types); `also` are further fields it may have."""
    reader = _Reader(state, place, passing)
    reader.warn_of_unknown(state, _STATE_NAMES | also, "")
    return GivenState(reader.view(), reader.match_known, reader.warnings)


def is_before_pass(state: Mapping[str, Any]) -> bool:
    """Whether a client says that it is still to pass: a direction, and of thirteen cards none."""
    nothing_passed = state.get("passed_cards") == [] and len(state["player_hand"]) == RANKS
    played = (state.get("current_trick") or {}).get("cards") or state.get("trick_history")
    return nothing_passed and not played and state.get("pass_direction") not in (None, 0, "hold")


def state_to_play(game_state: dict[str, Any], **how: Any) -> GivenState:
    """A state in which the player is to play a card."""
    place = how.get("place", "game_state")
    if not game_state["player_hand"]:
        raise NoLegalMoves("no cards, so nothing to play", field=f"{place}.player_hand")
    state = read_state(game_state, **how)
    view = state.view
    if not view.to_move:
        where = "current_trick" if view.trick.cards else "current_trick.lead_player"
        reason = f"seat {view.turn} is to play, not seat {view.seat}"
        raise InvalidGameState(reason, field=f"{place}.{where}")
    return state


def translated(message: str) -> str:
    """A View's message in the words of the API."""
    message = _PLACE.sub(lambda found: _WORDS[found[0]], message)
    message = _MENTION.sub(lambda found: _WORDS[found[0]], message)
    return message.replace("leader:", "lead_player:")


def _in_rules(message: str) -> str:
    """What the rules object to, with the option's place in `rules`."""
    place, blank, reason = message.partition(" ")
    return f"{_RULE_WORDS.get(place, place)}{blank}{reason}"


class _Reader:
    """Reads one state; collects warnings on the way."""

    def __init__(self, state: Mapping[str, Any], place: str, passing: bool) -> None:
        said = ((key, value) for key, value in state.items() if value is not None)
        self.given = {key: value for key, value in said if value or key not in _OF_SEATS}
        self.place, self.passing = place, passing
        self.warnings: list[str] = []

    def view(self) -> View:
        """The view, by the rules that were given or else without their opening."""
        rules, facts = self.rules(), self.facts()
        try:
            view = View(rules=rules, **facts)
        except ImpossibleView as error:
            view = self._without_opener(rules, facts, error)
        self._compare(view)
        return view

    def rules(self) -> Rules:
        """The rules; flags that we do not know are named in a warning."""
        given = self.given.get("rules", CLIENT_MASK)
        if isinstance(given, Mapping):
            self.warn_of_unknown(given, _RULE_NAMES, "rules.")
            named = ((k, v) for k, v in given.items() if k in _RULE_NAMES and v is not None)
            given = {k: [*map(whole, v)] if isinstance(v, list) else whole(v) for k, v in named}
        try:
            rules = Rules.parse(given, CLIENT_RULES)
        except InvalidRules as error:
            raise self.refusal(_in_rules(str(error))) from None
        target = self.given.get("target_score")
        try:
            return rules if target is None else replace(rules, target_score=target)
        except InvalidRules as error:
            raise self.refusal(str(error)) from None

    def facts(self) -> dict[str, Any]:
        """The other fields of the view."""
        seat = self.given.get("current_player", 0)
        tricks = self._tricks(self.given.get("trick_history", ()), "trick_history")
        leader = tricks[-1].winner if tricks else seat
        trick = self._trick(self.given.get("current_trick", {}), "current_trick", leader)
        facts = {
            "seat": seat,
            "hand": self._cards("player_hand"),
            "trick": trick,
            "tricks": tricks,
            "direction": self._direction(),
            "passed": self._cards("passed_cards"),
            "received": self._cards("received_cards"),
            "match_scores": tuple(self.given.get("match_scores", NO_SCORES)),
            "earlier": self._earlier(),
            "passing": self.passing,
            "hearts_broken": self.given.get("hearts_broken"),
            "points_claim": self._claim(),
        }
        if self.passing and "match_scores" not in self.given:
            # Before the first card nobody has points of this hand: these are the match's.
            facts["match_scores"] = facts.pop("points_claim") or NO_SCORES
        return facts | self._past(facts)

    def _earlier(self) -> PastHands:
        """The earlier hands of the match."""
        hands = self.given.get("earlier_hands", ())
        for number, hand in enumerate(hands):
            self.warn_of_unknown(hand, _HAND_NAMES, f"earlier_hands[{number}].")
        return tuple(
            self._tricks(hand["trick_history"], f"earlier_hands[{number}].trick_history")
            for number, hand in enumerate(hands)
        )

    def _tricks(self, given: Sequence[Mapping[str, Any]], place: str) -> tuple[Trick, ...]:
        return tuple(self._trick(trick, f"{place}[{i}]") for i, trick in enumerate(given))

    @property
    def match_known(self) -> bool:
        """Whether the match's scores are given, as `facts` reads them."""
        return "match_scores" in self.given or (self.passing and "scores" in self.given)

    def _past(self, facts: dict[str, Any]) -> dict[str, Any]:
        """What is known of earlier tricks: all of them, or who has won which cards."""
        tricks: tuple[Trick, ...] = facts["tricks"]
        size = count(facts["hand"]) + facts["trick"].has_played(facts["seat"])
        if size + len(tricks) >= RANKS:
            return {}  # a full history, or too much of one
        won = self.won
        if not tricks:
            return {"won": won}
        try:
            check_fragment(tricks, facts["trick"], facts["seat"], facts["hand"])
        except ImpossibleView as error:
            raise self.refusal(translated(str(error))) from None
        self.warn(
            f"trick_history: {len(tricks)} of {RANKS - size} tricks: only who won what counts"
        )
        taken = taken_in(tricks)
        known = taken if won is None else tuple(a | b for a, b in zip(taken, won, strict=True))
        return {"tricks": (), "won": known}

    @property
    def won(self) -> Hands | None:
        """The cards that each seat is said to have won."""
        given = self.given.get("played_cards")
        if given is None:
            return None
        if len(given) != SEATS:
            raise self.refusal(f"played_cards: {len(given)} entries: there are {SEATS} seats")
        return tuple(self._set(cards, f"played_cards[{i}]") for i, cards in enumerate(given))

    def _trick(self, given: Mapping[str, Any], place: str, leader: int | None = None) -> Trick:
        """A client's trick; each player is the next one after the leader."""
        self.warn_of_unknown(given, _TRICK_NAMES, f"{place}.")
        plays = given.get("cards") or []
        for i, play in enumerate(plays):
            if len(play) > len(_PLAY_NAMES):  # both are required
                self.warn_of_unknown(play, _PLAY_NAMES, f"{place}.cards[{i}].")
        players = [play["player"] for play in plays]
        for i, player in enumerate(players):
            if not 0 <= player < SEATS:
                raise self.refusal(f"{place}.cards[{i}].player: {player}: seats are 0 to 3")
        leader = self._leader(given.get("lead_player"), players, leader, place)
        for i, player in enumerate(players):
            if player != (leader + i) % SEATS:
                expected = f"seat {(leader + i) % SEATS} plays here, after seat {leader} has led"
                raise self.refusal(f"{place}.cards[{i}].player: {expected}; not seat {player}")
        cards = self._parsed([play["card"] for play in plays], f"{place}.cards[{{}}].card")
        return self._won(Trick(leader, cards), given.get("winner"), place)

    def _leader(
        self, claimed: int | None, players: Sequence[int], otherwise: int | None, place: str
    ) -> int:
        """Who led: as claimed, the first player, or who won the trick before."""
        if claimed is not None and claimed not in range(SEATS):
            raise self.refusal(f"{place}.lead_player: {claimed}: seats are 0 to 3")
        if players and claimed not in (None, players[0]):
            reason = f"seat {claimed} is said to lead, but seat {players[0]} played first"
            raise self.refusal(f"{place}.lead_player: {reason}")
        if players:
            return players[0]
        if claimed is not None:
            return claimed
        return otherwise or 0

    def _won(self, trick: Trick, claimed: int | None, place: str) -> Trick:
        """The trick, if the winner that is claimed has won it."""
        if claimed is None:
            return trick
        if not trick.complete:
            self.warn(f"{place}.winner: the trick is not over, so nobody has won it")
        elif claimed != trick.winner:
            reason = f"seat {trick.winner} wins, not seat {claimed}"
            raise self.refusal(f"{place}.winner: {reason}")
        return trick

    def _cards(self, field: str) -> CardSet:
        return self._set(self.given.get(field, ()), field)

    def _set(self, cards: Sequence[str], place: str) -> CardSet:
        found = 0
        for i, card in enumerate(self._parsed(cards, f"{place}[{{}}]")):
            if found >> card & 1:
                raise self.refusal(f"{place}[{i}]: {name(card)} is named twice")
            found |= bit(card)
        return found

    def _parsed(self, texts: Sequence[str], place: str) -> tuple[Card, ...]:
        """Some cards; `place` has a gap for the number of one that is none."""
        try:
            return tuple(map(parse_card, texts))
        except InvalidCard:
            return tuple(self._card(text, place.format(i)) for i, text in enumerate(texts))

    def _card(self, text: str, place: str) -> Card:
        try:
            return parse_card(text)
        except InvalidCard as error:
            raise self.refusal(f"{place}: {error}") from None

    def _direction(self) -> PassDirection:
        given = self.given.get("pass_direction")
        if given is None and self.passing:
            raise self.refusal("pass_direction: is missing: say who gets the cards (1, -1 or 2)")
        try:
            return PassDirection.parse(0 if given is None else given)
        except InvalidRules as error:
            raise self.refusal(str(error)) from None

    def _claim(self) -> tuple[int, ...] | None:
        scores = self.given.get("scores")
        return None if scores is None else tuple(scores)

    def _without_opener(self, rules: Rules, facts: dict[str, Any], error: ImpossibleView) -> View:
        """The view of a first trick that breaks only the rule about who opens, and with what."""
        message = translated(str(error))
        if not rules.opener or facts["tricks"] or error.place.startswith("earlier"):
            raise self.refusal(message) from None
        try:
            free = replace(rules, lead_2_clubs=False, lead_clubs=False)
            view = View(rules=free, **facts)
        except ImpossibleView:
            raise self.refusal(message) from None
        self.warn(f"{message}: the rule about the opening is not applied")
        return view

    def _compare(self, view: View) -> None:
        """Warn of claims that what is seen contradicts."""
        for contradiction in view.contradictions:
            self.warn(f"{translated(contradiction)}; what is seen counts")
        if view.partial:
            return
        for seat, (won, taken) in enumerate(zip(self.won or view.taken, view.taken, strict=True)):
            if won & ~taken:
                card = names(won & ~taken)[0]
                self.warn(f"played_cards[{seat}]: the history has no trick with {card} for it")

    def warn(self, message: str) -> None:
        """Add a warning about a field of the state."""
        self.warnings.append(short(f"{self.place}.{message}"))

    def warn_of_unknown(self, given: Mapping[str, Any], known: frozenset[str], prefix: str) -> None:
        """Name the fields that are not read."""
        if not known.issuperset(given):  # asked for every card of a history
            self.warnings += unknown_fields(given, known, f"{self.place}.{prefix}")

    def refusal(self, message: str) -> InvalidGameState:
        """The state cannot be, because of one of its fields."""
        return InvalidGameState(f"{self.place}.{message}")

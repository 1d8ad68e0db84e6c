"""The checks of a view that need no replay: ranges, counts, repeated cards, leaders, the pass."""

from itertools import pairwise

from hearts.game.cards import (
    DECK,
    RANKS,
    SEATS,
    Card,
    CardSet,
    bit,
    count,
    is_card,
    name,
    names,
    set_of,
)
from hearts.game.errors import FieldPath, ImpossibleView
from hearts.game.rules import MAX_TARGET_SCORE, PASS_SIZE, PassDirection
from hearts.game.trick import Trick, taken_in
from hearts.views.observation import Observation
from hearts.views.plays import Play, trick_path


def check_fields(view: Observation) -> None:
    """Raise ImpossibleView at the first field that is impossible, alone or given the others."""
    _check_ranges(view)
    _check_tricks(view)
    _check_counts(view)
    _check_cards_once(view)
    _check_leaders(view)
    _check_won(view)
    _check_pass(view)


def _require(condition: object, path: str | FieldPath, *reason: str | FieldPath) -> None:
    if not condition:
        raise ImpossibleView(path, *reason)


def _check_ranges(view: Observation) -> None:
    _require(view.seat in range(SEATS), "seat", f"{view.seat}: seats are 0 to 3")
    _check_set(view.hand, "hand")
    _check_set(view.passed, "passed")
    _check_set(view.received, "received")
    for seat, cards in enumerate(view.won or ()):
        _check_set(cards, ("won", seat))
    for field in ("won", "points_claim", "match_scores"):
        per_seat = getattr(view, field)
        if per_seat is not None and len(per_seat) != SEATS:
            raise ImpossibleView(field, f"{len(per_seat)} entries: there are {SEATS} seats")
    for seat, score in enumerate(view.match_scores):
        fits = abs(score) <= MAX_TARGET_SCORE
        _require(fits, ("match_scores", seat), f"must be within ±{MAX_TARGET_SCORE}")


def _check_set(cards: CardSet, path: str | FieldPath) -> None:
    _require(cards >= 0 and not cards & ~DECK, path, f"{cards} is not a set of cards")


def _check_tricks(view: Observation) -> None:
    size = len(view.tricks)
    _require(size <= RANKS, "tricks", f"{size} tricks: a hand has {RANKS}")
    for number, trick in enumerate(view.tricks):
        path, size = ("tricks", number), len(trick.cards)
        _check_trick(trick, path)
        _require(size == SEATS, (*path, "cards"), f"{size} cards: a completed trick has 4")
    _check_trick(view.trick, ("trick",))
    size = len(view.trick.cards)
    reason = f"{size} cards: a completed trick belongs in "
    _require(size < SEATS, ("trick", "cards"), reason, ("tricks",))


def _check_trick(trick: Trick, path: FieldPath) -> None:
    if trick.leader not in range(SEATS):
        raise ImpossibleView((*path, "leader"), f"{trick.leader}: seats are 0 to 3")
    for i, card in enumerate(trick.cards):
        if not is_card(card):
            raise ImpossibleView((*path, "cards", i), f"{card} is not a card")


def _check_counts(view: Observation) -> None:
    """The hand must have one card less for each completed trick, unless the view is partial."""
    size, over = count(view.hand), len(view.tricks)
    _require(size <= RANKS, "hand", f"{size} cards: a hand has at most {RANKS}")
    over_already = over == RANKS and view.trick.cards
    _require(not over_already, ("trick", "cards"), "a card is on the table, but the hand is over")
    before = view.round_size
    if over and before + over != RANKS:
        expected = RANKS - over - (before - size)
        reason = f"{size} cards after {over} tricks: {expected} expected (send all tricks, or none)"
        raise ImpossibleView("hand", reason)
    _require(before <= RANKS, "hand", f"{size} cards, and one on the table: a hand has {RANKS}")
    idle = before == 0 and view.trick.cards
    _require(not idle, "hand", "no cards, but others have played to a trick")
    if view.passing:
        fresh = size == RANKS and not view.trick.cards
        _require(fresh, "passing", "cards are passed before the first is played, from 13")


def _check_cards_once(view: Observation) -> None:
    cards = set_of(play.card for play in view.plays)
    if count(cards) == len(view.plays) and not cards & view.hand:
        return
    completed, seen = len(view.tricks), dict[Card, Play]()
    for play in view.plays:
        if view.hand & bit(play.card):
            raise ImpossibleView(play.path(completed), f"{name(play.card)} is in the hand too")
        if play.card in seen:
            earlier = seen[play.card].path(completed)
            reason = f"{name(play.card)} was played before, at "
            raise ImpossibleView(play.path(completed), reason, earlier)
        seen[play.card] = play


def _check_leaders(view: Observation) -> None:
    for number, (trick, after) in enumerate(pairwise((*view.tricks, view.trick)), 1):
        winner = trick.winner
        if after.leader != winner:
            reason = f"seat {after.leader} leads, but seat {winner} won the trick before"
            raise ImpossibleView((*trick_path(number, len(view.tricks)), "leader"), reason)


def _check_won(view: Observation) -> None:
    """Cards that are claimed to be won must agree with the tricks, or be out of play."""
    if view.won is None:
        return
    if not view.partial:
        for seat, (won, taken) in enumerate(zip(view.won, taken_in(view.tricks), strict=True)):
            _refuse(won & ~taken, ("won", seat), f"not taken by seat {seat} in the tricks given")
        return
    seen = 0
    for seat, won in enumerate(view.won):
        _refuse(won & view.hand, ("won", seat), "in the hand too")
        _refuse(won & view.trick.cards_set, ("won", seat), "on the table too")
        _refuse(won & seen, ("won", seat), "won by another seat too")
        seen |= won
    needed, over = sum((count(won) + 3) // 4 for won in view.won), RANKS - view.round_size
    if needed > over:
        reason = f"{count(seen)} cards in {needed} tricks or more, but only {over} are over"
        raise ImpossibleView("won", reason)


def _check_pass(view: Observation) -> None:
    for field, cards in (("passed", view.passed), ("received", view.received)):
        size = count(cards)
        _require(size in (0, PASS_SIZE), field, f"{size} cards: a pass is {PASS_SIZE}")
        if cards and view.direction is PassDirection.HOLD:
            raise ImpossibleView(field, "no cards are passed when the direction is hold")
    if view.passing:
        _check_passing(view)
        return
    _refuse(view.passed & view.hand, "passed", "still in the hand")
    _refuse(view.passed & view.received, "received", "given away, so not received")
    for play in view.plays if view.passed else ():
        if bit(play.card) & view.passed and play.seat != view.receiver:
            reason = f"{name(play.card)} was passed to seat {view.receiver}, not seat {play.seat}"
            raise ImpossibleView(play.path(len(view.tricks)), reason)
    own = set_of(play.card for play in view.plays if play.seat == view.seat)
    missing = view.received & ~view.hand & ~own
    if view.partial:  # they may have been played in tricks that are not given
        missing &= view.trick.cards_set
    _refuse(missing, "received", f"neither in the hand nor played by seat {view.seat}")


def _check_passing(view: Observation) -> None:
    hold = view.direction is PassDirection.HOLD
    _require(not hold, "passing", "no cards are passed when the direction is hold")
    _refuse(view.passed & ~view.hand, "passed", "not in the hand")
    _refuse(view.received, "received", "nothing is received before all have passed")


def _refuse(cards: CardSet, path: str | FieldPath, reason: str) -> None:
    """Raise ImpossibleView for the first card of a set that should be empty."""
    if cards:
        raise ImpossibleView(path, f"{names(cards)[0]}: {reason}")

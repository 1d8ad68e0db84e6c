"""Claims of a partial view about the tricks that are missing from it.

In a partial view some unseen cards are gone, but it is unknown which. A claim that hearts are not
broken, or that few points were taken, says that some cards are not gone: they are still held. A
claim is believed unless the known cards contradict it, or no deal agrees with it.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from hearts.game.cards import SEATS, CardSet, count
from hearts.game.errors import FieldPath, written
from hearts.game.rules import ALL_HEARTS, JACK, JACK_POINTS, QUEEN, QUEEN_POINTS, points_in
from hearts.game.scoring import Points
from hearts.views import feasibility as holders
from hearts.views.observation import Observation

_CROWDED = "the hands cannot hold all the cards that would still be in play"


class Contradiction(NamedTuple):
    """A claim that the known cards contradict."""

    path: FieldPath  # the field with the claim
    reason: str

    def __str__(self) -> str:
        return f"{written(self.path)}: {self.reason}"


def still_held(view: Observation, may_hold: Sequence[CardSet]) -> CardSet:
    """The unseen cards that are not gone according to the claims that are believed.

    `may_hold` are the cards that each other seat may hold, and then those that may be gone.
    """
    if not view.gone:
        return 0
    cards = 0
    for claimed in (_unbroken(view), _unpaid(view)):
        if _leaves_a_deal(view, may_hold, cards | claimed):
            cards |= claimed
    return cards


def broken_by_claim(view: Observation, points: Points) -> bool:
    """Whether hearts are broken in a partial view where no card is known to have broken them."""
    return _points_need_breaker(view, points) if view.hearts_broken is None else view.hearts_broken


def believed_points(view: Observation, still_held: CardSet) -> Points:
    """The points of each seat: those claimed where possible, else those of the known cards."""
    claimed, seen = view.points_claim, view.taken_points
    if claimed is None or _is_crowded(view, still_held):
        return seen
    claims = zip(range(SEATS), claimed, seen, strict=True)
    return tuple(old if _contradicts(view, seat, claim) else claim for seat, claim, old in claims)


def false_hearts(
    view: Observation, still_held: CardSet, *, broken: bool
) -> tuple[Contradiction, ...]:
    """The claim about broken hearts, if it is contradicted."""
    path = ("hearts_broken",)
    if view.hearts_broken is not None and view.hearts_broken != broken:
        claimed, seen = ("true", "false") if view.hearts_broken else ("false", "true")
        return (Contradiction(path, f"{claimed} is claimed, {seen} is seen"),)
    if view.gone and _unbroken(view) & ~still_held:
        return (Contradiction(path, f"false is claimed, but {_CROWDED}"),)
    return ()


def false_points(view: Observation, still_held: CardSet) -> tuple[Contradiction, ...]:
    """The claims of points that are contradicted."""
    found = []
    for seat, claim in enumerate(view.points_claim or ()):
        if _contradicts(view, seat, claim):
            seen = view.taken_points[seat]
            reason = f"{claim} is claimed, {seen} is seen"
            found.append(Contradiction(("points_claim", seat), reason))
    if _is_crowded(view, still_held):
        reason = f"{list(view.points_claim or ())} is claimed, but {_CROWDED}"
        found.append(Contradiction(("points_claim",), reason))
    return tuple(found)


def _unbroken(view: Observation) -> CardSet:
    """The unseen cards that would have broken hearts, if hearts are claimed to be unbroken."""
    breakers = view.rules.heart_breakers
    believable = view.hearts_broken is False and not view.played & breakers
    return view.unseen & breakers if believable else 0


def _unpaid(view: Observation) -> CardSet:
    """The unseen cards with points that the claimed points cannot include."""
    if view.points_claim is None:
        return 0
    ways = list(_ways_to_points(view))
    if not ways:
        return 0
    paid = 0
    for cards in ways:
        paid |= cards
    return _counting(view) & ~paid


def _is_crowded(view: Observation, still_held: CardSet) -> bool:
    """Whether no deal agrees with the claimed points."""
    return bool(view.gone and _unpaid(view) & ~still_held)


def _ways_to_points(view: Observation) -> Iterator[CardSet]:
    """The cards with points that may be gone, for each choice of the takers of Q♠ and J♦."""
    counting, claimed = _counting(view), view.points_claim or view.taken_points
    beyond = [claim - seen for claim, seen in zip(claimed, view.taken_points, strict=True)]
    nobody = (None,)
    for queen, jack in product(
        (*nobody, *range(SEATS)) if counting & QUEEN else nobody,
        (*nobody, *range(SEATS)) if counting & JACK else nobody,
    ):
        hearts = [
            points - QUEEN_POINTS * (seat == queen) - JACK_POINTS * (seat == jack)
            for seat, points in enumerate(beyond)
        ]
        number = sum(hearts) + (queen is not None) + (jack is not None)
        enough = sum(hearts) <= count(counting & ALL_HEARTS) and number <= view.gone
        if min(hearts) >= 0 and enough:
            special = QUEEN * (queen is not None) | JACK * (jack is not None)
            yield special | (counting & ALL_HEARTS if any(hearts) else 0)


def _counting(view: Observation) -> CardSet:
    """The unseen cards with points."""
    return view.unseen & view.rules.point_cards


def _leaves_a_deal(view: Observation, may_hold: Sequence[CardSet], still_held: CardSet) -> bool:
    """Whether a deal exists in which the hands hold the cards `still_held`."""
    *allowed, gone = may_hold
    return holders.crowded([*allowed, gone & ~still_held], view.capacities, view.unseen) is None


def _points_need_breaker(view: Observation, points: Points) -> bool:
    """Whether the claimed points need a card that breaks hearts."""
    rules, total = view.rules, sum(points) if view.points_claim else 0
    queen = QUEEN_POINTS if rules.queen_penalty and not rules.queen_breaks_hearts else 0
    jack = JACK_POINTS if rules.jack_bonus else 0
    return total not in {0, queen, jack, queen + jack}


def _contradicts(view: Observation, seat: int, claim: int) -> bool:
    """Whether a claim of points contradicts the history, or the cards that are known."""
    if not view.partial or not view.gone:
        return claim != view.taken_points[seat]
    least = points_in(view.rules, view.unseen & JACK)
    most = points_in(view.rules, view.unseen & ~JACK)
    return not least <= claim - view.taken_points[seat] <= most

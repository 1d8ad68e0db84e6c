"""The choice models of OM-2 in plain Python: features by name, probabilities by enumeration.

A card is an integer, a hand a list of cards.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from hearts.game.cards import (
    CLUBS,
    DIAMONDS,
    HEARTS,
    SPADES,
    Card,
    card_of,
    members,
    rank_of,
    suit_of,
)
from hearts.game.deal import Deal
from hearts.game.trick import Trick

QUEEN, KING, ACE = (card_of(SPADES, rank) for rank in (10, 11, 12))
JACK = card_of(DIAMONDS, 9)
Named = Mapping[str, float]


def cost(cards: Sequence[Card]) -> int:
    return sum(13 if card == QUEEN else suit_of(card) == HEARTS for card in cards)


@dataclass
class Table:
    """A position, as the seat to play sees it."""

    deal: Deal

    def __post_init__(self) -> None:
        deal = self.deal
        self.seat = deal.trick.turn
        self.hand = list(members(deal.hands[self.seat]))
        self.legal = list(members(deal.legal))
        self.trick = list(deal.trick.cards)
        self.gone = [card for trick in deal.tricks for card in trick.cards]
        self.led = suit_of(self.trick[0]) if self.trick else None
        self.last = len(self.trick) == 3
        self.over = len(deal.tricks) / 12
        self.points = min(cost(self.trick) / 4, 2.0)
        seen = self.gone + self.trick
        self.queen_out = QUEEN not in seen
        taken = [cost(list(members(cards))) for cards in deal.taken]
        takers = [seat for seat in range(4) if taken[seat]]
        self.only = takers[0] if len(takers) == 1 else None
        self.much = min(taken[self.only] / 8, 1.0) if self.only is not None else 0.0
        self.alone = self.only == self.seat
        self.another = self.only is not None and not self.alone
        self.feeds = self.another and bool(self.trick) and deal.trick.winner == self.only
        self.best = (
            max(rank_of(c) for c in self.trick if suit_of(c) == self.led) if self.trick else None
        )

    @property
    def phase(self) -> str:
        if self.led is None:
            return "lead"
        return "follow" if any(suit_of(card) == self.led for card in self.hand) else "discard"

    def out_of(self, suit: int) -> list[int]:
        """The other seats that are known to be void in a suit."""
        seats = set()
        for trick in (*self.deal.tricks, self.deal.trick):
            for seat, card in trick.plays:
                if trick.led == suit != suit_of(card):
                    seats.add(seat)
        return sorted(seats - {self.seat})

    def others(self, suit: int) -> list[Card]:
        everything = [card_of(suit, rank) for rank in range(13)]
        return [c for c in everything if c not in self.hand and c not in self.gone]

    def runs(self) -> list[list[Card]]:
        """The legal cards in runs that are equal in play."""
        runs: list[list[Card]] = []
        for card in self.hand:
            before = runs[-1][-1] if runs else None
            apart = before is None or suit_of(before) != suit_of(card)
            if not apart:
                separators = [c for c in self.others(suit_of(card)) if before < c < card]
                apart = bool(separators) or bool({before, card} & {QUEEN, JACK})
            if apart:
                runs.append([card])
            else:
                runs[-1].append(card)
        return [run for run in runs if run[0] in self.legal]

    def features(self, run: Sequence[Card]) -> Named:
        card = Run(self, run)
        return {"lead": lead, "follow": follow, "discard": discard}[self.phase](self, card)


class Run:
    """Cards that are equal in play, with what their features depend on."""

    def __init__(self, table: Table, run: Sequence[Card]) -> None:
        self.suit = suit_of(run[0])
        self.lane = [card for card in table.hand if suit_of(card) == self.suit]
        others = table.others(self.suit)
        self.low, self.top, self.size = run[0], run[-1], len(run)
        self.below = sum(card < self.low for card in others)
        self.above = sum(card > self.top for card in others)
        self.out = len(others)
        self.height = self.below / self.out if self.out else 0.5
        self.own_below = sum(card < self.low for card in self.lane)
        self.own_above = sum(card > self.top for card in self.lane)
        self.length = len(self.lane)
        self.voids = len(table.out_of(self.suit))
        self.high_spade = self.low in (KING, ACE)
        self.low_spade = self.suit == SPADES and self.low < QUEEN
        self.has_high = KING in self.lane or ACE in self.lane
        self.has_queen = QUEEN in self.lane
        self.highest_of_all = self.out > 0 and self.above == 0


def lead(t: Table, r: Run) -> Named:
    heart, danger = r.suit == HEARTS, r.low_spade and t.queen_out
    return {
        "cards in the run (log)": math.log(r.size),
        "diamonds": r.suit == DIAMONDS,
        "spades": r.suit == SPADES,
        "hearts": heart,
        "height": r.height,
        "height squared": r.height**2,
        "height of a heart": r.height * heart,
        "height, by tricks over": r.height * t.over,
        "height, by seats out of the suit": r.height * r.voids,
        "highest of all": r.highest_of_all,
        "lowest of all": r.out > 0 and r.below == 0,
        "nobody else has the suit": r.out == 0,
        "lowest of the suit": r.own_below == 0,
        "singleton": r.length == 1,
        "doubleton": r.length == 2,
        "length of the suit": r.length / 4,
        "seats out of the suit": r.voids,
        "others' cards of the suit": r.out / 8,
        "low spade, queen out, no high spade in hand": danger
        and not r.has_high
        and not r.has_queen,
        "low spade, queen out, queen in hand": danger and r.has_queen,
        "low spade, queen out, ace or king in hand": danger and r.has_high and not r.has_queen,
        "ace or king of spades, queen out": r.high_spade and t.queen_out and not r.has_queen,
        "queen of spades": r.low == QUEEN,
        "ace or king of spades beside the queen": r.high_spade and r.has_queen,
        "alone with points: height": r.height * t.much * t.alone,
        "alone with points: highest of all": r.highest_of_all * t.much * t.alone,
        "another alone with points: height": r.height * t.much * t.another,
        "another alone with points: heart": heart * t.much * t.another,
        "spades, queen gone": r.suit == SPADES and not t.queen_out,
        "hearts, by tricks over": heart * t.over,
        "low spade, queen out, cards of the suit in hand": danger * r.length / 4,
        "height of a long suit": r.height * r.length / 4,
    }


def follow(t: Table, r: Run) -> Named:
    ducks = rank_of(r.top) < t.best
    takes, last, first = not ducks, t.last, not t.deal.tricks
    ducking = [card for card in r.lane if rank_of(card) < t.best]
    highest, lowest = r.own_above == 0, r.own_below == 0
    seats_to_come = [(t.seat + step) % 4 for step in range(1, 4 - len(t.trick))]
    out_to_come = len(set(seats_to_come) & set(t.out_of(r.suit)))
    queen = r.low == QUEEN
    return {
        "cards in the run (log)": math.log(r.size),
        "ducks": ducks,
        "highest that ducks": ducks and r.top == max(ducking),
        "lowest of the suit": lowest,
        "highest of the suit": highest,
        "height": r.height,
        "takes for sure": takes and r.above == 0,
        "takes, last": takes and last,
        "takes, last, no points": takes and last and t.points == 0,
        "takes, last, by points": takes * last * t.points,
        "takes, last, queen on the table": takes and last and QUEEN in t.trick,
        "takes, not last, by points": takes * (not last) * t.points,
        "takes, height, first trick": takes * r.height * first,
        "takes, not last, height": takes * (not last) * r.height,
        "takes, seats to come out of the suit": takes * out_to_come,
        "takes, highest, last": takes and highest and last,
        "takes, lowest, last": takes and lowest and last,
        "takes a heart trick": takes and r.suit == HEARTS,
        "takes, by tricks over": takes * t.over,
        "ace or king of spades, queen out, not last": r.high_spade and t.queen_out and not last,
        "ace or king of spades, queen out, last": r.high_spade and t.queen_out and last,
        "queen of spades ducks": queen and ducks,
        "queen of spades takes": queen and takes,
        "queen of spades takes, last": queen and takes and last,
        "low spade takes, queen in hand": r.low_spade and takes and r.has_queen,
        "low spade, queen out, ace or king in hand": r.low_spade
        and t.queen_out
        and r.has_high
        and not r.has_queen,
        "alone with points: takes": takes * t.alone * t.much,
        "alone with points: takes points": takes * t.alone * t.much * t.points,
        "feeds the only taker": ducks and t.feeds,
        "takes points from the only taker": takes * t.feeds * t.points,
        "feeds, by points": ducks * t.feeds * t.points,
        "ducks, height": ducks * r.height,
        "ducks, height, no points": ducks * r.height * (t.points == 0),
        "takes, others' cards above": takes * r.above / 4,
        "takes, second to play": takes and len(t.trick) == 1,
        "takes, cards left below in the suit": takes * r.own_below / 4,
        "takes, not last, highest": takes and not last and highest,
        "takes, not last, lowest": takes and not last and lowest,
    }


def discard(t: Table, r: Run) -> Named:
    heart, queen = r.suit == HEARTS, r.low == QUEEN
    costs = heart or queen
    danger = r.low_spade and t.queen_out
    high = r.high_spade and t.queen_out
    first = not t.deal.tricks
    no_heart_yet = not any(suit_of(card) == HEARTS for card in t.gone)
    return {
        "cards in the run (log)": math.log(r.size),
        "diamonds": r.suit == DIAMONDS,
        "spades": r.suit == SPADES,
        "hearts": heart,
        "height": r.height,
        "height of a heart": r.height * heart,
        "highest of the suit": r.own_above == 0,
        "highest heart": heart and r.own_above == 0,
        "singleton": r.length == 1,
        "doubleton": r.length == 2,
        "length of the suit": r.length / 4,
        "own cards below": r.own_below / 4,
        "highest of all": r.highest_of_all,
        "nobody else has the suit": r.out == 0,
        "others' cards of the suit": r.out / 8,
        "queen of spades": queen,
        "queen of spades, last": queen and t.last,
        "ace or king of spades, queen out": high and not r.has_queen,
        "ace or king of spades, queen out, few spades": high and not r.has_queen and r.length <= 3,
        "ace or king of spades beside the queen": high and r.has_queen,
        "low spade, queen out": danger and not r.has_queen,
        "low spade beside the queen": danger and r.has_queen,
        "feeds the only taker: heart or queen": costs and t.feeds,
        "feeds a moon: heart or queen": costs * t.feeds * t.much,
        "alone with points: heart or queen": costs * t.alone * t.much,
        "heart, points on the table": heart * t.points,
        "heart, by tricks over": heart * t.over,
        "height, by tricks over": r.height * t.over,
        "singleton, by tricks over": (r.length == 1) * t.over,
        "lowest of the suit": r.own_below == 0,
        "height of clubs": r.height * (r.suit == CLUBS),
        "heart, first thrown": heart and no_heart_yet,
        "height of a short suit": r.height * (r.length <= 2),
        "first trick, height": r.height * first,
    }


def passing(hand: Sequence[Card], card: Card) -> Named:
    suit, rank = suit_of(card), rank_of(card) / 12
    lane = [each for each in hand if suit_of(each) == suit]
    length, below = len(lane), sum(each < card for each in lane)
    club, diamond, spade, heart = (suit == each for each in (CLUBS, DIAMONDS, SPADES, HEARTS))
    low_spades = sum(each < QUEEN for each in lane) if spade else 0
    queen, high = card == QUEEN, card in (KING, ACE)
    low_spade = spade and card < QUEEN
    highest = card == max(lane)
    return {
        "rank of a club": rank * club,
        "rank of a diamond": rank * diamond,
        "rank of a heart": rank * heart,
        "diamonds": diamond,
        "spades": spade,
        "hearts": heart,
        "own cards below": below / 4,
        "own cards below a club": below / 4 * club,
        "own cards below a heart": below / 4 * heart,
        **{f"clubs: length {n}": club and length == n for n in (1, 2, 3)},
        **{f"diamonds: length {n}": diamond and length == n for n in (1, 2, 3)},
        "clubs: length": club * length / 4,
        "diamonds: length": diamond * length / 4,
        "hearts: length": heart * length / 4,
        "queen of spades": queen,
        "queen of spades: low spades": queen * low_spades / 4,
        "queen of spades: four low spades or more": queen and low_spades >= 4,
        "ace or king of spades": high,
        "ace or king: low spades": high * low_spades / 4,
        "ace or king: queen in hand": high and QUEEN in lane,
        "ace or king: four low spades or more": high and low_spades >= 4,
        "low spade": low_spade,
        "low spade: queen in hand": low_spade and QUEEN in lane,
        "low spade: ace or king in hand": low_spade and bool({KING, ACE} & set(lane)),
        "rank of a low spade": rank * low_spade,
        "spades: length": spade * length / 4,
        "ace": rank == 1 and not spade,
        "king": rank_of(card) == 11 and not spade,
        "low club": club and rank < 0.4,
        "ace of clubs": club and rank == 1,
        "two of clubs": club and rank == 0,
        "heart: low": heart and rank < 0.4,
        "heart: highest": heart and highest,
        "highest of the suit": highest,
        "rank squared": rank**2,
    }


def score(named: Named, names: Sequence[str], weights: Sequence[float]) -> float:
    assert set(named) == set(names)
    return sum(float(named[name]) * weight for name, weight in zip(names, weights, strict=True))


def play_probability(deal: Deal, card: Card, names: Mapping[str, Sequence[str]], weights) -> float:
    """P(card) of a play, for weights by phase."""
    table = Table(deal)
    phase = table.phase
    runs = table.runs()
    exp_scores = [
        math.exp(score(table.features(run), names[phase], weights[phase])) for run in runs
    ]
    chosen = next(i for i, run in enumerate(runs) if card in run)
    return exp_scores[chosen] / sum(exp_scores) / len(runs[chosen])


def pass_probability(hand: Sequence[Card], given: Sequence[Card], names, weights) -> float:
    """P(three cards) of a pass, normalised over all triples of the hand."""
    exp_scores = {
        card: math.exp(score(passing(hand, card), names["pass"], weights["pass"])) for card in hand
    }
    triples = combinations(hand, 3)
    total = sum(math.prod(exp_scores[card] for card in triple) for triple in triples)
    return math.prod(exp_scores[card] for card in given) / total


def at(deal: Deal, hands: Sequence[int], cards: int) -> Deal:
    """The hand after `cards` plays, if the seats hold `hands` now."""
    plays = list(deal.plays)
    held = list(hands)
    for seat, card in plays[cards:]:
        held[seat] |= 1 << card
    tricks = [*deal.tricks, deal.trick]
    number, place = divmod(cards, 4)
    now = Trick(tricks[number].leader, tricks[number].cards[:place])
    return Deal(
        deal.rules, deal.direction, deal.dealt, deal.passes, tuple(held), now, deal.tricks[:number]
    )

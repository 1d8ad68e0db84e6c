"""What every installed belief must keep to, on recorded positions and on views without tricks."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import cycle, islice
from pathlib import Path

import numpy as np
import pytest

from hearts.engine.beliefs import Belief, Worlds, belief_names, load_belief
from hearts.game.cards import (
    RANKS,
    SEATS,
    CardSet,
    count,
    index_of,
    members,
    parse_card,
    parse_cards,
)
from hearts.game.deal import Deal
from hearts.game.records import read_records
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.game.trick import Trick
from hearts.views.view import View
from models.behaviour import Effort
from models.mixture import MixtureBelief
from models.oracle import OracleBelief
from tests.hearts.worlds import fits_table

DATA = Path(__file__).parents[1] / "data"
POSITIONS = 2000
WORLDS = 4
NAMES = (*belief_names(), "mixture:0.1", "mixture:1", "mixture:0.8-0.1:OM-0")
IGNORES_VOIDS = ("OM-0", "mixture:0.8-0.1:OM-0")  # in its probabilities


def recorded() -> Iterator[tuple[Deal, int]]:
    """Positions of recorded hands with one of the seats, all tricks and seats in turn."""
    files = sorted(DATA.glob("*.jsonl.gz"))
    hands = zip(*map(read_records, files), strict=False)
    steps = cycle(range(53))
    for record in (record for group in hands for record in group):
        deal = before_play(record.deal)
        at = {next(steps) for _ in range(7)}
        for number, (_, card) in enumerate(record.deal.plays):
            if number in at:
                yield deal, (number + len(deal.tricks)) % SEATS
            deal = deal.play(card)


def before_play(deal: Deal) -> Deal:
    """A finished hand as it was before the first card."""
    fresh = Deal.of(deal.rules, deal.dealt, deal.direction, (*deal.tricks, deal.trick)[0].leader)
    for seat in range(SEATS) if fresh.passing else ():
        fresh = fresh.give(seat, deal.passes[seat])
    return fresh


@cache
def positions() -> Sequence[tuple[Deal, View]]:
    return [(deal, View.of(deal, seat)) for deal, seat in islice(recorded(), POSITIONS)]


@cache
def partial_views() -> Sequence[View]:
    """Short hands without tricks, as clients send them, with claims and without."""
    views = []
    for deal, full in positions()[::29]:
        if full.partial or not full.tricks or full.finished:
            continue
        short = replace(full, tricks=(), passed=0, received=0, direction=PassDirection.HOLD)
        some = tuple(cards & 0x0F0F_1555_0FF0_1333 for cards in deal.taken)
        views += [
            short,
            replace(short, hearts_broken=False, points_claim=(0, 0, 0, 0)),
            replace(short, hearts_broken=deal.broken, points_claim=deal.points, won=some),
            replace(full, tricks=(), won=some),
        ]
    hand = parse_cards("2C 5D 8D 3S 4S 3H 9H")
    return [*views, View(0, hand, Trick(0)), View(0, hand, Trick(3, (parse_card("KC"),)))]


def passing_views() -> Iterator[View]:
    for seed in range(8):
        deal = Deal.random(PASSING, PassDirection(1 + seed % 3), np.random.default_rng(seed))
        yield View.of(deal, seed % SEATS)


def later_views() -> Iterator[View]:
    """Views of a hand that is not the first of its match."""
    over = before_play(next(recorded())[0])
    while not over.finished:
        over = over.play(next(members(over.legal)))
    for _, view in positions()[::200]:
        yield replace(view, earlier=(over.tricks,) * 2)


def check_worlds(belief: Belief, view: View, n: int = WORLDS) -> Worlds:
    worlds = belief.sample(view, n, np.random.default_rng(7))
    assert worlds.hands.shape == (n, SEATS)
    assert worlds.hands.dtype == np.uint64
    assert worlds.weights.shape == (n,)
    assert np.isfinite(worlds.weights).all()
    assert (worlds.weights >= 0).all()
    assert worlds.weights.sum() == pytest.approx(1)
    mixed = isinstance(belief, MixtureBelief) and not view.passing
    for world in worlds.hands.tolist():
        assert fits_table(view, world) if mixed else view.consistent_with(world)
    return worlds


def check_probabilities(name: str, belief: Belief, view: View) -> None:
    found = belief.probabilities(view)
    assert found.shape == (4 * RANKS, SEATS)
    assert (found >= 0).all()
    assert found.sum(axis=0) == pytest.approx(np.array(view.hand_sizes, dtype=float))
    rows = found.sum(axis=1)
    mixed = isinstance(belief, MixtureBelief) and not view.passing
    hidden = view.unseen | view.hand if mixed else view.unseen
    assert not found[rows_of(view.played)].any()
    assert (rows <= 1 + 1e-9).all()
    if not mixed:
        assert (found[rows_of(view.hand), view.seat] == 1).all()
        assert not found[rows_of(view.unseen), view.seat].any()
    if not view.gone:
        assert rows[rows_of(hidden)] == pytest.approx(1)
    elif not mixed:
        sure = view.unseen & ~view.possibly_gone if name not in IGNORES_VOIDS else view.still_held
        assert rows[rows_of(sure)] == pytest.approx(1)
    if name not in IGNORES_VOIDS:
        for seat in range(SEATS):
            allowed = hidden & ~view.shown[seat] if mixed else view.possible[seat]
            assert not found[rows_of(hidden & ~allowed), seat].any()


def rows_of(cards: CardSet) -> list[int]:
    return [index_of(card) for card in members(cards)]


def test_the_positions_are_of_all_seats_and_tricks():
    assert len(positions()) == POSITIONS
    assert {view.seat for _, view in positions()} == set(range(SEATS))
    assert {len(view.tricks) for _, view in positions()} == set(range(RANKS))
    assert {len(view.trick.cards) for _, view in positions()} == set(range(SEATS))
    assert sum(view.to_move for _, view in positions()) > 300
    assert len(partial_views()) > 200


@pytest.fixture
def hasty(monkeypatch):
    """OM-2 with short chains: what every answer must keep to does not depend on their length."""
    for effort in ("move", "analysis"):
        monkeypatch.setattr(load_belief("OM-2"), effort, Effort(steps=100, starts=4, settling=20))


@pytest.mark.parametrize("name", NAMES)
def test_it_answers_every_recorded_position(name, hasty):
    belief = load_belief(name)
    for _, view in positions():
        check_worlds(belief, view)
        check_probabilities(name, belief, view)


@pytest.mark.parametrize("name", NAMES)
def test_it_answers_at_its_usual_length(name):
    belief = load_belief(name)
    for _, view in positions()[::40]:
        check_worlds(belief, view)
        check_probabilities(name, belief, view)


@pytest.mark.parametrize("views", [partial_views, passing_views, later_views])
@pytest.mark.parametrize("name", NAMES)
def test_it_answers_short_hands_passing_hands_and_later_ones(name, views):
    belief = load_belief(name)
    for view in views():
        check_worlds(belief, view)
        check_probabilities(name, belief, view)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_worlds(name):
    belief = load_belief(name)
    for _, view in positions()[::200]:
        once, again = check_worlds(belief, view, 20), check_worlds(belief, view, 20)
        assert (once.hands == again.hands).all()
        assert (once.weights == again.weights).all()
    view = next(view for _, view in positions() if not view.tricks)
    samples = [belief.sample(view, 20, np.random.default_rng(seed)).hands for seed in range(5)]
    assert len({hands.tobytes() for hands in samples}) == 5


@pytest.mark.parametrize("name", NAMES)
def test_one_world_is_an_answer_too(name):
    for _, view in positions()[::100]:
        check_worlds(load_belief(name), view, 1)


def test_the_oracle_keeps_to_it_as_well():
    for deal, view in positions()[::10]:
        belief = OracleBelief(deal.hands)
        check_worlds(belief, view)
        check_probabilities("oracle", belief, view)


def test_no_position_loops():
    """Every seat void in all suits but one, which no rejection would ever come to."""
    suits = [parse_cards(" ".join(f"{rank}{suit}" for rank in "23456789TJQKA")) for suit in "CDSH"]
    deal = Deal.of(STANDARD, suits)
    for _ in range(5):
        deal = deal.play(next(members(deal.legal)))
    for name in NAMES:
        view = View.of(deal, deal.turn or 0)
        assert count(view.unseen) > 20
        check_worlds(load_belief(name), view)

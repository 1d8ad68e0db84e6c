"""The laws that every registered belief must pass.

Worlds fit the view and have weights of sum 1. Probabilities match the hand sizes and the known
cards. The same seed gives the same worlds. All of that holds for recorded positions, partial views,
views before the pass, views of later hands of a match, and views with voids in nearly every suit.
"""

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
    count,
    members,
    parse_card,
    parse_cards,
)
from hearts.game.deal import Deal
from hearts.game.records import read_records
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.game.trick import Trick
from hearts.views.view import View
from models.deals import indices_of
from models.evaluation.labelled import replay
from models.mixture import MixtureBelief
from models.oracle import OracleBelief
from models.posterior import ChainConfig
from tests.hearts.worlds import fits_table

DATA = Path(__file__).parents[1] / "data"
POSITIONS = 2000
WORLDS = 4
NAMES = (*belief_names(), "mixture:0.1", "mixture:1", "mixture:0.8-0.1:OM-0")
IGNORES_VOIDS = ("OM-0", "mixture:0.8-0.1:OM-0")  # in its probabilities


def record_positions() -> Iterator[tuple[Deal, int]]:
    """Positions of recorded hands with a seat each; all tricks and seats in turn."""
    files = sorted(DATA.glob("*.jsonl.gz"))
    hands = zip(*map(read_records, files), strict=False)
    steps = cycle(range(53))
    for record in (record for group in hands for record in group):
        deal = replay(record.deal, 0)
        at = {next(steps) for _ in range(7)}
        for number, (_, card) in enumerate(record.deal.plays):
            if number in at:
                yield deal, (number + len(deal.tricks)) % SEATS
            deal = deal.play(card)


@cache
def positions() -> Sequence[tuple[Deal, View]]:
    return [(deal, View.of(deal, seat)) for deal, seat in islice(record_positions(), POSITIONS)]


@cache
def partial_views() -> Sequence[View]:
    """Views without tricks, as clients send them, with and without claims."""
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
    """Views of hands that are not the first of their match."""
    over = replay(next(record_positions())[0], 0)
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
    totals = found.sum(axis=1)
    mixed = isinstance(belief, MixtureBelief) and not view.passing
    hidden = view.unseen | view.hand if mixed else view.unseen
    assert not found[indices_of(view.played)].any()
    assert (totals <= 1 + 1e-9).all()
    if not mixed:
        assert (found[indices_of(view.hand), view.seat] == 1).all()
        assert not found[indices_of(view.unseen), view.seat].any()
    if not view.gone:
        assert totals[indices_of(hidden)] == pytest.approx(1)
    elif not mixed:
        sure = view.unseen & ~view.possibly_gone if name not in IGNORES_VOIDS else view.still_held
        assert totals[indices_of(sure)] == pytest.approx(1)
    if name not in IGNORES_VOIDS:
        for seat in range(SEATS):
            allowed = hidden & ~view.publicly_denied[seat] if mixed else view.possible[seat]
            assert not found[indices_of(hidden & ~allowed), seat].any()


def test_positions_cover_all_seats_and_tricks():
    assert len(positions()) == POSITIONS
    assert {view.seat for _, view in positions()} == set(range(SEATS))
    assert {len(view.tricks) for _, view in positions()} == set(range(RANKS))
    assert {len(view.trick.cards) for _, view in positions()} == set(range(SEATS))
    assert sum(view.to_move for _, view in positions()) > 300
    assert len(partial_views()) > 200


@pytest.fixture
def short_chains(monkeypatch):
    """OM-2 and OM-3 with short chains: the laws do not depend on their length."""
    config = ChainConfig(steps=100, starts=4, burn_in=20)
    for belief in ("OM-2", "OM-3"):
        for name in ("move", "analysis"):
            monkeypatch.setattr(load_belief(belief), name, config)


@pytest.mark.parametrize("name", NAMES)
def test_recorded_positions(name, short_chains):
    belief = load_belief(name)
    for _, view in positions():
        check_worlds(belief, view)
        check_probabilities(name, belief, view)


@pytest.mark.parametrize("name", NAMES)
def test_recorded_positions_with_chains_of_full_length(name):
    belief = load_belief(name)
    for _, view in positions()[::40]:
        check_worlds(belief, view)
        check_probabilities(name, belief, view)


@pytest.mark.parametrize("views", [partial_views, passing_views, later_views])
@pytest.mark.parametrize("name", NAMES)
def test_partial_views_passing_views_and_later_hands(name, views):
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
def test_a_sample_of_one_world(name):
    for _, view in positions()[::100]:
        check_worlds(load_belief(name), view, 1)


def test_the_oracle_passes_too():
    for deal, view in positions()[::10]:
        belief = OracleBelief(deal.hands)
        check_worlds(belief, view)
        check_probabilities("oracle", belief, view)


def test_a_deal_with_one_suit_per_seat():
    """Rejection sampling would never find a world."""
    suits = [parse_cards(" ".join(f"{rank}{suit}" for rank in "23456789TJQKA")) for suit in "CDSH"]
    deal = Deal.of(STANDARD, suits)
    for _ in range(5):
        deal = deal.play(next(members(deal.legal)))
    for name in NAMES:
        view = View.of(deal, deal.turn or 0)
        assert count(view.unseen) > 20
        check_worlds(load_belief(name), view)

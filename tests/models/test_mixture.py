"""The mixture: what the table knows beside what the seat knows."""

from dataclasses import replace

import numpy as np
import pytest

from hearts.engine.beliefs import load_belief
from hearts.engine.bridge.worlds import root_moves
from hearts.engine.config import ALGORITHMS, SearchConfig
from hearts.engine.decide import decide
from hearts.engine.passing.choose import choose_pass
from hearts.game.cards import ALL_CARDS, CardSet, bit, count
from hearts.game.errors import InvalidConfig
from hearts.game.rules import PASSING, STANDARD, PassDirection, Rules, legal_plays
from hearts.game.trick import Hands
from hearts.views.view import View
from models.mixture import MixtureBelief, PublicDeals, mixture
from tests.hearts.games import VARIANTS
from tests.hearts.play import positions, random_deal
from tests.hearts.worlds import fits_table, table_worlds


def moves_in(view: View, world: Hands) -> CardSet:
    """The moves of the viewer that a world allows."""
    hand = world[view.seat]
    first, broken = view.first_trick, view.broken
    legal = legal_plays(view.rules, hand, view.trick.led, first_trick=first, broken=broken)
    return legal & root_moves(view)


def choices(rules: Rules, cards: int, number: int, skew: float = 0.0) -> list[View]:
    """Views of the seat to play, with a choice, after so many cards of random hands."""
    found = []
    for seed in range(1000):
        deal = random_deal(rules, cards, seed, PassDirection(1 + seed % 3), skew=skew)
        if deal.turn is not None and count(deal.legal) > 1:
            found.append(View.of(deal, deal.turn))
            if len(found) == number:
                return found
    raise AssertionError("no such views")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("cards", [5, 22, 38])
def test_without_a_share_it_is_the_plain_belief(algorithm, cards):
    for view in choices(PASSING, cards, 2):
        config = SearchConfig(algorithm=algorithm, simulations=300, seed=9)
        plain = decide(view, config)
        for name in ("mixture:0", "mixture:0-0", "mixture:0,OM-1"):
            mixed = decide(view, replace(config, belief=name))
            assert mixed.cards == plain.cards
            assert (mixed.card, mixed.simulations) == (plain.card, plain.simulations)


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
def test_public_worlds_fit_the_table_and_have_a_move_of_mine(rules):
    for skew in (0.0, 0.7):
        for deal in list(positions(rules, 5, skew=skew))[2:50:3]:
            view = View.of(deal, deal.turn or 0)
            if count(view.legal) > 1:
                worlds = PublicDeals(view).sample(40, np.random.default_rng(1))
                assert worlds.weights.sum() == pytest.approx(1)
                for world in worlds.hands.tolist():
                    assert fits_table(view, world)
                    assert moves_in(view, world)


def ending(seed: int, rules: Rules = STANDARD) -> tuple[View, list[Hands]] | None:
    """A late view with a choice, and all deals that fit the table in which a move of mine is."""
    deal = random_deal(rules, 40 + seed % 5, seed, skew=0.3)
    if count(deal.legal) < 2:
        return None
    view = View.of(deal, deal.turn or 0)
    if count(view.unseen | view.hand) > 11:
        return None
    fitting = [world for world in table_worlds(view) if moves_in(view, world)]
    return (view, fitting) if 5 < len(fitting) < 600 else None


@pytest.mark.parametrize("rules", [STANDARD, VARIANTS["quiet queen"]])
def test_all_public_deals_with_a_move_are_equally_likely(rules):
    found = [case for case in (ending(seed, rules) for seed in range(150)) if case][:8]
    assert len(found) == 8
    assert any(len({world[view.seat] for world in worlds}) > 5 for view, worlds in found)
    draws = 40_000
    for view, fitting in found:
        drawn = PublicDeals(view).sample(draws, np.random.default_rng(4))
        share = dict.fromkeys(fitting, 0.0)
        for world, weight in zip(drawn.hands.tolist(), drawn.weights.tolist(), strict=True):
            share[tuple(world)] += weight
        assert len(share) == len(fitting)
        expected = 1 / len(fitting)
        spread = np.sqrt(expected * drawn.weights.max())  # of one share, at most
        assert max(abs(each - expected) for each in share.values()) < 6 * spread


def test_its_probabilities_are_those_of_both_beliefs():
    tried = 0
    for seed in range(60):
        case = ending(seed)
        if case is None:
            continue
        tried += 1
        view, _ = case
        held = np.array(list(table_worlds(view)), dtype=np.uint64)
        public = np.array([(held & np.uint64(bit(card)) > 0).mean(axis=0) for card in ALL_CARDS])
        private = load_belief("OM-1").probabilities(view)
        found = load_belief("mixture:0.3").probabilities(view)
        assert found == pytest.approx(0.7 * private + 0.3 * public)
        assert found.sum(axis=0) == pytest.approx(np.array(view.hand_sizes, dtype=float))
    assert tried > 5


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [2, 30, 101])
def test_the_shares_are_kept(share, n):
    view = choices(PASSING, 9, 1)[0]
    worlds = load_belief(f"mixture:{share}").sample(view, n, np.random.default_rng(2))
    public = min(max(round(share * n), 1), n - 1)
    assert len(worlds) == n
    assert worlds.weights[n - public :].sum() == pytest.approx(share)
    assert (worlds.hands[: n - public, view.seat] == np.uint64(view.hand)).all()
    assert worlds.weights.sum() == pytest.approx(1)


def test_a_pass_is_no_secret_of_the_table():
    """What I gave may be anywhere for the others, and cards that I hold may be with them."""
    view = next(view for view in choices(PASSING, 5, 20) if view.passed & view.unseen)
    hands = PublicDeals(view).sample(2000, np.random.default_rng(0)).hands
    kept = np.uint64(view.passed & view.unseen)
    assert (hands[:, view.receiver] & kept != kept).any()
    assert len(np.unique(hands[:, view.seat])) > 1000


def test_while_cards_are_passed_it_is_the_plain_belief():
    deal = random_deal(PASSING, 0, 1)
    passing = {"rules": PASSING, "direction": PassDirection.LEFT, "passing": True}
    view = View(0, deal.hands[0], deal.trick, **passing)
    config = SearchConfig(simulations=200)
    plain, mixed = (choose_pass(view, replace(config, belief=b)) for b in ("OM-1", "mixture:0.8"))
    assert plain.candidates == mixed.candidates


def test_only_a_card_of_the_real_hand_is_played():
    for algorithm in ALGORITHMS:
        for cards in (3, 17, 30, 37):
            for view in choices(PASSING, cards, 3):
                config = SearchConfig(algorithm=algorithm, simulations=200, belief="mixture:1")
                decision = decide(view, config)
                assert view.legal & bit(decision.card)
                assert {figures.card for figures in decision.cards} == {
                    card for card in ALL_CARDS if view.legal & bit(card)
                }


def test_a_share_may_follow_the_tricks():
    belief = load_belief("mixture:0.6-0.0")
    assert isinstance(belief, MixtureBelief)
    for cards, share in ((1, 0.6), (4 * 6 + 1, 0.3), (4 * 12 + 1, 0.0)):
        assert belief.share(View.of(random_deal(STANDARD, cards, 0), 0)) == pytest.approx(share)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("mixture:2", "'2' is no share"),
        ("mixture:-0.1", "'' is no share"),
        ("mixture:nan", "'nan' is no share"),
        ("mixture:much", "'much' is no share"),
        ("mixture:0.5-", "'' is no share"),
        ("mixture:0.5-7", "'7' is no share"),
        ("mixture:0.5:OM-9", "'OM-9' is not installed"),
        ("mixture:0.5:mixture", "not of another"),
        ("mixture:0.5:OM-1:3", "does not take these arguments"),
    ],
)
def test_a_bad_argument_is_named(name, reason):
    with pytest.raises(InvalidConfig, match=reason):
        load_belief(name)


def test_a_bare_name_has_a_default():
    assert mixture() == mixture("0.3", "OM-1")

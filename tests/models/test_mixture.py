"""The mixture of private and public belief."""

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
from hearts.game.legality import legal_plays
from hearts.game.rules import PASSING, STANDARD, PassDirection, Rules
from hearts.game.trick import Hands
from hearts.views.view import View
from models.mixture import MixtureBelief, PublicDeals, mixture
from tests.hearts.games import VARIANTS
from tests.hearts.play import positions, random_deal
from tests.hearts.worlds import fits_table, table_worlds


def moves_in(view: View, world: Hands) -> CardSet:
    """The viewer's moves that are legal in a world."""
    hand = world[view.seat]
    first, broken = view.first_trick, view.broken
    legal = legal_plays(view.rules, hand, view.trick.led, first_trick=first, broken=broken)
    return legal & root_moves(view)


def views_with_a_choice(rules: Rules, cards: int, number: int, skew: float = 0.0) -> list[View]:
    """Views of the seat to play with more than one legal card, after `cards` random plays."""
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
def test_with_lambda_0_it_equals_the_base_belief(algorithm, cards):
    for view in views_with_a_choice(PASSING, cards, 2):
        config = SearchConfig(algorithm=algorithm, simulations=300, seed=9)
        plain = decide(view, config)
        for name in ("mixture:0", "mixture:0-0", "mixture:0,OM-1"):
            mixed = decide(view, replace(config, belief=name))
            assert mixed.cards == plain.cards
            assert (mixed.card, mixed.simulations) == (plain.card, plain.simulations)


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
def test_public_worlds_fit_the_table_and_allow_a_move(rules):
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
    """A late view with a choice, and all public deals that allow one of its moves."""
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


def test_probabilities_are_the_mixture_of_both():
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
def test_public_worlds_have_their_share_of_number_and_weight(share, n):
    view = views_with_a_choice(PASSING, 9, 1)[0]
    worlds = load_belief(f"mixture:{share}").sample(view, n, np.random.default_rng(2))
    public = min(max(round(share * n), 1), n - 1)
    assert len(worlds) == n
    assert worlds.weights[n - public :].sum() == pytest.approx(share)
    assert (worlds.hands[: n - public, view.seat] == np.uint64(view.hand)).all()
    assert worlds.weights.sum() == pytest.approx(1)


def test_passes_are_not_public():
    """Passed cards may be anywhere in public worlds, and so may the viewer's own."""
    view = next(view for view in views_with_a_choice(PASSING, 5, 20) if view.passed & view.unseen)
    hands = PublicDeals(view).sample(2000, np.random.default_rng(0)).hands
    kept = np.uint64(view.passed & view.unseen)
    assert (hands[:, view.receiver] & kept != kept).any()
    assert len(np.unique(hands[:, view.seat])) > 1000


def test_while_cards_are_passed_it_equals_the_base_belief():
    deal = random_deal(PASSING, 0, 1)
    passing = {"rules": PASSING, "direction": PassDirection.LEFT, "passing": True}
    view = View(0, deal.hands[0], deal.trick, **passing)
    config = SearchConfig(simulations=200)
    plain, mixed = (choose_pass(view, replace(config, belief=b)) for b in ("OM-1", "mixture:0.8"))
    assert plain.candidates == mixed.candidates


def test_only_a_card_of_the_real_hand_is_played():
    for algorithm in ALGORITHMS:
        for cards in (3, 17, 30, 37):
            for view in views_with_a_choice(PASSING, cards, 3):
                config = SearchConfig(algorithm=algorithm, simulations=200, belief="mixture:1")
                decision = decide(view, config)
                assert view.legal & bit(decision.card)
                assert {each.card for each in decision.cards} == {
                    card for card in ALL_CARDS if view.legal & bit(card)
                }


def test_lambda_may_change_with_the_trick():
    belief = load_belief("mixture:0.6-0.0")
    assert isinstance(belief, MixtureBelief)
    for cards, share in ((1, 0.6), (4 * 6 + 1, 0.3), (4 * 12 + 1, 0.0)):
        assert belief.share(View.of(random_deal(STANDARD, cards, 0), 0)) == pytest.approx(share)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("mixture:2", "'2' is not a share"),
        ("mixture:-0.1", "'' is not a share"),
        ("mixture:nan", "'nan' is not a share"),
        ("mixture:much", "'much' is not a share"),
        ("mixture:0.5-", "'' is not a share"),
        ("mixture:0.5-7", "'7' is not a share"),
        ("mixture:0.5:OM-9", "'OM-9' is not installed"),
        ("mixture:0.5:mixture", "cannot be another"),
        ("mixture:0.5:OM-1:3", "does not take these arguments"),
    ],
)
def test_a_wrong_argument_is_refused_by_name(name, reason):
    with pytest.raises(InvalidConfig, match=reason):
        load_belief(name)


def test_arguments_have_defaults():
    assert mixture() == mixture("0.3", "OM-1")

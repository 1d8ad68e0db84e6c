"""OM-3: recognises how opponents play, and lets them play so."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from hearts.arena.referee import Referee
from hearts.arena.seeds import deal_of, derive_seed
from hearts.engine.beliefs import TypedBelief, load_belief
from hearts.engine.bridge.policies import POLICIES
from hearts.engine.clock import UNLIMITED
from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.engine.passing.choose import choose_pass
from hearts.game.cards import SEATS
from hearts.game.deal import Deal, past_hands
from hearts.game.records import Record
from hearts.game.rules import PASSING, PassDirection
from hearts.kernels.policies.choose import NETWORK
from hearts.players.registry import shared_player
from hearts.players.spec import Spec
from hearts.views.view import View
from models.behaviour import BehaviourBelief
from models.evaluation.labelled import labelled_views, replay
from models.evaluation.scores import Scores
from models.network_types import SEARCH_LIKE, log_advantages
from models.opponents import OpponentBelief
from models.player_types import POLICY_TYPES, TypeBook
from models.posterior import ChainConfig, ChainSamples
from server.cli.games.records import all_records

U = np.uint64
OM3, OM2 = load_belief("OM-3"), BehaviourBelief()


@cache
def hand_of(names: tuple[str, ...], number: int) -> Deal:
    """A finished hand of some players, without a pass."""
    referee = Referee([shared_player(Spec(name)) for name in names])
    deal = deal_of(3, number, 0, PASSING, PassDirection.HOLD)
    return referee.play(deal, derive_seed(3, number))


def view_after(names: tuple[str, ...], number: int, plays: int) -> View:
    deal = replay(hand_of(names, number), plays)
    return View.of(deal, deal.trick.turn)


@pytest.mark.parametrize("name", ["duck", "cautious"])
def test_a_policy_is_recognised_within_a_hand(name):
    label = POLICIES[name].label
    early, late = [], []
    for number in range(4):
        for plays, found in ((6, early), (30, late)):
            view = view_after((name,) * SEATS, number, plays)
            report = OM3.report_within(UNLIMITED, view)
            assert report.types[view.seat] == {}
            for seat in view.others:
                assert sum(report.types[seat].values()) == pytest.approx(1)
                found.append(report.types[seat][label])
    assert np.mean(late) > max(0.3, 1.5 * np.mean(early))


def test_a_player_that_follows_no_policy_is_none_of_them():
    view = view_after(("random",) * SEATS, 1, 30)
    report = OM3.report_within(UNLIMITED, view)
    for seat in view.others:
        policies = sum(report.types[seat][POLICIES[name].label] for name in POLICY_TYPES)
        assert policies < 0.15


def test_worlds_have_the_policies_of_the_types():
    view = view_after(("duck",) * SEATS, 2, 30)
    worlds = OM3.sample(view, 100, np.random.default_rng(1))
    assert (worlds.policies[:, view.seat] == NETWORK).all()
    others = worlds.policies[:, list(view.others)]
    assert (others == POLICIES["duck"].code).mean() > 0.7
    policies = {POLICIES[name].code for name in POLICY_TYPES}
    assert set(np.unique(others)) <= {NETWORK, *policies}
    again = OM3.sample(view, 100, np.random.default_rng(1))
    assert (again.hands == worlds.hands).all()
    assert (again.policies == worlds.policies).all()


def test_policies_make_the_belief_sharper():
    """Log-loss on hands of `cautious`, which OM-2 does not know."""
    scores = {belief: Scores() for belief in (OM2, OM3)}
    for number in range(3):
        record = Record(hand_of(("cautious",) * SEATS, number))
        for labelled in labelled_views(record, number):
            if 4 <= labelled.trick <= 8:
                for belief, score in scores.items():
                    score.add(labelled, belief.probabilities(labelled.view))
    assert scores[OM3].log_loss < 0.93 * scores[OM2].log_loss


def test_earlier_hands_tell_the_type_before_the_first_card():
    names = ("duck", "guard", "shooter", "duck")
    earlier = past_hands([hand_of(names, number) for number in range(8)])
    deal = deal_of(3, 100, 0, PASSING, PassDirection.LEFT)
    for seat in (0, 1):
        view = View.of(deal, seat, earlier=earlier)
        for other in view.others:
            label = POLICIES[names[other]].label
            assert OM3.report_within(UNLIMITED, view).types[other][label] > 0.6
    worlds = OM3.sample(View.of(deal, 1, earlier=earlier), 200, np.random.default_rng(2))
    assert (worlds.policies[:, 0] == POLICIES["duck"].code).mean() > 0.6


def chain_of(view: View, n: int) -> ChainSamples:
    posterior = OM3.posterior(view)
    return posterior.run_chains(ChainConfig(steps=8_000), n, np.random.default_rng(5))


def test_resampled_states_follow_what_the_network_says():
    """Each state as often as its weight says, written out player by player."""
    view = view_after(("medium",) * SEATS, 1, 25)
    posterior, chain = OM3.posterior(view), chain_of(view, 40)
    weights = OM3.earlier(view.rules, ()).style_weights(OM3.types)[list(view.others)]
    ratios = np.exp(log_advantages(SEARCH_LIKE, posterior, weights, chain.hands))
    expected = np.ones(40)
    for state in range(40):
        for player in range(3):
            if chain.types[state, player] < OM3.types.style_count:
                expected[state] *= 0.5 + 0.5 * ratios[state, player]
    expected /= expected.sum()
    assert expected.max() > 2 / 40  # the network says something
    found = OM3.resampling(np.random.default_rng(6))(posterior, chain, 10_000)
    for state, hands in enumerate(chain.hands):
        same = (chain.hands == hands).all(axis=1)
        drawn = (found.hands == hands).all(axis=1).mean()
        assert drawn == pytest.approx(expected[same].sum(), abs=0.001), state
    # The weights change the chain's own marginals as they change those of the states.
    held = np.array([[chain.hands.T >> U(card) & U(1)] for card in posterior.free])[:, 0]
    change = (held * expected).sum(axis=2) - held.mean(axis=2)
    target = chain.marginals + change
    assert target.min() >= 0
    assert found.marginals == pytest.approx(target, abs=1e-6)
    assert np.abs(change).max() > 0.02


def test_who_has_a_style_may_be_the_network_instead():
    view = view_after(("medium",) * SEATS, 1, 25)
    posterior, chain = OM3.posterior(view), chain_of(view, 40)
    found = OM3.resampling(np.random.default_rng(6))(posterior, chain, 4_000).types
    networks, styles = (found == OM3.types.size).mean(), (found < OM3.types.style_count).mean()
    before = (chain.types < OM3.types.style_count).mean()
    assert networks > 0.1 < styles
    assert networks + styles == pytest.approx(before, abs=0.2)


def test_the_network_is_told_from_rule_players_by_earlier_hands():
    for name, low, high in (("medium", 0.6, 1.0), ("careless", 0.0, 0.1)):
        earlier = past_hands([hand_of((name,) * SEATS, number) for number in range(4)])
        shares = OM3.earlier(PASSING, earlier).network_shares(SEARCH_LIKE, OM3.types)
        assert ((low <= shares) & (shares <= high)).mean() >= 0.75
        assert (shares > 0).all()
        assert (shares < 1).all()
    nothing = OM3.earlier(PASSING, ()).network_shares(SEARCH_LIKE, OM3.types)
    assert nothing == pytest.approx(SEARCH_LIKE.share)


def test_the_network_makes_the_belief_sharper():
    """Log-loss at the fifth trick of hands of a search, which the network was not trained with."""
    path = Path("tests/data/engine-dev.jsonl.gz")
    scores = {belief: Scores() for belief in (OM2, OM3)}
    for number, record in enumerate(all_records(path)[:40]):
        for labelled in labelled_views(record, number):
            if labelled.trick == 5:
                for belief, score in scores.items():
                    score.add(labelled, belief.probabilities(labelled.view))
    assert scores[OM3].log_loss < 0.99 * scores[OM2].log_loss


@pytest.mark.parametrize("algorithm", ["rollouts", "ismcts", "pimc"])
def test_every_algorithm_searches_its_worlds(algorithm):
    config = SearchConfig(
        algorithm=algorithm, belief="OM-3", playout="softmax", worlds=20, simulations=200, seed=3
    )
    view = view_after(("duck",) * SEATS, 2, 21)
    decision = decide(view, config)
    assert view.legal >> decision.card & 1
    assert decision.simulations >= 150
    assert decide(view, config).card == decision.card


def test_a_pass_is_searched_with_types():
    config = SearchConfig(algorithm="rollouts", belief="OM-3", simulations=200, seed=3)
    earlier = past_hands([hand_of(("duck",) * SEATS, number) for number in range(3)])
    deal = deal_of(3, 101, 0, PASSING, PassDirection.LEFT)
    found = choose_pass(View.of(deal, 0, earlier=earlier), config)
    assert found.cards & ~deal.dealt[0] == 0
    assert found.simulations > 0


def test_strangers_play_on_by_the_network_until_a_card_is_seen():
    deal, rng = deal_of(3, 101, 0, PASSING, PassDirection.LEFT), np.random.default_rng(1)
    assert OM3.sample(View.of(deal, 0), 20, rng).policies is None
    earlier = past_hands([hand_of(("duck",) * SEATS, 0)])
    assert OM3.sample(View.of(deal, 0, earlier=earlier), 20, rng).policies is not None


def test_weights_of_types_are_a_distribution():
    book = TypeBook(OM2.types.styles, POLICY_TYPES)
    assert book.table_weights.sum() == pytest.approx(1, abs=1e-3)  # books have four digits
    assert (book.table_weights > 0).all()  # every type is possible at every table
    assert len(book.policy_of) == len(book.labels) == book.size == book.table_weights.shape[1]


def test_only_om3_knows_types():
    assert isinstance(OM3, TypedBelief)
    assert isinstance(OM3, OpponentBelief)
    assert not isinstance(OM2, TypedBelief)

"""Adjusted differences: unbiased, exactly 0 for equal players, reproducible, resumable."""

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest

from hearts.arena.adjustment import EXACT, NETWORK_PROXY, Adjustment, SampleSizes, adjustment_of
from hearts.arena.outputs import Outputs
from hearts.arena.results import deal_result_of, summarize
from hearts.arena.runner import Workers, run
from hearts.arena.tournament import SEATINGS, Tournament, play_deal
from hearts.game.errors import InvalidConfig, InvalidRecord
from hearts.game.records import parse_record
from hearts.kernels.luck.values import FEATURES, RESULT
from hearts.players.spec import Spec, parse_spec

ONE = Workers(jobs=1)
QUICK = SampleSizes(fresh=20, passes=8, samples=6, thinning=6)


def tournament(focus: str, others: str, proxy: str, **options) -> Tournament:
    return Tournament(parse_spec(focus), parse_spec(others), proxy=proxy, **options)


@pytest.fixture
def quick(monkeypatch) -> None:
    """Few samples: the estimates are noisy, and still unbiased."""
    monkeypatch.setattr("hearts.arena.adjustment.USUAL", QUICK)


@pytest.mark.parametrize("kind", EXACT)
@pytest.mark.parametrize("seats", SEATINGS)
@pytest.mark.usefixtures("quick")
def test_a_player_against_itself_gives_exactly_0(kind, seats):
    same = replace(Spec(kind), name="the same under another name")
    for number in range(4):
        result = play_deal(
            Tournament(Spec(kind), same, seats=seats, passing="cycle", proxy=kind), number
        )
        assert (result.difference, result.adjusted) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("focus", "others", "proxy", "options"),
    [
        ("cautious", "duck", "guard", {}),
        ("guard", "shooter", "duck", {"passing": "cycle"}),
        ("random", "duck", "cautious", {"passing": "cycle", "seats": "pairs"}),
        ("careless", "cautious", NETWORK_PROXY, {}),
    ],
)
@pytest.mark.usefixtures("quick")
def test_the_mean_is_that_of_the_difference(focus, others, proxy, options):
    played = tournament(focus, others, proxy, seed=1, **options)
    results = [play_deal(played, number) for number in range(60)]
    errors = [result.figure - result.difference for result in results]
    bound = 4 * statistics.stdev(errors) / math.sqrt(len(errors))
    assert abs(statistics.fmean(errors)) < bound < 5


@pytest.mark.usefixtures("quick")
def test_a_policy_for_the_focus_that_is_its_own_leaves_only_the_noise_of_new_deals():
    played = tournament("cautious", "duck", "cautious", seed=4)
    summary = summarize([play_deal(played, number) for number in range(20)])
    assert summary.adjusted is not None
    assert summary.adjusted.variance_ratio > QUICK.fresh / 3


@pytest.mark.usefixtures("quick")
def test_results_do_not_depend_on_the_number_of_processes_and_journals_resume(tmp_path):
    played = tournament("careless", "duck", "cautious", seed=3, passing="cycle")
    path = tmp_path / "journal.jsonl"
    first = run(played, 2, workers=ONE, outputs=Outputs(path))
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:2]) + "\n")  # the second deal is lost
    again = run(played, 3, workers=ONE, outputs=Outputs(path))
    assert again[:2] == first
    assert [result.adjusted for result in again] == [
        play_deal(played, number).adjusted for number in range(3)
    ]
    with pytest.raises(InvalidRecord, match="another tournament"):
        run(replace(played, proxy=None), 3, workers=ONE, outputs=Outputs(path))


@pytest.mark.usefixtures("quick")
def test_a_line_of_a_journal_keeps_the_adjustment():
    result = play_deal(tournament("careless", "duck", "duck"), 0)
    assert deal_result_of(result.as_object()) == result
    plain = play_deal(Tournament(Spec("careless"), Spec("duck")), 0)
    assert plain.adjusted is None
    assert not plain.as_object().keys() & {"adjusted", "features"}
    assert "adjusted" not in summarize([plain]).as_object()


def test_a_hand_with_a_fault_of_the_others_is_not_adjusted():
    result = play_deal(Tournament(Spec("random"), Spec("cautious"), seed=2), 0, keep_records=True)
    deal = parse_record(dict(result.records[0])).deal
    features = Adjustment("duck", "duck", QUICK).features([(result.tables[0], deal)], 0)
    expected = np.zeros(FEATURES)
    expected[RESULT] = result.tables[0].advantage / 12
    np.testing.assert_allclose(features, expected)


@pytest.mark.parametrize("others", ["random", "careless", "expert", "engine:simulations=5"])
def test_others_must_be_a_known_policy(others):
    with pytest.raises(InvalidConfig, match=r"policy of .* is not known; known are .*cautious"):
        adjustment_of(Spec("duck"), parse_spec(others))


def test_a_focus_that_sees_the_cards_is_refused():
    with pytest.raises(InvalidConfig, match="oracle:simulations=5 sees the cards"):
        adjustment_of(parse_spec("oracle:simulations=5"), Spec("duck"))


def test_the_proxy_is_the_focus_itself_if_that_is_a_policy():
    proxies = {
        name: adjustment_of(parse_spec(name), Spec("duck")).proxy for name in ("guard", "hard")
    }
    assert proxies == {"guard": "guard", "hard": NETWORK_PROXY}
    assert adjustment_of(Spec("hard"), Spec("duck"), "shooter").proxy == "shooter"
    with pytest.raises(InvalidConfig, match="'easy' is unknown"):
        adjustment_of(Spec("hard"), Spec("duck"), "easy")


def test_matches_are_not_adjusted():
    with pytest.raises(InvalidConfig, match="hands of a match"):
        Tournament(Spec("duck"), Spec("duck"), unit="match", proxy="duck")

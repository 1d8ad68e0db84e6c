"""Experiments: their cells, how they resume, and their tables and plots."""

from dataclasses import asdict, replace
from itertools import pairwise

import pytest

from hearts.arena.experiments import (
    EXPERIMENTS,
    Cell,
    Experiment,
    algorithms,
    budgets,
    determinizations,
    estimated_seconds,
    examine_cell,
    exploit,
    knobs,
    levels,
    matches,
    mixture,
    play_cell,
    playouts,
    table,
)
from hearts.arena.experiments.budgets import BUDGETS
from hearts.arena.experiments.determinizations import AGGREGATIONS, DETERMINIZATIONS
from hearts.arena.experiments.experiment import verdict, wins_above_even
from hearts.arena.experiments.exploit import gain
from hearts.arena.experiments.levels import LADDER
from hearts.arena.journal import journal_name
from hearts.arena.outputs import Outputs
from hearts.arena.runner import Workers
from hearts.arena.statistics import Interval
from hearts.arena.tournament import play_deal
from hearts.engine.config import PLAYOUTS, SearchConfig
from hearts.engine.levels import LEVELS, PLAIN
from hearts.game.errors import InvalidConfig
from hearts.players.spec import Spec

ONE = Workers(jobs=1)


def config(spec: Spec) -> SearchConfig:
    return SearchConfig.parse(dict(spec.options))


@pytest.mark.parametrize("budget", [4_000, 10_000])
def test_determinizations_are_those_of_the_paper(budget):
    cells = determinizations(quick=False, budget=budget).cells
    *pimc, ismcts = [config(cell.focus) for cell in cells]
    assert [(each.aggregation, each.worlds) for each in pimc] == [
        (aggregation, worlds) for aggregation in AGGREGATIONS for worlds in DETERMINIZATIONS
    ]
    assert {each.algorithm for each in pimc} == {"pimc"}
    assert ismcts.algorithm == "ismcts"
    baselines = {config(cell.others) for cell in cells}
    assert {each.algorithm for each in baselines} == {"open-loop"}
    everybody = {*pimc, ismcts, *baselines}
    assert {each.simulations for each in everybody} == {budget}
    shared = {(each.playout, each.epsilon, each.reward, each.c, each.endgame) for each in everybody}
    assert len(shared) == 1  # only the handling of hidden cards differs


def test_determinizations_may_have_another_baseline_and_other_playouts():
    made = determinizations(quick=False, baseline="one-world", playout="uniform")
    assert made.name == "determinizations-4000-one-world-uniform"
    others = {config(cell.others) for cell in made.cells}
    assert {(each.algorithm, each.worlds) for each in others} == {("pimc", 1)}
    everybody = {config(cell.focus) for cell in made.cells} | others
    assert {each.playout for each in everybody} == {"uniform"}


def test_playouts_are_all_there_against_two_kinds_of_opponents():
    cells = playouts(quick=False).cells
    found = [config(cell.focus) for cell in cells if str(cell.others) == "cautious"]
    assert {each.playout for each in found} == set(PLAYOUTS)  # every policy has a cell
    greedy = [each.epsilon for each in found if each.playout == "epsilon-greedy"]
    assert greedy == [0.0, 0.1, 0.3, 0.5]
    assert len({replace(each, playout="uniform", epsilon=0.1) for each in found}) == 1
    usual = [cell for cell in cells if str(cell.others) == "ε = 0.1"]
    assert {config(cell.others) for cell in usual} < set(found)
    assert {config(c.focus) for c in usual} == set(found) - {config(c.others) for c in usual}
    assert len(cells) == 2 * len(found) - 1


def test_every_level_meets_the_one_below():
    cells = levels(quick=True).cells
    assert ("cautious", *LEVELS) == LADDER
    met = [(str(cell.others), str(cell.focus)) for cell in cells]
    assert met == list(pairwise(LADDER))
    assert {cell.seats for cell in cells} == {"pairs"}


def test_algorithms_differ_in_nothing_else_and_meet_three_kinds_of_opponents():
    cells = algorithms(quick=False).cells
    configs = {config(cell.focus) for cell in cells}
    assert {(each.algorithm, each.opponents) for each in configs} == {
        ("pimc", "best-reply"),
        ("ismcts", "best-reply"),
        ("open-loop", "best-reply"),
        ("pimc", "policy"),
        ("ismcts", "policy"),
    }
    assert len({replace(each, algorithm="pimc", opponents="policy") for each in configs}) == 1
    met = [str(cell.others) for cell in cells]
    assert [met.count(each) for each in ("cautious", "duck", "pimc")] == [5, 5, 4]
    assert config(cells[-1].others) in configs


def test_every_budget_meets_cautious_and_the_one_below():
    cells = budgets(quick=False).cells
    played = [(config(cell.focus).simulations, str(cell.others)) for cell in cells]
    assert played[:5] == [(budget, "cautious") for budget in BUDGETS]
    assert BUDGETS == (300, 1_000, 3_000, 10_000, 30_000)
    assert played[5:] == [
        (1_000, "300 simulations"),
        (3_000, "1,000 simulations"),
        (10_000, "3,000 simulations"),
        (30_000, "10,000 simulations"),
    ]


def test_mixtures_differ_in_their_share_alone():
    cells = mixture(quick=False, observer="OM-1").cells
    found = [(config(cell.focus).algorithm, config(cell.focus).belief) for cell in cells]
    shares = [f"mixture:{step / 10}" for step in range(11)]
    assert found == [(name, share) for name in ("pimc", "ismcts") for share in shares]
    plain = {config(cell.others) for cell in cells}
    assert plain == {replace(PLAIN, simulations=2000)}
    assert {replace(config(c.focus), algorithm="pimc", belief="OM-1") for c in cells} == plain
    with pytest.raises(InvalidConfig, match="'OM-9' is not installed"):
        mixture(quick=True, observer="OM-9")


def test_knobs_are_turned_one_at_a_time():
    cells = knobs(quick=False).cells
    (reference,) = {config(cell.others) for cell in cells}
    expert = LEVELS["expert"]
    turned = ("simulations", "worlds", "auxiliary_simulations")
    budget = {name: getattr(expert, name) for name in turned}
    assert replace(reference, **budget) == expert
    for cell in cells:
        turned = {
            name
            for name, value in asdict(config(cell.focus)).items()
            if value != asdict(reference)[name]
        }
        assert len(turned) == 1
        assert cell.passing == ("cycle" if turned == {"passing"} else "none")
        assert cell.seats == "pairs"


def test_matches_differ_in_what_is_played_for():
    for cell in matches(quick=False).cells:
        focus, others = config(cell.focus), config(cell.others)
        assert (focus.reward, others.reward) == ("match", "difference")
        assert replace(focus, reward="difference") == others
        played = cell.tournament(3)
        assert (played.unit, played.passing, played.seats) == ("match", "cycle", "pairs")
        assert played.from_score == 0


def test_matches_may_start_late_and_with_one_search():
    late = matches(quick=False, from_score=75, search="ismcts")
    assert late.name == "matches-75"
    assert [cell.tournament(3).from_score for cell in late.cells] == [75]
    assert config(late.cells[0].focus).algorithm == "ismcts"


def test_equal_players_win_no_more_than_their_share():
    for seats, even in (("single", 0.25), ("pairs", 0.5), ("all", 0.5)):
        cell = Cell("line", 0, Spec("careless"), Spec("careless"), seats)
        results = {cell: play_cell(cell, 3, 0, ONE, Outputs(), lambda results: None)}
        assert cell.even_win_rate == even
        assert wins_above_even(results)[cell].mean == pytest.approx(0)


def test_the_data_of_a_mixture_tells_what_it_gives_away(tmp_path):
    experiment = with_rule_based(mixture(quick=True, observer="OM-0"), ["random"])
    cell, outputs = experiment.cells[0], experiment.outputs(tmp_path)
    play_cell(cell, 3, 0, ONE, outputs, lambda results: None)
    examine_cell(experiment, cell, 0, outputs, 1)
    extra = experiment.extra(cell)
    assert extra["observer"] == "OM-0"
    assert extra["log_tssr"]["low"] <= extra["log_tssr"]["mean"] < 0


def test_a_verdict_needs_an_interval_without_0():
    found = [verdict(Interval(mean, mean - 1, mean + 1)) for mean in (-2, -0.5, 0.5, 2)]
    assert found == ["beats", "cannot be told from", "cannot be told from", "is worse than"]


def test_journals_of_a_long_experiment_keep_their_names():
    # The journals of hours of play are found by these names.
    cells = determinizations(quick=False).cells
    names = [journal_name(cells[place].tournament(0)) for place in (0, 13, -1)]
    assert names == ["62c57bf3.jsonl", "a52bdfc5.jsonl", "b7cadae4.jsonl"]
    # This one has options that were renamed.
    assert journal_name(knobs(quick=False).cells[0].tournament(0)) == "4f388909.jsonl"


def with_rule_based(experiment: Experiment, kinds: list[str]) -> Experiment:
    """The same experiment between quick players, under the names that it expects."""
    names = {str(spec) for cell in experiment.cells for spec in (cell.focus, cell.others)}
    specs = {
        name: Spec(kinds[place % len(kinds)], name=name) for place, name in enumerate(sorted(names))
    }
    cells = [
        replace(cell, focus=specs[str(cell.focus)], others=specs[str(cell.others)])
        for cell in experiment.cells
    ]
    return replace(experiment, cells=cells)


# A quick observer, and rough intervals.
TOLD = {mixture: {"observer": "OM-0"}}
RESAMPLES = 10


@pytest.mark.parametrize("made", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_an_experiment_is_played_drawn_and_tabulated(tmp_path, monkeypatch, made):
    monkeypatch.setattr("hearts.arena.ratings.RESAMPLES", RESAMPLES)
    experiment = with_rule_based(made(quick=True, **TOLD.get(made, {})), ["random", "careless"])
    outputs = experiment.outputs(tmp_path)
    results = {
        cell: play_cell(cell, 2, 0, ONE, outputs, lambda results: None) for cell in experiment.cells
    }
    for cell in experiment.cells:
        examine_cell(experiment, cell, 0, outputs, 1)
    experiment.plot(tmp_path / "figure.svg", experiment, results)
    drawn = (tmp_path / "figure.svg").read_text()
    assert drawn.startswith("<?xml")
    experiment.plot(tmp_path / "again.svg", experiment, results)
    assert (tmp_path / "again.svg").read_text() == drawn
    lines = table(results).splitlines()
    assert len(lines) == 2 + len(experiment.cells)
    assert all(line.count("|") == 6 for line in lines)
    notes = experiment.notes(experiment, results)
    assert bool(notes) == (made is not determinizations)


def test_exploit_compares_with_expert_on_the_same_deals():
    experiment = exploit(quick=False)
    pairs = [(str(cell.focus), str(cell.others)) for cell in experiment.cells]
    levels_with_policies = ["duck", "cautious", *LEVELS]
    assert pairs == [
        pair
        for name in levels_with_policies
        for pair in ((f"exploiter:{name}", name), ("expert", name))
        if pair != ("expert", "expert")  # against itself the difference is exactly 0
    ]
    chosen = exploit(quick=True, level=["shooter", "hard"])
    assert [str(cell.others) for cell in chosen.cells] == ["shooter"] * 2 + ["hard"] * 2
    assert chosen.name == "exploit-shooter-hard"
    slow = [cell.deals(100) for cell in experiment.cells if str(cell.others) == "expert"]
    assert slow == [30]


def test_what_knowledge_gains_is_paired_by_deal():
    cells = exploit(quick=True, level=["duck"]).cells
    focus = (Spec("careless"), Spec("random"))
    played = [replace(cell, focus=each) for cell, each in zip(cells, focus, strict=True)]
    results = {
        cell: [play_deal(cell.tournament(0), number) for number in range(4)] for cell in played
    }
    one, two = ([deal.difference for deal in deals] for deals in results.values())
    expected = sum(a - b for a, b in zip(one, two, strict=True)) / 4
    assert gain(results, played[0]).mean == pytest.approx(expected)
    alone = {played[0]: results[played[0]]}
    assert gain(alone, played[0]).mean == pytest.approx(sum(one) / 4)


def test_a_cell_goes_on_from_its_journal(tmp_path, monkeypatch):
    cell = Cell("line", 0, Spec("careless"), Spec("random"))
    before = play_cell(cell, 3, 0, ONE, Outputs(tmp_path), lambda results: None)
    monkeypatch.setattr("hearts.arena.runner.play_deal", None)
    assert play_cell(cell, 3, 0, ONE, Outputs(tmp_path), lambda results: None) == before
    with pytest.raises(TypeError):  # another seed is another journal
        play_cell(cell, 3, 1, ONE, Outputs(tmp_path), lambda results: None)


def test_an_estimate_grows_with_the_deals():
    experiment = with_rule_based(playouts(quick=True), ["random"])
    assert estimated_seconds(experiment, 1000, 1) > estimated_seconds(experiment, 10, 1) > 0

"""Experiments: the cells that the literature asks for, resumed, drawn and tabulated."""

from dataclasses import replace

import pytest

from hearts.arena.experiments import (
    AGGREGATIONS,
    DETERMINIZATIONS,
    LADDER,
    Cell,
    Experiment,
    determinizations,
    estimated_seconds,
    levels,
    play_cell,
    playouts,
    table,
)
from hearts.arena.runner import Machines
from hearts.config import SearchConfig
from hearts.players.registry import Spec

ONE = Machines(jobs=1)


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
    assert len(shared) == 1  # only the handling of what is hidden differs


def test_playouts_are_all_there_against_two_kinds_of_opponents():
    cells = playouts(quick=False).cells
    found = [(config(cell.focus).playout, config(cell.focus).epsilon) for cell in cells]
    greedy = [("epsilon-greedy", epsilon) for epsilon in (0.0, 0.1, 0.3, 0.5)]
    assert found == [("uniform", 0.1), *greedy, ("shoot-aware", 0.1)] * 2
    assert [str(cells[0].others), str(cells[-1].others)] == ["cautious", "ε = 0.1"]


def test_every_two_levels_meet():
    cells = levels(quick=True).cells
    met = {frozenset((str(cell.focus), str(cell.others))) for cell in cells}
    assert len(met) == len(cells) == len(LADDER) * (len(LADDER) - 1) // 2
    assert {cell.seats for cell in cells} == {"pairs"}


def with_rule_based(experiment: Experiment, kinds: list[str]) -> Experiment:
    """The same experiment between players that are quick, under the names it expects."""
    names = {str(spec) for cell in experiment.cells for spec in (cell.focus, cell.others)}
    specs = {
        name: Spec(kinds[place % len(kinds)], name=name) for place, name in enumerate(sorted(names))
    }
    cells = [
        replace(cell, focus=specs[str(cell.focus)], others=specs[str(cell.others)])
        for cell in experiment.cells
    ]
    return replace(experiment, cells=cells)


@pytest.mark.parametrize(
    "made", [determinizations, playouts, levels], ids=lambda made: made.__name__
)
def test_an_experiment_is_played_drawn_and_tabulated(tmp_path, made):
    experiment = with_rule_based(made(quick=True), ["random", "careless"])
    results = {
        cell: play_cell(cell, 2, 0, ONE, tmp_path, lambda results: None)
        for cell in experiment.cells
    }
    experiment.draw(tmp_path / "figure.svg", experiment, results)
    drawn = (tmp_path / "figure.svg").read_text()
    assert drawn.startswith("<?xml")
    experiment.draw(tmp_path / "again.svg", experiment, results)
    assert (tmp_path / "again.svg").read_text() == drawn
    lines = table(results).splitlines()
    assert len(lines) == 2 + len(experiment.cells)
    assert all(line.count("|") == 6 for line in lines)
    notes = experiment.notes(experiment, results)
    assert bool(notes) == (made is levels)


def test_a_cell_goes_on_from_its_journal(tmp_path, monkeypatch):
    cell = Cell("line", 0, Spec("careless"), Spec("random"))
    before = play_cell(cell, 3, 0, ONE, tmp_path, lambda results: None)
    monkeypatch.setattr("hearts.arena.runner.play_deal", None)
    assert play_cell(cell, 3, 0, ONE, tmp_path, lambda results: None) == before
    with pytest.raises(TypeError):  # another seed is another journal
        play_cell(cell, 3, 1, ONE, tmp_path, lambda results: None)


def test_an_estimate_grows_with_the_deals():
    experiment = with_rule_based(playouts(quick=True), ["random"])
    assert estimated_seconds(experiment, 1000, 1) > estimated_seconds(experiment, 10, 1) > 0

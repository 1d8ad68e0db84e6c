"""Journals: those of other tournaments or engines are refused, old names of options are read."""

import json
from pathlib import Path

import pytest

from hearts.arena.journal import Journal, journal_name
from hearts.arena.outputs import Outputs
from hearts.arena.runner import Workers, run
from hearts.arena.tournament import Tournament
from hearts.engine.config import published
from hearts.game.errors import InvalidRecord
from hearts.players.spec import Spec

TOURNAMENT = Tournament(Spec("cautious"), Spec("careless"), seed=5, passing="cycle")
ONE = Workers(jobs=1)


def test_a_journal_of_another_tournament_is_refused(tmp_path):
    path = tmp_path / "journal.jsonl"
    run(TOURNAMENT, 1, workers=ONE, outputs=Outputs(path))
    other = Tournament(Spec("cautious"), Spec("careless"), seed=6, passing="cycle")
    with pytest.raises(InvalidRecord, match="journal of another tournament"):
        run(other, 1, workers=ONE, outputs=Outputs(path))
    path.write_text("{\n" + json.dumps({}) + "\n")
    with pytest.raises(InvalidRecord, match="line 1: is not JSON"):
        run(TOURNAMENT, 1, workers=ONE, outputs=Outputs(path))
    path.write_text("a shopping list")
    with pytest.raises(InvalidRecord, match="journal of another tournament"):
        run(TOURNAMENT, 1, workers=ONE, outputs=Outputs(path))
    assert path.read_text() == "a shopping list"


def header_of(path: Path) -> dict:
    return json.loads(path.read_text().splitlines()[0])


def test_a_journal_of_an_engine_that_searched_otherwise_is_refused(tmp_path):
    path, engine = tmp_path / "journal.jsonl", Spec("engine", (("simulations", 2),))
    tournament = Tournament(engine, Spec("random"))
    Journal(path, tournament)
    header = header_of(path)
    assert header["engines"][0]["simulations"] == 2
    assert header["engines"][1] == {}
    path.write_text(json.dumps(header | {"engines": [{"c": 7.5}, {}]}) + "\n")
    with pytest.raises(InvalidRecord, match=r"was played with c 7\.5, not "):
        Journal(path, tournament)
    # A journal without engines, as written by an early version, resumes and stays without them.
    del header["engines"]
    path.write_text(json.dumps(header) + "\n")
    assert Journal(path, tournament).finished == {}
    assert header_of(path) == header


def test_a_journal_with_the_old_names_of_options_goes_on(tmp_path):
    path = tmp_path / "journal.jsonl"
    named = Spec("engine", (("prior", 0.5), ("counsel", 7)))
    renamed = Spec("engine", (("policy_weight", 0.5), ("auxiliary_simulations", 7)))
    then, now = (Tournament(each, Spec("random")) for each in (named, renamed))
    assert journal_name(then) == journal_name(now)
    Journal(path, then)
    header = header_of(path)
    header["engines"] = [published(engine) for engine in header["engines"]]
    assert "prior" in header["engines"][0]
    path.write_text(json.dumps(header) + "\n")
    for tournament in (then, now):
        assert Journal(path, tournament).finished == {}
        assert header_of(path) == header
    other = Tournament(Spec("engine", (("policy_weight", 0.4),)), Spec("random"))
    with pytest.raises(InvalidRecord, match="journal of another tournament"):
        Journal(path, other)

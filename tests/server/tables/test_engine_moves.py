"""Moves of the engine whose search fails, or whose config is invalid."""

from __future__ import annotations

import pytest

from hearts.engine.config import SearchConfig
from hearts.views.view import View
from server.storage.cluster.leases import Taken
from server.storage.decisions import decisions
from server.tables import engine_moves
from server.tables.leases import Lease
from server.tables.pacing import Usual
from server.tables.session import TableSession
from server.tables.setup import SeatSetup, Setup
from server.tables.steps import Step, engine_step
from server.tables.table import Occupant
from tests.server.tables.conftest import opened
from tests.server.tables.people import QUICK, Lobby
from tests.server.tables.tables import new_table


def test_a_config_that_is_not_valid_any_more_is_played_by_rule(lobby, capfd):
    kept = SeatSetup(Occupant("engine", "old"), SearchConfig()).as_object()
    assert SeatSetup.of(kept).config == SearchConfig()
    assert SeatSetup.of({"kind": "human", "name": "ann"}).config is None  # an earlier version's
    kept["config"]["luck"] = 1.0  # an option that this version does not know
    assert SeatSetup.of(kept).config == SearchConfig()
    kept["config"]["worlds"] = 0
    assert SeatSetup.of(kept).config is None
    here = lobby.services
    table, seat = new_table(), SeatSetup.of(kept)
    setup = Setup(table.rules, (seat,) * 4, "seed:1")
    asked = engine_moves.Question(
        View.of(table.current.deal, 0), setup, seat, 1, Lease(Taken("t", 1)), turn_at=0.0
    )
    assert here.runner.moves.search(asked, Usual(0.1, 0.1), {}) is None
    assert "a rule-based move is played" in "".join(capfd.readouterr())


def test_a_bot_without_a_time_limit_searches_no_longer_than_one_with(tmp_path):
    with opened(tmp_path, max_table_time_ms=200) as lobby:
        huge = {"ai_config": {"simulations": 1_000_000, "passing": "rule"}}
        table_id, _ = lobby.make(huge, huge, huge, huge, rules=2465, pace_ms=0)
        view = lobby.anybody(table_id).changed(1)
        while view["version"] < 5:
            view = lobby.anybody(table_id).changed(view["version"])
        lobby.services.decisions.close()  # writes what waits in the spool
        with lobby.services.engine.connect() as connection:
            logged = decisions(connection, game_id=table_id, limit=None)
        assert 0 < max(each.simulations for each in logged) < 1_000_000


def waiting(lobby: Lobby, **more: object) -> tuple[TableSession, Step, Lease]:
    """A table whose bot waits for its time, its step, and a lease that no instance has."""
    table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, rules=2465, pace_ms=60_000, **more)
    session = lobby.services.tables.find(table_id)
    return session, engine_step(session.table), Lease(Taken(table_id, 1))


def test_a_search_that_was_stopped_with_its_lease_is_not_played(lobby, monkeypatch):
    (session, step, lease), moves = waiting(lobby), lobby.services.runner.moves
    assert moves.plan(session, session.table, step, lease) is not None

    def ending(*given: object, **more: object) -> object:
        lease.end()  # another instance has taken the table over
        return decide(*given, **more)

    decide = engine_moves.decide
    monkeypatch.setattr(engine_moves, "decide", ending)
    assert moves.plan(session, session.table, step, lease) is None


def test_a_plan_is_made_under_the_lease_with_which_it_was_searched(lobby):
    (session, step, lease), runner = waiting(lobby), lobby.services.runner
    assert runner._time_left(session, step, lease) > 0
    assert runner._plan_of(session, step, lease) is not None
    assert runner._plan_of(session, step, Lease(Taken(session.table.id, 3))) is None


def test_an_open_table_shows_a_thought_once_and_forgets_those_of_others(lobby, monkeypatch):
    (session, step, lease), tables = waiting(lobby, open=True), lobby.services.tables
    before, moves = session.table, lobby.services.runner.moves
    planned = moves.plan(session, session.table, step, lease)
    with monkeypatch.context() as patched:
        patched.setattr(tables, "_store", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            moves.make(session, planned, lease)
    assert not session.thoughts
    moves.make(session, planned, lease)
    assert len(session.thoughts) == 1
    with session.changing():
        session.table = before
    tables.catch_up(session)  # as if another instance had made the move
    assert session.table.version == before.version + 1
    assert not session.thoughts


def test_a_search_that_fails_never_costs_the_table(lobby, monkeypatch, capfd):
    def broken(*_: object, **__: object) -> None:
        raise ValueError("the secret is QS 2C AH")

    monkeypatch.setattr(engine_moves, "decide", broken)
    monkeypatch.setattr(engine_moves, "choose_pass", broken)
    _, (me, *_) = lobby.make("human", QUICK, QUICK, QUICK, target_score=1)
    view = me.until()
    while view["phase"] not in ("finished", "hand_over"):
        me.play_on(view)
        view = me.until("finished", "hand_over")
    assert len(view["hand"]["tricks"]) == 13
    says = "".join(capfd.readouterr())
    assert "search failed: a rule-based move is played" in says
    assert "ValueError at broken" in says
    assert "the secret is" not in says

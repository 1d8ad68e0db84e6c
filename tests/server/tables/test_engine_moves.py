"""Moves of the engine whose search fails, or whose config is invalid."""

from __future__ import annotations

from hearts.engine.config import SearchConfig
from hearts.views.view import View
from server.storage.cluster.leases import Taken
from server.tables import engine_moves
from server.tables.leases import Lease
from server.tables.setup import SeatSetup
from server.tables.table import Occupant
from tests.server.tables.people import QUICK
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
    moves = engine_moves.EngineMoves(here.tables, here.slots, here.metrics, None)
    view = View.of(new_table().current.deal, 0)
    lease = Lease(Taken("t", 1))
    asked = engine_moves.Question(view, SeatSetup.of(kept), 1, lease, hides_timing=False)
    assert moves.search(asked, {}) is None
    assert "a rule-based move is played" in "".join(capfd.readouterr())


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

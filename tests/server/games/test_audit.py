"""What the log of decisions shows beside the games they were made for."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select, update

from hearts.game.cards import names
from server.cli import main
from server.storage.decisions import decisions
from server.storage.games import writing
from server.storage.hands import hands
from server.storage.schema import DECISIONS
from tests.server.http.routes.posting import posted
from tests.server.service import wait_until
from tests.server.storage.played import sample_records
from tests.server.tables.conftest import opened
from tests.server.tables.people import QUICK, Lobby

FEW = {"simulations": 20, "worlds": 2, "passing": "rule"}


@pytest.fixture
def lobby(tmp_path, migrated_url, monkeypatch):
    monkeypatch.setenv("HEARTS_DATABASE_URL", migrated_url)
    monkeypatch.chdir(tmp_path)
    with opened(tmp_path, database_url=migrated_url) as found:
        yield found


def logged(lobby: Lobby, game_id: str) -> int:
    with lobby.services.engine.connect() as connection:
        return len(decisions(connection, game_id=game_id, limit=None))


def called(*words: str) -> Result:
    return CliRunner().invoke(main, ["decisions", "audit", *words])


def test_a_table_shows_its_bots_what_their_seats_see_and_nothing_else(lobby):
    table_id, _ = lobby.make(QUICK, QUICK, QUICK, QUICK, pace_ms=0, target_score=27)
    anybody = lobby.anybody(table_id)
    view = anybody.get()
    while view["phase"] != "finished":
        view = anybody.get(f"?after={view['version']}&wait=5")
    assert len(view["hands"]) > 1
    wait_until(lambda: lobby.services.decisions.spool.size == 0)
    audited = called("--game", table_id)
    assert audited.exit_code == 0, audited.output
    number = logged(lobby, table_id)
    assert number > 40
    assert audited.output.splitlines() == [
        f"{number:>7}  exactly what its seat saw",
        f"{number:>7}  decisions of 1 games",
    ]
    with writing(lobby.services.engine) as connection:
        (hand, *_) = hands(connection, [table_id])
        passes = select(DECISIONS).where(DECISIONS.c.hand == 0, DECISIONS.c.kind == "pass")
        row = connection.execute(passes.limit(1)).one()
        stolen = names(hand.record.deal.dealt[(row.seat + 1) % 4])[0]
        peeped = row.view | {"hand": [stolen, *row.view["hand"][1:]]}
        here = update(DECISIONS).where(DECISIONS.c.id == row.id)
        connection.execute(here.values(view=peeped))
    audited = called()
    assert audited.exit_code == 1
    assert f"decision {row.id} of game {table_id}: MORE than its seat saw: {stolen}" in (
        audited.stderr
    )


def test_who_asks_for_a_move_of_a_game_may_show_less(lobby):
    (record,) = sample_records(1)
    post = lobby.client.post
    game_id = post("/api/games", json={"rules": 4001}).json["game_id"]
    happened = posted(record)
    first = happened[5]
    post(f"/api/games/{game_id}/events", json={"events": happened[:5]})
    with lobby.services.engine.connect() as connection:
        held = names(hands(connection, [game_id])[0].record.deal.hands[first["player"]])
    state = {"player_hand": held, "current_player": first["player"], "rules": 4001}
    later = {"player_hand": ["AS", "2D"], "rules": 4001}
    for asked in (state, later):
        answer = post("/api/move", json={"game_state": asked, "ai_config": FEW, "game_id": game_id})
        assert answer.status_code == 200, answer.text
    wait_until(lambda: logged(lobby, game_id) == 2)
    audited = called()
    assert audited.exit_code == 0, audited.output
    assert "1  no more than its seat saw" in audited.output
    assert "1  the stored game does not reach the decision" in audited.output

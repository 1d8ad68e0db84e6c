"""Moves that are logged with a game, and the commands that look at the log."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import func, select, update

from hearts.engine.config import published
from server.cli import main
from server.http.services import services
from server.storage.schema import DECISIONS
from tests.hearts.warmup import compile_kernels
from tests.postgres import PostgresServer
from tests.server.api import FAST, OPENING, SHORT, Api, cards
from tests.server.application import application
from tests.server.service import wait_until

STATE = {"player_hand": SHORT, "rules": 2465}
PASSING = {"player_hand": OPENING, "pass_direction": 1, "rules": 4001}


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    compile_kernels()
    with application(tmp_path) as app:
        yield Api(app)


def new_game(api: Api) -> str:
    return api.post("/api/games", {})[1]["game_id"]


def logged(api: Api) -> int:
    with services(api.app).engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(DECISIONS))


@pytest.mark.parametrize(
    ("path", "state", "kind"),
    [("move", STATE, "play"), ("play-one", STATE, "play"), ("pass", PASSING, "pass")],
)
def test_a_move_is_logged_with_its_game(api, path, state, kind):
    game_id = new_game(api)
    body = {"game_state": state, "ai_config": FAST, "game_id": game_id, "hand": 3}
    status, answer = api.post(f"/api/{path}", body)
    assert (status, answer["warnings"]) == (200, [])
    wait_until(lambda: logged(api) == 1)
    with services(api.app).engine.connect() as connection:
        row = connection.execute(select(DECISIONS)).one()
    assert (row.game_id, row.hand, row.kind) == (game_id, 3, kind)
    assert (row.seed, row.view_hash) == (str(answer["seed"]), answer["view_hash"])
    stored = {k: v for k, v in published(row.config).items() if k != "threads"}  # not told
    assert stored == answer["config"]
    said = answer["pass"] if kind == "pass" else [answer["move"]["card"]]
    assert row.chosen.split() == said


def test_without_a_game_nothing_is_logged_and_an_unknown_one_is_a_warning(api):
    assert api.move(STATE)["warnings"] == []
    for game_id in ("nothere", "", "é", "a" * 99):
        body = {"game_state": STATE, "ai_config": FAST, "game_id": game_id}
        status, answer = api.post("/api/move", body)
        assert status == 200
        (warning,) = answer["warnings"]
        assert "there is no game" in warning
    for body in ({"game_id": 5}, {"hand": -1}, {"hand": 10**30}):
        status, answer = api.post("/api/move", {"game_state": STATE, **body})
        assert (status, answer["error_code"]) == (400, "PARSE_ERROR")
        assert next(iter(body)) in answer["message"]
    assert logged(api) == 0


def called(*words: str) -> Result:
    return CliRunner().invoke(main, ["decisions", *words])


def test_decisions_are_listed_shown_and_searched_again(api, tmp_path, monkeypatch):
    monkeypatch.setenv("HEARTS_DATABASE_URL", f"sqlite:///{tmp_path / 'hearts.db'}")
    monkeypatch.chdir(tmp_path)
    game_id = new_game(api)
    asked = [
        ("move", STATE, {"simulations": 300, "seed": 2**64 - 1}),
        ("move", STATE, {"level": "easy"}),  # with its random cards
        ("move", {"player_hand": cards("5C 9C AS"), "rules": 2465}, {"endgame": 3}),
        ("move", {"player_hand": ["AS"], "rules": 2465}, {}),
        ("pass", PASSING, {"simulations": 200}),
        ("move", STATE, {"time_ms": 20}),
    ]
    for path, state, config in asked:
        api.post(f"/api/{path}", {"game_state": state, "ai_config": config, "game_id": game_id})
    wait_until(lambda: logged(api) == len(asked))
    listed = called("list", "--game", game_id).stdout.splitlines()
    numbers = [line.split()[0] for line in listed]
    assert len(numbers) == len(asked)
    by_clock, *others = numbers  # the newest first
    for number in others:
        again = called("replay", number)
        assert again.exit_code == 0, again.output
        assert "is: the same" in again.output
        assert "moves: the same" in again.output
    assert "a clock ended the search" in called("replay", by_clock).output
    shown = json.loads(called("show", numbers[0]).stdout)
    assert (shown["game_id"], shown["view"]["seat"]) == (game_id, 0)
    with services(api.app).engine.begin() as connection:
        connection.execute(update(DECISIONS).values(chosen="2H", version="0.0.1"))
    changed = called("replay", numbers[-1])
    assert changed.exit_code == 1
    assert "2H was chosen" in changed.output
    assert "chosen by version 0.0.1" in changed.output
    assert called("show", "999").exit_code == 1
    assert "there is no decision 999" in called("replay", "999").stderr


def test_a_search_that_a_clock_ended_is_given_as_many_simulations_again(api, tmp_path, monkeypatch):
    monkeypatch.setenv("HEARTS_DATABASE_URL", f"sqlite:///{tmp_path / 'hearts.db'}")
    monkeypatch.chdir(tmp_path)
    game_id = new_game(api)
    for path, state in (("move", STATE), ("pass", PASSING)):
        config = {"simulations": 90, "worlds": 4, "seed": 5}
        body = {"game_state": state, "ai_config": config, "game_id": game_id}
        assert api.post(f"/api/{path}", body)[0] == 200
    wait_until(lambda: logged(api) == 2)
    with services(api.app).engine.begin() as connection:  # as if a slow machine had got so far
        for row in connection.execute(select(DECISIONS)).all():
            late = row.config | {"time_ms": 50, "simulations": 10_000, "worlds": 30}
            here = update(DECISIONS).where(DECISIONS.c.id == row.id)
            connection.execute(here.values(config=late))
    for line in called("list").stdout.splitlines():
        again = called("replay", line.split()[0])
        assert again.exit_code == 0, again.output
        assert "moves: the same" in again.output


def test_a_live_table_takes_no_decisions_of_others(api):
    for is_public, reason in (
        (True, "is a live table, which logs its own decisions"),
        (False, "there is no game"),  # nobody learns that there is a private table
    ):
        asked = {"seats": ["human"] * 4, "public": is_public}
        table_id = api.post("/api/tables", asked)[1]["table_id"]
        body = {"game_state": STATE, "ai_config": FAST, "game_id": table_id, "hand": 0}
        status, answer = api.post("/api/move", body)
        (warning,) = answer["warnings"]
        assert status == 200
        assert reason in warning
    assert logged(api) == 0


@pytest.fixture
def postgres_api(tmp_path: Path, postgres_server: PostgresServer) -> Iterator[Api]:
    compile_kernels()
    with application(tmp_path, database_url=postgres_server.new_database()) as app:
        yield Api(app)


def test_postgresql_may_stop_and_start_again_under_load(postgres_api, postgres_server):
    api, here = postgres_api, services(postgres_api.app)
    here.warm_up.problem = None
    game_id = new_game(api)
    body = {"game_state": STATE, "ai_config": FAST, "game_id": game_id}
    answers: list[dict[str, Any]] = []
    over = threading.Event()

    def ask() -> None:
        client = api.app.test_client()
        while not over.is_set():
            answer = client.post("/api/move", json=body)
            assert answer.status_code == 200, answer.text
            answers.append(answer.json)

    def more() -> None:
        """Wait until both threads have had answers to what they ask from now on."""
        before = len(answers)
        wait_until(lambda: len(answers) > before + 10)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        more()
        postgres_server.stop()
        try:
            more()
            wait_until(lambda: here.decisions.problem is not None)
            ready = api.client.get("/readyz")
            assert (ready.status_code, ready.json["status"]) == (200, "degraded")
            assert "the database does not answer" in ready.json["reasons"][0]
            refused = api.client.get(f"/api/games/{game_id}")
            assert (refused.status_code, refused.json["error_code"]) == (503, "NOT_READY")
            more()
        finally:
            postgres_server.run()
        wait_until(lambda: here.decisions.problem is None)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    wait_until(lambda: here.decisions.spool.size == 0)
    warned = [warning for answer in answers for warning in answer["warnings"]]
    assert len(warned) > 10
    assert all("is kept on disk for later" in warning for warning in warned)
    assert logged(api) == len(answers)
    assert api.client.get("/readyz").json == {"status": "ready"}

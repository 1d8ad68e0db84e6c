"""Games belong to the API key that created them: for other keys they do not exist."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from server.http.services import services
from server.runtime.errors import ApiKeyError
from server.storage.api_keys import adopt, create, revoke
from server.storage.idempotency import ScopedKey, remember_key
from server.storage.schema import DECISIONS, GAMES, IDEMPOTENCY_KEYS
from server.storage.values import Player, Seat
from tests.hearts.warmup import compile_kernels
from tests.server.api import FAST, SHORT
from tests.server.application import application
from tests.server.http.routes.people import Keyed, Person, keyed
from tests.server.http.routes.posting import EMPTY, posted
from tests.server.service import wait_until
from tests.server.storage.played import keep, sample_records, stored_decisions

STATE = {"player_hand": SHORT, "rules": 2465}


@pytest.fixture
def there(migrated_url: str, tmp_path: Path) -> Iterator[Keyed]:
    with keyed(tmp_path, database_url=migrated_url) as made:
        yield made


def dealt() -> dict[str, object]:
    """A game in progress: its four hands are dealt."""
    record = sample_records(1)[0].as_object()
    return {"record": record | {"plays": record["plays"][:9]}}


def is_missing(answer) -> bool:
    return (answer.status_code, answer.json["error_code"]) == (404, "NOT_FOUND")


def test_a_game_does_not_exist_for_another_key(there):
    game_id = there.ann.new_game(dealt())
    path = f"/api/games/{game_id}"
    event = posted(sample_records(1)[0])[14]
    for suffix in ("", "/export", "/review?simulations=20&worlds=2"):
        assert is_missing(there.bob.get(path + suffix)), suffix
    assert is_missing(there.bob.post(f"{path}/events", event))
    stranger, nobody = there.bob.get(path), there.bob.get("/api/games/nothere")
    assert stranger.text.replace(game_id, "nothere") == nobody.text
    assert there.bob.listed() == []
    assert there.ann.listed() == [game_id]
    assert there.ann.get(path).json["game"]["hands"][0]["record"]["dealt"]
    assert there.ann.post(f"{path}/events", event).status_code == 201
    assert there.ann.get(f"{path}/export").status_code == 200


def test_an_idempotency_key_belongs_to_an_api_key(there):
    same = {"Idempotency-Key": "first"}
    mine, yours = there.ann.new_game(EMPTY, **same), there.bob.new_game(EMPTY, **same)
    assert mine != yours
    assert there.ann.new_game(EMPTY, **same) == mine
    other = there.bob.post("/api/games", dealt(), **same)
    assert (other.status_code, other.json["error_code"]) == (409, "CONFLICT")
    with there.engine.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(IDEMPOTENCY_KEYS)) == 2


@pytest.mark.parametrize("path", ["/api/move", "/api/play-one"])
def test_a_decision_is_kept_for_the_owner_of_a_game_only(there, path):
    compile_kernels()
    body = {"game_state": STATE, "ai_config": FAST, "game_id": there.ann.new_game(EMPTY)}
    (warning,) = there.bob.post(path, body).json["warnings"]
    missing = f"there is no game {body['game_id']!r}"
    assert warning == f"game_id: {missing}: the decision is not kept"
    assert there.ann.post(path, body).json["warnings"] == []
    (again,) = there.bob.post(path, body).json["warnings"]  # also of a game that is known by now
    assert again == warning
    wait_until(lambda: stored_decisions(there.engine) == 1)


def test_a_private_table_takes_no_decisions_and_exists_for_its_owner_only(there):
    compile_kernels()
    table_id = keep(there.engine, sample_records(1), kind="table", private=True, owner_id=1)
    body = {"game_state": STATE, "ai_config": FAST, "game_id": table_id}
    (mine,) = there.ann.post("/api/move", body).json["warnings"]
    assert "is a live table, which logs its own decisions" in mine
    (yours,) = there.bob.post("/api/move", body).json["warnings"]
    assert yours == f"game_id: there is no game {table_id!r}: the decision is not kept"


def test_games_from_before_keys_are_nobodys(there):
    game_id = keep(there.engine, sample_records(1))
    for client in (there.ann, there.bob):
        assert is_missing(client.get(f"/api/games/{game_id}"))
        assert client.listed() == []


def test_a_service_without_keys_is_one_shared_space(migrated_url, tmp_path):
    with application(tmp_path, database_url=migrated_url) as app:
        one, other = Person(app), Person(app)
        game_id = one.new_game(dealt(), **{"Idempotency-Key": "first"})
        assert other.new_game(dealt(), **{"Idempotency-Key": "first"}) == game_id
        assert other.listed() == [game_id]
        assert other.get(f"/api/games/{game_id}").status_code == 200


def test_games_of_keys_stay_theirs_on_a_service_without_keys(migrated_url, tmp_path):
    with keyed(tmp_path, database_url=migrated_url) as there:
        game_id = there.ann.new_game(dealt())
    with application(tmp_path, database_url=migrated_url) as app:
        assert is_missing(Person(app).get(f"/api/games/{game_id}"))
        assert Person(app).listed() == []


def test_tables_are_public_unless_they_are_private(there):
    public = keep(there.engine, sample_records(1), kind="table")
    private = keep(there.engine, sample_records(1), kind="table", private=True)
    with there.engine.begin() as connection:
        connection.execute(update(GAMES).values(owner_id=1))  # ann's key
    assert there.ann.listed() == [private, public]
    assert there.bob.listed() == [public]
    for suffix in ("", "/export", "/review?simulations=20&worlds=2&hand=7"):
        assert is_missing(there.bob.get(f"/api/games/{private}{suffix}"))
    assert there.ann.get(f"/api/games/{private}").status_code == 200
    assert there.bob.get(f"/api/games/{public}").status_code == 200
    event = {"kind": "play", "player": 0, "card": "2C"}
    assert there.bob.post(f"/api/games/{public}/events", event).status_code == 409
    assert is_missing(there.bob.post(f"/api/games/{private}/events", event))


def test_pages_of_a_list_leave_nothing_out(there):
    ids = [(there.ann if i % 3 else there.bob).new_game(EMPTY) for i in range(9)]
    ids += [keep(there.engine, sample_records(1), kind="table") for _ in range(2)]
    mine = [each for i, each in enumerate(ids) if i % 3 or i >= 9]
    found, cursor = [], ""
    while cursor is not None:
        page = there.ann.get(f"/api/games?limit=2{cursor and f'&cursor={cursor}'}").json
        found += [game["game_id"] for game in page["games"]]
        cursor = page["next"]
    assert found == mine[::-1]


def test_spooled_decisions_of_earlier_versions_are_read(there, tmp_path):
    compile_kernels()
    game_id = there.ann.new_game(EMPTY)
    body = {"game_state": STATE, "ai_config": FAST, "game_id": game_id}
    assert there.ann.post("/api/move", body).json["warnings"] == []
    spool = next((tmp_path / "spool").iterdir())
    (spool / "decisions-old.jsonl").write_text(json.dumps(_old_entry(there, game_id)) + "\n")
    there.ann.post("/api/move", body)
    wait_until(lambda: stored_decisions(there.engine) == 3)


def _old_entry(there: Keyed, game_id: str) -> dict[str, object]:
    """A decision as version 0.1 spooled it, without an owner."""
    wait_until(lambda: stored_decisions(there.engine) == 1)
    with there.engine.connect() as connection:
        row = connection.execute(select(DECISIONS)).one()._asdict()
    del row["id"]
    at = row["created_at"].isoformat()
    return row | {"uid": "0" * 32, "of_table": False, "game_id": game_id, "created_at": at}


def test_statistics_of_posted_games_are_those_of_the_caller(there):
    people = [{"kind": "human", "name": "eve"}] * 3 + [{"kind": "engine", "name": "hard"}]
    there.ann.new_game({"record": sample_records(1)[0].as_object(), "players": people})
    mine = there.ann.get("/api/stats?posted=1").json["rows"]
    assert {row["name"]: (row["kind"], row["hands"]) for row in mine} == {
        "eve": ("client", 3),
        "hard": ("client", 1),
    }
    assert there.bob.get("/api/stats?posted=1").json["rows"] == []
    assert there.ann.get("/api/stats").json["rows"] == []


def test_statistics_name_nobody_at_a_private_table_of_another_key(there):
    people = tuple(Seat(Player("human", name)) for name in ("eve", "fay", "gus", "hal"))
    keep(there.engine, sample_records(1), kind="table", private=True, owner_id=1, seats=people)
    for query in ("", "?player=eve", "?group=level", "?group=config", "?group=level&player=eve"):
        assert there.bob.get(f"/api/stats{query}").json["rows"] == []
        assert there.ann.get(f"/api/stats{query}").json["rows"] != []


@pytest.mark.parametrize(("allow_open", "shown"), [(False, 4), (True, 0)])
def test_without_keys_private_tables_count_where_only_the_machine_can_ask(
    migrated_url, tmp_path, allow_open, shown
):
    people = tuple(Seat(Player("human", name)) for name in ("eve", "fay", "gus", "hal"))
    with application(tmp_path, database_url=migrated_url, allow_open=allow_open) as app:
        keep(services(app).engine, sample_records(1), kind="table", private=True, seats=people)
        assert len(app.test_client().get("/api/stats").json["rows"]) == shown


def test_games_without_an_owner_are_adopted(there):
    game_id = keep(there.engine, sample_records(1))
    with there.engine.begin() as connection:
        remember_key(connection, ScopedKey("first"), EMPTY, game_id)
    mine = there.bob.new_game(EMPTY)
    assert adopt(there.engine, "ann", dry_run=True) == 1
    assert there.ann.listed() == []
    assert adopt(there.engine, "ann") == 1
    assert there.ann.listed() == [game_id]
    assert there.ann.new_game(EMPTY, **{"Idempotency-Key": "first"}) == game_id
    assert there.bob.new_game(EMPTY, **{"Idempotency-Key": "first"}) not in (game_id, mine)
    revoke(there.engine, "bob")
    create(there.engine, "bob")  # his other key
    assert adopt(there.engine, "bob") == 0
    assert adopt(there.engine, "bob", revoked=True) == 2
    with pytest.raises(ApiKeyError, match="there is no valid key named 'eve'"):
        adopt(there.engine, "eve")

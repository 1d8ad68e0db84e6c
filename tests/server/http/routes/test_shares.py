"""Read-only links to games: explicit, for finished hands, and revocable."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from server.runtime.tokens import new_token, token_hash
from server.storage.access.shares import MOST
from server.storage.api_keys import revoke
from server.storage.schema import GAMES, SEATS, SHARES
from tests.hearts.warmup import compile_kernels
from tests.server.application import application
from tests.server.http.routes.people import Keyed, Person, keyed
from tests.server.http.routes.posting import EMPTY, posted
from tests.server.jobs.working import working
from tests.server.storage.played import keep, sample_records

QUICK = "level=easy&simulations=20&worlds=2"


@pytest.fixture
def there(migrated_url: str, tmp_path: Path) -> Iterator[Keyed]:
    with keyed(tmp_path, database_url=migrated_url) as made:
        yield made


def two_hands() -> dict[str, object]:
    """A match whose second hand is in play."""
    first, second = (record.as_object() for record in sample_records(2))
    return {"records": [first, second | {"plays": second["plays"][:9], "points": None}]}


def shared(client: Person, game_id: str, **headers: str) -> dict[str, str]:
    """The header of a new link."""
    answer = client.post(f"/api/games/{game_id}/shares", {}, **headers)
    assert answer.status_code == 201, answer.text
    token = answer.json["share_token"]
    assert answer.json["url"].endswith(f"/review#game={game_id}&share={token}")
    return {"X-Share-Token": token}


def test_a_link_shows_finished_hands_to_anybody(there):
    game_id = there.ann.new_game(two_hands())
    path, link = f"/api/games/{game_id}", shared(there.ann, game_id)
    for reader in (there.bob, there.visitor):
        shown = reader.get(path, **link)
        (hand,) = shown.json["game"]["hands"]
        assert hand["finished"] is True
        assert shown.json["game"]["hand_count"] == 1
        assert len(reader.get(f"{path}/export", **link).text.splitlines()) == 1
        assert reader.get(f"{path}/review?hand=1", **link).status_code == 404
    assert len(there.ann.get(path).json["game"]["hands"]) == 2
    etag = there.ann.get(path).headers["ETag"]
    assert there.bob.get(path, **link, **{"If-None-Match": etag}).status_code == 200


def test_a_link_does_not_show_that_a_hand_goes_on(there):
    _, second = sample_records(2)
    game_id = there.ann.new_game(two_hands())
    path, link = f"/api/games/{game_id}", shared(there.ann, game_id)
    before, mine = there.visitor.get(path, **link), there.ann.get(path)
    assert before.json["game"]["events"] < mine.json["game"]["events"]
    event = posted(second)[-43]  # the tenth card
    assert there.ann.post(f"{path}/events", event).status_code == 201
    assert there.ann.get(path).json["game"]["events"] == mine.json["game"]["events"] + 1
    after = there.visitor.get(path, **link)
    assert after.text == before.text
    assert after.headers["ETag"] == before.headers["ETag"]
    known = {"If-None-Match": before.headers["ETag"]}
    assert there.visitor.get(path, **link, **known).status_code == 304
    empty = there.ann.new_game(EMPTY)
    shown = there.visitor.get(f"/api/games/{empty}", **shared(there.ann, empty)).json["game"]
    assert (shown["events"], shown["updated_at"]) == (0, shown["created_at"])


def test_a_link_shows_reviews_of_finished_hands(tmp_path):
    compile_kernels()
    with keyed(tmp_path, request_seconds=600) as there, working(f"sqlite:///{tmp_path}/hearts.db"):
        game_id = there.ann.new_game(two_hands())
        path, link = f"/api/games/{game_id}/review?{QUICK}", shared(there.ann, game_id)
        (reviewed,) = there.visitor.get(path, **link).json["hands"]
        assert reviewed["number"] == 0
        assert [each["number"] for each in there.ann.get(path).json["hands"]] == [0, 1]


def test_a_link_shows_the_job_of_a_review_that_is_queued(tmp_path):
    with keyed(tmp_path, request_seconds=1) as there:  # nobody works
        game_id = there.ann.new_game(two_hands())
        link = shared(there.ann, game_id)
        queued = there.visitor.get(f"/api/games/{game_id}/review?{QUICK}", **link)
        assert queued.status_code == 202
        place = queued.headers["Location"]
        shown = there.visitor.get(place, **link)
        assert (shown.status_code, shown.json["job"]["status"]) == (200, "waiting")
        assert there.ann.get(place).status_code == 200
        assert there.visitor.get(place).status_code == 401
        assert there.bob.get(place).status_code == 404


def test_a_link_changes_nothing_and_opens_one_game(there):
    one, other = there.ann.new_game(two_hands()), there.ann.new_game(two_hands())
    link = shared(there.ann, one)
    event = {"kind": "play", "player": 0, "card": "2C"}
    for reader, status in ((there.bob, 404), (there.visitor, 401)):
        assert reader.post(f"/api/games/{one}/events", event, **link).status_code == status
        assert reader.post(f"/api/games/{one}/shares", {}, **link).status_code == status
        assert reader.delete(f"/api/games/{one}/shares", **link).status_code == status
        assert reader.get(f"/api/games/{other}", **link).status_code == 404
    assert there.visitor.get("/api/games", **link).status_code == 401
    public = keep(there.engine, sample_records(1), kind="table")
    assert there.visitor.get(f"/api/games/{public}", **link).status_code == 404
    assert there.visitor.get(f"/api/games/{one}").status_code == 401
    guess = {"X-Share-Token": new_token()}
    assert there.visitor.get(f"/api/games/{one}", **guess).status_code == 404


def test_a_visitor_with_a_link_sees_no_game_of_nobody(there):
    before = keep(there.engine, sample_records(1))
    link = shared(there.ann, there.ann.new_game(two_hands()))
    assert there.visitor.get(f"/api/games/{before}", **link).status_code == 404


def test_links_are_revoked_together(there):
    game_id = there.ann.new_game(two_hands())
    links = [shared(there.ann, game_id) for _ in range(2)]
    assert there.bob.delete(f"/api/games/{game_id}/shares").status_code == 404
    assert there.ann.delete(f"/api/games/{game_id}/shares").json["revoked"] == 2
    for link in links:
        assert there.visitor.get(f"/api/games/{game_id}", **link).status_code == 404
    assert there.ann.delete(f"/api/games/{game_id}/shares").json["revoked"] == 0


def test_only_hashes_of_some_links_are_stored(there):
    game_id = there.ann.new_game(two_hands())
    links = [shared(there.ann, game_id) for _ in range(MOST)]
    assert there.ann.post(f"/api/games/{game_id}/shares", {}).status_code == 409
    with there.engine.connect() as connection:
        stored = set(connection.scalars(select(SHARES.c.token_hash)))
    assert stored == {token_hash(link["X-Share-Token"]) for link in links}


def test_a_private_table_is_seen_by_its_players_its_owner_and_links(there):
    game_id = keep(there.engine, sample_records(1), kind="table", private=True)
    path, seat = f"/api/games/{game_id}", {"X-Seat-Token": new_token()}
    with there.engine.begin() as connection:
        hashed = token_hash(seat["X-Seat-Token"])
        connection.execute(update(SEATS).where(SEATS.c.seat == 2).values(token_hash=hashed))
    assert there.bob.get(path).status_code == 404
    assert there.bob.get(path, **{"X-Seat-Token": new_token()}).status_code == 404
    assert there.bob.get(path, **seat).status_code == 200
    assert there.bob.get(path, **shared(there.bob, game_id, **seat)).status_code == 200
    with there.engine.begin() as connection:
        connection.execute(update(GAMES).values(owner_id=1))  # ann's key
    assert there.bob.post(f"{path}/shares", {}, **seat).status_code == 403
    assert there.bob.get(path, **shared(there.ann, game_id)).status_code == 200


def test_a_private_table_of_a_service_without_keys(migrated_url, tmp_path):
    with application(tmp_path, database_url=migrated_url) as app:
        client = Person(app)
        engine = app.extensions["hearts"].engine
        game_id = keep(engine, sample_records(1), kind="table", private=True)
        public = keep(engine, sample_records(1), kind="table")
        assert client.get(f"/api/games/{game_id}").status_code == 404
        assert client.listed() == [public]
        assert client.post(f"/api/games/{game_id}/shares", {}).status_code == 404
        assert client.post(f"/api/games/{public}/shares", {}).status_code == 403
        own = client.new_game(two_hands())
        link = shared(client, own)
        assert client.get(f"/api/games/{own}", **link).json["game"]["hand_count"] == 2


PEOPLE = {"seats": ["human"] * 4}


def in_play(there: Keyed, **more: object) -> dict[str, Any]:
    """A private table of ann's in play."""
    made = there.ann.post("/api/tables", PEOPLE | more)
    assert made.status_code == 201, made.text
    return made.json


def test_a_link_to_finished_hands_does_not_show_live_play(there):
    table_id = in_play(there)["table_id"]
    link = shared(there.ann, table_id)
    for reader in (there.bob, there.visitor):
        assert reader.get(f"/api/games/{table_id}", **link).json["game"]["hands"] == []
        for path in (f"/api/tables/{table_id}", f"/api/tables/{table_id}/events"):
            answer = reader.get(path, **link)
            assert (answer.status_code, answer.json["message"]) == (404, "there is no such table")


def test_a_watch_token_shows_live_play(there):
    table = in_play(there, seat=None)
    path, watch = table["table_id"], {"X-Share-Token": table["watch_token"]}
    assert there.visitor.get(f"/api/tables/{path}", **watch).json["seat"] is None
    (hand,) = there.visitor.get(f"/api/games/{path}", **watch).json["game"]["hands"]
    assert (hand["finished"], hand["record"]) == (False, None)


def test_the_players_cannot_revoke_a_watch_token(migrated_url, tmp_path):
    with application(tmp_path, database_url=migrated_url) as app:
        client = Person(app)
        table = client.post("/api/tables", PEOPLE | {"seat": None}).json
        path = f"/api/tables/{table['table_id']}"
        joined = client.post(f"{path}/join", {"invitation": table["invitations"][0]}).json
        seat = {"X-Seat-Token": joined["token"]}
        shares = f"/api/games/{table['table_id']}/shares"
        for _ in range(MOST):
            shared(client, table["table_id"], **seat)
        assert client.post(shares, {}, **seat).status_code == 409
        assert client.delete(shares, **seat).json["revoked"] == MOST
        watch = {"X-Share-Token": table["watch_token"]}
        assert client.get(path, **watch).status_code == 200


def test_links_and_invitations_end_with_the_key(there):
    posted = there.ann.new_game(two_hands())
    table, other = in_play(there, seat=None), in_play(there)
    link = shared(there.ann, posted)
    kept = shared(there.bob, there.bob.new_game(two_hands()))
    watch = {"X-Share-Token": table["watch_token"]}
    invitation = {"invitation": table["invitations"][1]}
    revoke(there.engine, "ann")
    assert there.visitor.get(f"/api/games/{posted}", **link).status_code == 404
    assert there.visitor.get(f"/api/tables/{table['table_id']}", **watch).status_code == 404
    joined = there.visitor.post(f"/api/tables/{table['table_id']}/join", invitation)
    assert joined.status_code == 403
    # People who sit play on, and others keep their links.
    seat = {"X-Seat-Token": other["tokens"][0]}
    assert there.visitor.get(f"/api/tables/{other['table_id']}", **seat).status_code == 200
    assert there.bob.get(f"/api/games/{there.bob.listed()[0]}", **kept).status_code == 200

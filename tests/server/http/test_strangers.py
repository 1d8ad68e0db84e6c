"""Every endpoint against strangers: what belongs to one key shows itself to nobody else.

A new endpoint fails here until somebody has said what strangers get.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from sqlalchemy import Engine, func, select

from server.http.access.marks import is_stateless
from server.http.schemas import examples
from server.http.services import services
from server.storage.games import writing
from server.storage.jobs.queue import add_job
from server.storage.jobs.values import NewJob
from server.storage.schema import METADATA
from server.storage.values import Player, Seat
from tests.hearts.warmup import compile_kernels
from tests.server.application import application
from tests.server.http.routes.people import Keyed, Person, keyed
from tests.server.storage.played import keep, sample_records

SECRET = "Zaphod"  # a name in everything that is ann's
GUESS = {"X-Share-Token": "guess", "X-Seat-Token": "guess"}

# Of one resource, which does not exist for others: 404. Without a key 401, unless a token may open
# it: then a wrong one gets 404.
RESOURCES = {
    "games.show", "games.export", "games.add", "games.share", "games.unshare",
    "review.of_game", "review.one_job",
    "tables.look", "tables.follow", "tables.join",
    "tables.give", "tables.play", "tables.claim", "tables.deal_next",
}  # fmt: skip
# Of these, a key is needed for:
CHANGES = {"games.add", "games.share", "games.unshare"}
# Lists, and new things of the caller's own: they contain nothing of others, and need a key.
OWN = {
    "games.listing", "tables.listing", "stats.stats",
    "games.create", "tables.create", "review.of_record",
}  # fmt: skip
# They store nothing, and compute with what the request says.
STATELESS = {
    "moves.move", "moves.moves", "moves.play_one", "moves.legal", "passing.choose",
    "beliefs.beliefs", "analysis.analysis", "models.models", "ladder.ladder",
}  # fmt: skip
# They need no key, and are the same for everybody.
PUBLIC = {
    "health.health", "health.health_1", "health.ready", "pages.page", "pages.static", "docs.file",
    "api-docs.openapi_json", "api-docs.openapi_swagger_ui",
}  # fmt: skip
OPERATORS = {"metrics.metrics"}

BODIES: dict[str, Any] = {
    "moves.move": examples.MOVE,
    "moves.moves": examples.MOVES,
    "moves.play_one": examples.PLAY_ONE,
    "moves.legal": examples.LEGAL,
    "passing.choose": examples.PASS,
    "beliefs.beliefs": examples.BELIEFS,
    "analysis.analysis": examples.ANALYSIS,
    "games.add": examples.GAME_EVENT,
    "games.create": examples.GAME,
    "review.of_record": {},  # a complete one would wait for a worker
    "tables.join": examples.TABLE_JOIN,
    "tables.give": examples.TABLE_PASS,
    "tables.play": examples.TABLE_PLAY,
    "tables.create": {"seats": ["human"] * 4},  # bots would store their decisions meanwhile
}


@dataclass(frozen=True)
class World:
    """An application that requires keys, and what is ann's there, by the names in paths."""

    keyed: Keyed
    ids: dict[str, str]
    other_link: str  # of another game of hers

    def ask(self, person: Person, endpoint: str, **headers: str) -> list[Any]:
        """The answers of all methods of all routes of an endpoint about what is ann's."""
        rules = self.keyed.app.url_map.iter_rules(endpoint)
        return [
            person.app.test_client().open(
                re.sub(r"<(?:[^>]*:)?(\w+)>", lambda found: self.ids[found[1]], rule.rule),
                method=method,
                json=BODIES.get(endpoint, {}) if method == "POST" else None,
                headers=person.headers | headers,
            )
            for rule in rules
            for method in sorted(rule.methods - {"OPTIONS"})
        ]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    compile_kernels()
    with keyed(tmp_path_factory.mktemp("strangers")) as made:
        yield World(made, *_things_of_ann(made))


def _things_of_ann(made: Keyed) -> tuple[dict[str, str], str]:
    """A posted game in play, a private table, its result, and a job."""
    first, second = (record.as_object() for record in sample_records(2))
    records = [first, second | {"plays": second["plays"][:9], "points": None}]
    game = {"records": records, "source": SECRET, "players": [SECRET] * 4}
    game_id, other = made.ann.new_game(game), made.ann.new_game(game)
    seats = tuple(Seat(Player("human", SECRET)) for _ in range(4))
    keep(made.engine, sample_records(1), kind="table", private=True, owner_id=1, seats=seats)
    person = {"kind": "human", "name": SECRET}
    table = made.ann.post("/api/tables", {"seats": [person] * 4, "name": SECRET}).json
    job = NewJob("review", "review", {"game_id": game_id, "hand": 0}, owner_id=1)
    with writing(made.engine) as connection:
        add_job(connection, job)
    ids = {"game_id": game_id, "table_id": table["table_id"], "job_id": job.id}
    link = made.ann.post(f"/api/games/{other}/shares", {}).json["share_token"]
    return ids | {"digest": "x", "name": "swagger-ui.css"}, link


def statuses(answers: list[Any]) -> set[int]:
    """The statuses of answers, which must not contain anything of ann's."""
    assert not any(SECRET in answer.text for answer in answers)
    assert answers
    return {answer.status_code for answer in answers}


def test_every_endpoint_is_classified(world):
    groups = (RESOURCES, OWN, STATELESS, PUBLIC, OPERATORS)
    assert sum(map(len, groups)) == len(set().union(*groups))
    assert set(world.keyed.app.view_functions) == set().union(*groups)


def test_ann_sees_what_is_hers(world):
    for endpoint in ("games.show", "games.listing", "tables.look", "tables.listing", "stats.stats"):
        shown = world.ask(world.keyed.ann, endpoint)
        assert any(SECRET in answer.text for answer in shown), endpoint
    assert statuses(world.ask(world.keyed.ann, "review.one_job")) == {200}


@pytest.mark.parametrize("endpoint", sorted(RESOURCES))
def test_a_resource_does_not_exist_for_strangers(world, endpoint):
    bob, visitor = world.keyed.bob, world.keyed.visitor
    link = {"X-Share-Token": world.other_link}
    is_invited = endpoint == "tables.join"
    refused = {403} if is_invited else {404}  # 403 at a table that does not exist, too
    for headers in ({}, GUESS, link):
        assert statuses(world.ask(bob, endpoint, **headers)) == refused, headers
    assert statuses(world.ask(visitor, endpoint)) == (refused if is_invited else {401})
    for headers in (GUESS, link):
        expected = {401} if endpoint in CHANGES else refused
        assert statuses(world.ask(visitor, endpoint, **headers)) == expected


@pytest.mark.parametrize("endpoint", sorted(OWN))
def test_lists_and_new_things_contain_nothing_of_others(world, endpoint):
    found = statuses(world.ask(world.keyed.bob, endpoint, **GUESS))
    assert found <= {200, 201, 400 if endpoint == "review.of_record" else 200}
    for headers in ({}, GUESS, {"X-Share-Token": world.other_link}):
        assert statuses(world.ask(world.keyed.visitor, endpoint, **headers)) == {401}


def stored(engine: Engine) -> dict[str, int]:
    """How many rows every table has."""
    with engine.connect() as connection:
        return {
            table.name: connection.scalar(select(func.count()).select_from(table)) or 0
            for table in METADATA.sorted_tables
        }


@pytest.mark.parametrize("endpoint", sorted(STATELESS))
def test_stateless_endpoints_store_nothing(world, endpoint):
    engine, spool = world.keyed.engine, services(world.keyed.app).decisions.spool
    before = stored(engine), spool.size
    assert statuses(world.ask(world.keyed.bob, endpoint)) == {200}
    assert (stored(engine), spool.size) == before
    assert statuses(world.ask(world.keyed.visitor, endpoint, **GUESS)) == {401}


def test_endpoints_are_marked_as_stateless_where_they_are(world):
    app, marked = world.keyed.app, set()
    for rule in app.url_map.iter_rules():
        path = re.sub("<[^>]*>", "swagger-ui.css", rule.rule)
        for method in rule.methods - {"OPTIONS", "HEAD"}:
            with app.test_request_context(path, method=method):
                marked |= {rule.endpoint} if is_stateless() else set()
    assert marked == STATELESS | {each for each in PUBLIC if each.startswith("health.")}


@pytest.mark.parametrize("endpoint", sorted(PUBLIC))
def test_public_endpoints_are_the_same_for_everybody(world, endpoint):
    for person in (world.keyed.bob, world.keyed.visitor):
        assert statuses(world.ask(person, endpoint)) <= {200, 404, 503}


def test_metrics_are_for_operators(world):
    for person in (world.keyed.ann, world.keyed.visitor):
        assert statuses(world.ask(person, "metrics.metrics")) == {401}


def test_pages_of_other_origins_use_stateless_endpoints_only(world, tmp_path):
    page = {"Origin": "https://evil.example"}
    with application(tmp_path) as app:  # without keys
        here = replace(world, keyed=Keyed(app, Person(app), Person(app)))
        for endpoint in app.view_functions:
            expected = endpoint in STATELESS | PUBLIC
            for answer in here.ask(Person(app), endpoint, **page):
                assert (answer.status_code not in (401, 403)) == expected, endpoint
                assert ("Access-Control-Allow-Origin" in answer.headers) == expected, endpoint

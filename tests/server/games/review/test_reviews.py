"""Reviews and statistics over HTTP and on the command line, on both databases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from sqlalchemy import Engine, delete, func, select

from hearts.analysis.review import REVIEWING, review
from hearts.engine.levels import LEVELS
from server.cli import main
from server.games.review import reviewer as reviewing
from server.http.schemas.jobs import JobReply, PendingReply
from server.http.schemas.review import ReviewReply
from server.http.schemas.stats import StatsReply
from server.http.services import services
from server.jobs import game_reviews
from server.storage.games import append, create_game, writing
from server.storage.reviews import store_review, stored_reviews
from server.storage.schema import JOBS, REVIEWS
from server.storage.values import Player, Seat
from tests.server.api import Api
from tests.server.application import application
from tests.server.http.routes.people import keyed
from tests.server.jobs.working import working
from tests.server.service import wait_until
from tests.server.storage.played import a_game, events_of, keep, sample_records

FEW = {"simulations": 60, "worlds": 6}
QUICK = "level=easy&simulations=60&worlds=6"
CARD = re.compile(r"\b(?:[2-9JQKA]|10)[CDSH]\b|[♣♦♠♥]")
FIRST, SECOND = sample_records(2)


@pytest.fixture
def api(migrated_url: str, tmp_path: Path) -> Iterator[Api]:
    """An application on a database without a game, and a worker."""
    settings = {"database_url": migrated_url, "request_seconds": 600}
    with application(tmp_path, **settings) as app, working(migrated_url):
        yield Api(app)


@pytest.fixture
def engine(api: Api) -> Engine:
    return services(api.app).engine


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Api, str]]:
    """An application on SQLite with a worker, and the id of its only game: two hands."""
    folder = tmp_path_factory.mktemp("club")
    with application(folder, request_seconds=600) as app, working(f"sqlite:///{folder}/hearts.db"):
        yield Api(app), keep(services(app).engine, [FIRST, SECOND], target_score=100)


def get(api: Api, path: str, status: int = 200) -> dict[str, Any]:
    answer = api.client.get(path)
    assert answer.status_code == status, answer.text
    assert answer.is_json
    return answer.json


def reviews_in(engine: Engine) -> int:
    with engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(REVIEWS)) or 0


def forget_jobs(engine: Engine) -> int:
    """Delete the jobs of reviews; returns how many there were."""
    with writing(engine) as connection:
        reviews = JOBS.c.kind.in_(("review", "record-review"))
        return connection.execute(delete(JOBS).where(reviews)).rowcount


# Games that are kept


def test_the_hands_of_a_game_are_reviewed_once(api, engine):
    game = keep(engine, [FIRST, SECOND], target_score=100)
    path = f"/api/games/{game}/review?{QUICK}"
    answer = get(api, path)
    assert ReviewReply().validate(answer) == {}
    assert answer["players"] == ["ann", "bob", "cid", "dora"]
    assert [hand["number"] for hand in answer["hands"]] == [0, 1]
    config = replace(LEVELS["easy"], **FEW)
    for hand, record in zip(answer["hands"], (FIRST, SECOND), strict=True):
        assert hand == review(record, config).as_object() | {"number": hand["number"]}
    assert (reviews_in(engine), forget_jobs(engine)) == (2, 2)
    assert get(api, path)["hands"] == answer["hands"]
    one = get(api, f"{path}&hand=1&seat=2")["hands"]
    assert [hand["number"] for hand in one] == [1]
    assert {each["player"] for each in one[0]["decisions"]} == {2}
    assert list(one[0]["mistakes"]) == ["2"]
    assert forget_jobs(engine) == 0  # nobody searched again
    other = get(api, f"{path}&hand=0&seed=1")
    assert other["config"]["seed"] == 1
    assert other["hands"] != answer["hands"][:1]
    assert reviews_in(engine) == 3


def test_a_review_may_be_followed(api, engine):
    game = keep(engine, [FIRST, SECOND], target_score=100)
    path = f"/api/games/{game}/review?level=medium&simulations=50000"
    answer = api.client.get(f"{path}&seat=2&stream=1&mood=1")
    assert answer.content_type == "text/event-stream; charset=utf-8"
    told = events_in(answer.text)
    progress = [data for kind, data in told if kind == "progress"]
    assert {each["decisions"] for each in progress} == {56}
    for hand in (0, 1):
        done = [each["done"] for each in progress if each["hand"] == hand]
        assert done == sorted(set(done))
    plain = get(api, f"{path}&seat=2")
    assert [data for kind, data in told if kind == "hand"] == plain["hands"]
    (done,) = [data for kind, data in told if kind == "done"]
    assert told[-1][0] == "done"
    assert (done["complete"], done["players"]) == (True, plain["players"])
    assert done["warnings"] == ["mood: unknown, ignored"]
    assert get(api, f"/api/games/{game}/review?stream=2", 400)["message"].startswith("stream: ")


def events_in(text: str) -> list[tuple[str, Any]]:
    """The events of a stream."""
    found = re.findall(r"event: (\w+)\ndata: (.*)\n\n", text)
    return [(kind, json.loads(data)) for kind, data in found]


def test_a_review_that_fails_is_reported_without_a_card(api, engine, monkeypatch):
    """A search that cannot be made: three attempts, then the reason, and no fourth attempt."""
    game = keep(engine, [FIRST])
    monkeypatch.setattr(game_reviews, "config_fields", lambda config: {"belief": "OM-9"})
    path = f"/api/games/{game}/review?{QUICK}"
    answer = api.client.get(path)
    assert (answer.status_code, answer.json["error_code"]) == (500, "JOB_FAILED")
    assert re.fullmatch(r"job \w{32} failed: \w+ in \w+\.py, line \d+", answer.json["message"])
    assert int(answer.headers["Retry-After"]) > 10
    assert api.client.get(f"{path}&stream=1").json["message"] == answer.json["message"]
    ((kind, data),) = events_in(api.client.get(f"{path}&seed=2&stream=1").text)
    assert (kind, data["error_code"]) == ("error", "JOB_FAILED")
    found = get(api, f"/api/jobs/{answer.json['message'].split()[1]}")
    assert JobReply().validate(found) == {}
    assert (found["job"]["status"], found["job"]["attempts"]) == ("failed", 3)
    assert found["job"]["error"] in answer.json["message"]


def test_many_who_ask_for_the_same_review_wait_for_one_job(api, engine):
    game = keep(engine, [FIRST])
    path = f"/api/games/{game}/review?{QUICK}"
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: api.app.test_client().get(path), range(8)))
    assert {each.status_code for each in answers} == {200}
    assert all(each.json["hands"] == answers[0].json["hands"] for each in answers)
    assert forget_jobs(engine) == 1


@pytest.mark.parametrize(
    ("learned", "other", "levels"),
    [
        ("softmax_digest", lambda: "others", {"medium", "hard", "expert"}),
        ("shipped", lambda: SimpleNamespace(digest="another"), {"expert"}),
    ],
)
def test_what_was_learned_anew_makes_reviews_anew(monkeypatch, learned, other, levels):
    before = {level: reviewing.config_digest(config) for level, config in LEVELS.items()}
    monkeypatch.setattr(reviewing, learned, other)
    after = {level: reviewing.config_digest(config) for level, config in LEVELS.items()}
    assert {level for level in LEVELS if after[level] != before[level]} == levels


def test_whoever_keeps_a_review_second_finds_the_first(engine):
    game = keep(engine, [FIRST])
    for body in ({"a": 1}, {"a": 2}):
        with writing(engine) as connection:
            store_review(connection, game, 0, "d", body)
    with engine.connect() as connection:
        assert stored_reviews(connection, game, "d") == {0: {"a": 1}}
        assert stored_reviews(connection, game, "e") == {}


def test_a_hand_that_is_played_at_a_table_is_never_reviewed(api, engine):
    """Neither its review, nor its figure, nor the refusal shows a card."""
    game = a_game(FIRST.deal.rules, kind="table", target_score=100)
    path = f"/api/games/{game.id}/review"
    with writing(engine) as connection:
        create_game(connection, game)
        version = append(connection, game.id, 0, next(events_of(FIRST)))
    for query in ("", "?hand=0", "?plot=1", "?hand=0&plot=1&seat=2"):
        answer = get(api, path + query, 409)
        assert answer["error_code"] == "CONFLICT"
        assert "hidden" in answer["message"]
        assert not CARD.search(json.dumps(answer, ensure_ascii=False))
    with writing(engine) as connection:
        for event in list(events_of(FIRST))[1:]:
            version = append(connection, game.id, version, event)
        for event in list(events_of(SECOND, 1))[:40]:
            version = append(connection, game.id, version, event)
    answer = get(api, f"{path}?{QUICK}")
    assert [hand["number"] for hand in answer["hands"]] == [0]
    assert get(api, f"{path}?hand=1", 409)["message"].startswith("hand: 1 of table ")


def test_a_game_without_a_hand_has_nothing_to_review(api, engine):
    game = a_game(FIRST.deal.rules)
    with writing(engine) as connection:
        create_game(connection, game)
    answer = get(api, f"/api/games/{game.id}/review", 409)
    assert answer["message"] == f"game {game.id} has no hand yet"


def test_a_log_that_stops_early_is_reviewed_as_far_as_it_goes_and_not_kept(api, engine):
    game = a_game(FIRST.deal.rules)
    with writing(engine) as connection:
        create_game(connection, game)
        for version, event in enumerate(list(events_of(FIRST))[:20]):
            append(connection, game.id, version, event)
    (hand,) = get(api, f"/api/games/{game.id}/review?{QUICK}")["hands"]
    assert len(hand["decisions"]) == 19
    assert reviews_in(engine) == 0


@pytest.mark.parametrize(
    ("path", "status", "code", "message"),
    [
        ("nothing/review", 404, "NOT_FOUND", "there is no game 'nothing'"),
        ("%20%00/review", 404, "NOT_FOUND", "there is no game "),
        ("{game}/review?hand=5", 404, "NOT_FOUND", "hand: game {game} has no hand 5"),
        ("{game}/review?hand=x", 400, "PARSE_ERROR", "hand: "),
        ("{game}/review?seat=4", 400, "PARSE_ERROR", "seat: must be 0 to 3"),
        ("{game}/review?plot=2", 400, "PARSE_ERROR", "plot: must be 0 or 1"),
        ("{game}/review?plot=1", 400, "PARSE_ERROR", "hand: a figure shows one hand: choose one"),
        ("{game}/review?level=wise", 400, "AI_CONFIG_ERROR", "level: 'wise' is unknown"),
        ("{game}/review?simulations=2000000", 400, "AI_CONFIG_ERROR", "simulations: 2000000 is"),
    ],
)
def test_what_cannot_be_reviewed(club, path, status, code, message):
    api, game = club
    answer = get(api, "/api/games/" + path.format(game=game), status)
    assert answer["error_code"] == code
    assert answer["message"].startswith(message.format(game=game))


def test_a_review_that_takes_longer_than_a_request(migrated_url, tmp_path):
    """202 with the job, which the client may look at; then 200."""
    with application(tmp_path, database_url=migrated_url, request_seconds=1) as app:
        api = Api(app)
        game = keep(services(app).engine, [FIRST])
        path = f"/api/games/{game}/review?{QUICK}"
        answer = api.client.get(path)  # nobody works yet
        assert answer.status_code == 202
        assert PendingReply().validate(answer.json) == {}
        (job,) = answer.json["jobs"]
        assert (job["kind"], job["status"], job["error"]) == ("review", "waiting", None)
        assert answer.headers["Location"] == f"/api/jobs/{job['id']}"
        assert answer.headers["Retry-After"] == "1"
        found = api.client.get(answer.headers["Location"])
        assert JobReply().validate(found.json) == {}
        assert (found.json["job"], found.headers["Retry-After"]) == (job, "1")
        streamed = events_in(api.client.get(f"{path}&stream=1").text)
        assert [kind for kind, _ in streamed] == ["done"]
        assert streamed[0][1]["complete"] is False
        assert streamed[0][1]["warnings"] == ["the review is not finished yet: ask again"]
        with working(migrated_url):
            wait_until(lambda: api.client.get(path).status_code == 200)
        found = get(api, f"/api/jobs/{job['id']}")["job"]
        assert (found["status"], found["attempts"]) == ("done", 1)
        assert forget_jobs(services(app).engine) == 1


def test_a_job_is_shown_to_its_owner_and_to_those_who_see_its_game(migrated_url, tmp_path):
    settings = {"database_url": migrated_url, "request_seconds": 1}
    with keyed(tmp_path, **settings) as there:
        engine = services(there.app).engine
        secret = there.ann.new_game({"record": FIRST.as_object()})
        public = keep(engine, [FIRST], kind="table")
        for game, seen_by_bob in ((secret, 404), (public, 200)):
            answer = there.ann.get(f"/api/games/{game}/review?{QUICK}")
            assert answer.status_code == 202
            job = answer.headers["Location"]
            assert there.ann.get(job).status_code == 200
            assert there.bob.get(job).status_code == seen_by_bob
        sent = {"record": FIRST.as_object(), "ai_config": FEW}
        jobs = {who.post("/api/review", sent).headers["Location"] for who in (there.ann, there.bob)}
        assert len(jobs) == 2  # nobody gets the result of another's record
        assert sorted(there.ann.get(job).status_code for job in jobs) == [200, 404]


def test_a_job_that_does_not_exist(club):
    for job in ("0" * 32, "nothing", "%00"):
        assert get(club[0], f"/api/jobs/{job}", 404)["error_code"] == "NOT_FOUND"


# Records that are sent


def test_a_record_is_reviewed_without_being_kept(club):
    api = club[0]
    options = {"level": "easy", **FEW}
    body = {"record": FIRST.as_object() | {"mood": 1}, "ai_config": options, "why": 1}
    status, answer = api.post("/api/review", body)
    assert status == 200
    assert ReviewReply().validate(answer) == {}
    config = replace(LEVELS["easy"], **FEW)
    assert answer["hands"] == [review(FIRST, config).as_object() | {"number": 0}]
    unknown = {"why: unknown, ignored", "record.mood: unknown, ignored"}
    assert unknown <= set(answer["warnings"])
    assert reviews_in(services(api.app).engine) == 0


def test_a_record_that_cannot_be_is_refused_in_its_place(club):
    api = club[0]
    wrong = FIRST.as_object()
    wrong["plays"][3]["card"] = "2C"
    status, answer = api.post("/api/review", {"record": wrong})
    assert (status, answer["error_code"]) == (400, "INVALID_GAME_STATE")
    assert answer["message"].startswith("record.plays[3]: seat ")
    assert api.post("/api/review", {})[1]["message"].startswith("record: ")


def test_chances_are_drawn_and_the_same_every_time(club):
    api, game = club
    drawn = [api.client.get(f"/api/games/{game}/review?plot=1&hand=0") for _ in range(2)]
    drawn.append(api.send("/api/review?plot=1", {"record": FIRST.as_object()}))
    assert {each.content_type for each in drawn} == {"image/svg+xml"}
    assert drawn[0].data == drawn[1].data
    for each in drawn:
        root = ElementTree.fromstring(each.data)
        text = " ".join(root.itertext())
        assert "chance to take ♠Q (%)" in text
    empty = {**FIRST.as_object(), "id": "$\\odd{ _\x00\ud800", "passed": [], "plays": []}
    bare = api.send("/api/review?plot=1", {"record": empty})
    assert "$\\odd{ _" in " ".join(ElementTree.fromstring(bare.data).itertext())
    assert "seat 3 (dora)" in drawn[0].text  # since two may have the same name
    assert "seat 3" in drawn[2].text


# Statistics


def test_statistics_are_shown_by_group(api, engine):
    bot = Player("engine", "bot", "hard", {"belief": "OM-1", "worlds": 9})
    seats = tuple(map(Seat, (bot, bot, Player("human", "ann"), bot)))
    for record in (FIRST, SECOND):
        keep(engine, [record], seats=seats, source="club", kind="table")
    for group, labels in {
        "player": ["bot", "ann"],
        "level": ["hard", "human"],
        "config": ["worlds=9", "human"],
    }.items():
        answer = get(api, f"/api/stats?group={group}")
        assert StatsReply().validate(answer) == {}
        assert [row["label"] for row in answer["rows"]] == labels
        assert [row["hands"] for row in answer["rows"]] == [6, 2]
    assert get(api, "/api/stats?limit=1")["rows"] == get(api, "/api/stats?player=bot")["rows"]
    assert get(api, "/api/stats?source=elsewhere")["rows"] == []
    assert get(api, "/api/stats?since=2100-01-01")["rows"] == []
    assert len(get(api, "/api/stats?until=2100-01-01T00:00:00Z&against=hard")["rows"]) == 2
    api.post("/api/games", {"record": FIRST.as_object(), "players": ["zoe"] * 4, "source": "x"})
    assert "zoe" not in api.client.get("/api/stats?limit=1000").text
    (own,) = get(api, "/api/stats?posted=1&source=x")["rows"]
    assert (own["label"], own["kind"], own["hands"]) == ("zoe", "client", 4)
    drawn = api.client.get("/api/stats?plot=1")
    assert drawn.content_type == "image/svg+xml"
    assert "ann" in " ".join(ElementTree.fromstring(drawn.data).itertext())


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("group=age", "group: must be player, level or config"),
        ("since=soon", "since: must be a time such as"),
        ("source=%00", "source: has characters that cannot be shown"),
        ("limit=0", "limit: must be 1 to 1000"),
    ],
)
def test_statistics_that_cannot_be(club, query, message):
    api = club[0]
    answer = get(api, f"/api/stats?{query}", 400)
    assert answer["error_code"] == "PARSE_ERROR"
    assert answer["message"].startswith(message)


# The command line


def run(*arguments: str, url: str = "") -> tuple[int, str]:
    done = CliRunner().invoke(main, arguments, env={"HEARTS_DATABASE_URL": url or None})
    return done.exit_code, done.output


def test_a_file_is_reviewed_for_people_and_for_programs(tmp_path):
    path = tmp_path / "hands.jsonl"
    path.write_text("".join(json.dumps(each.as_object()) + "\n" for each in (FIRST, SECOND)))
    options = ("--simulations", "60", "--worlds", "6")
    plot = tmp_path / "chances.svg"
    code, told = run("review", str(path), "--hand", "1", "--plot", str(plot), *options)
    assert code == 0
    assert told.startswith(f"hand 1, points {' '.join(map(str, SECOND.points or ()))}\n")
    assert told.count(": decisions cost ") == 4
    assert re.search(r"^    (pass|trick \d+) +.* cost \d", told, re.MULTILINE)
    assert ElementTree.parse(plot).getroot().tag.endswith("svg")
    code, told = run("review", str(path), "--json", "--seat", "3", *options)
    found = json.loads(told)
    assert [hand["number"] for hand in found["hands"]] == [0, 1]
    wanted = review(FIRST, replace(REVIEWING, **FEW), seats=[3]).as_object()
    assert found["hands"][0] == wanted | {"number": 0}
    assert run("review", str(path), "--hand", "2")[1] == f"Error: {path} has no hand 2\n"
    assert "--plot draws one hand" in run("review", str(path), "--plot", str(plot))[1]
    path.write_text("{}\n")
    assert "line 1: rules: " in run("review", str(path))[1]


def test_a_file_says_who_sat_where_as_far_as_it_knows(tmp_path):
    path = tmp_path / "hand.jsonl"
    players = ["ann", {"kind": "engine", "name": "hard", "config": {"worlds": 9}}, "ann", "dora"]
    given = FIRST.as_object() | {"plays": [], "points": None, "passed": [[]] * 4}
    for extra, labels in (
        ({"players": players}, ["seat 0 (ann)", "seat 1 (hard)", "seat 2 (ann)", "seat 3 (dora)"]),
        ({"players": [1, 2, 3, 4]}, ["seat 0", "seat 1", "seat 2", "seat 3"]),
        ({}, ["seat 0", "seat 1", "seat 2", "seat 3"]),
    ):
        bare = {key: value for key, value in given.items() if key != "players"}
        path.write_text(json.dumps(bare | extra))
        code, told = run("review", str(path))
        assert code == 0
        assert re.findall(r"^  (.*): decisions cost", told, re.MULTILINE) == labels


def test_games_and_statistics_of_the_database_on_the_command_line(api, engine, migrated_url):
    engine_seat = Player("engine", "bot", "hard", {"belief": "OM-1"})
    seats = tuple(map(Seat, (engine_seat, *(Player("human", n) for n in "abc"))))
    game = keep(engine, [FIRST], seats=seats, kind="table")
    options = ("--simulations", "60", "--worlds", "6")
    code, told = run("review", game, *options, url=migrated_url)
    assert code == 0
    assert "  seat 0 (bot): decisions cost " in told
    code, told = run("review", "nothing", url=migrated_url)
    assert (code, told) == (1, "Error: there is no game 'nothing'\n")
    assert run("review", "no.jsonl", url=migrated_url) == (1, "Error: there is no file no.jsonl\n")
    code, told = run("stats", url=migrated_url)
    assert code == 0
    assert [line.split()[:2] for line in told.splitlines()[1:]] == [
        ["a", "1"], ["b", "1"], ["bot", "1"], ["c", "1"],
    ]  # fmt: skip
    code, told = run("stats", "--group", "level", "--json", url=migrated_url)
    lines = json.loads(told)["rows"]
    assert [row["label"] for row in lines] == ["human", "hard"]
    assert lines[1]["belief_log_loss"] > 0.3

"""Nothing is lost, shown or stuck while instances are killed and the database restarts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random

import pytest

from hearts.client import HeartsClient
from hearts.game.cards import parse_cards
from server.tables.fairness import commitment
from tests.cluster.players import (
    Crowd,
    Moment,
    Person,
    leaks,
    lost_moves,
    seat_people,
    wrong_plays,
)
from tests.cluster.processes import Cluster, running_cluster
from tests.server.storage.played import sample_records

QUICK_REVIEW = {"simulations": 20, "worlds": 2}
SECONDS = 240  # after which a table that has not come to an end is stuck


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The set-up of compose.yaml from Debian's packages."""
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


def deals_that_do_not_verify(person: Person) -> list[str]:
    """Finished hands whose deal is not the one that was published before its first card."""
    wrong = []
    for number, hand in person.finished.items():
        opening = hand["opening"]
        dealt = tuple(parse_cards(cards) for cards in opening["dealt"])
        made = commitment(person.table_id, number, dealt, opening["nonce"])
        if made != hand["commitment"] or person.commitments.get(number, made) != made:
            wrong.append(f"{person.table_id} hand {number}")
    return wrong


def check(crowd: Crowd) -> None:
    """Everybody finished; nothing was lost or shown, and every deal verifies."""
    assert crowd.stuck == []
    assert crowd.errors == []
    for faults in (lost_moves, wrong_plays, leaks, deals_that_do_not_verify):
        assert [fault for person in crowd.people for fault in faults(person)] == []
    assert all(len(person.moves) >= 13 for person in crowd.people)  # a whole hand at least


def test_the_checks_find_what_they_look_for():
    """A hidden card in an answer, a play that was shown and lost, a pass that came too early."""
    record = sample_records(1)[0].as_object()
    plays = tuple((each["player"], each["card"]) for each in record["plays"])
    person = Person("table", "token", finished={0: {"record": record}})
    after_two = Moment(0, True, plays[:2])
    person.shown = {after_two: {*record["dealt"][0], plays[0][1], plays[1][1]}}
    assert leaks(person) == wrong_plays(person) == []
    person.shown[after_two].add(next(card for seat, card in plays[2:] if seat != 0))
    assert len(leaks(person)) == 1
    person.shown = {Moment(0, True, (plays[1], plays[0])): set()}
    assert len(wrong_plays(person)) == 1
    person.moves = [(0, "2C 3C 4C")]
    assert len(lost_moves(person)) == 1


def kill_in_turn(cluster: Cluster, pause: float) -> None:
    """Kill every instance and start it again, one after the other."""
    for instance in cluster.instances:
        time.sleep(pause)
        instance.kill()
        time.sleep(1.0)
        instance.restart()
        instance.service.wait_until_ready()


def kill_at_random(cluster: Cluster, kills: int, rng: Random) -> None:
    """Kill random instances; each is started again at once."""
    for _ in range(kills):
        time.sleep(rng.uniform(0.2, 1.5))
        instance = rng.choice(cluster.instances)
        instance.kill()
        instance.restart()
        instance.service.wait_until_ready()


def test_an_instance_is_killed_and_the_database_restarts(cluster: Cluster) -> None:
    crowd = Crowd(cluster.url, seat_people(cluster.url, tables=8))

    def disturb() -> None:
        time.sleep(1.0)
        cluster.instances[0].kill()
        time.sleep(1.0)
        cluster.restart_database()
        cluster.instances[0].restart()

    crowd.play_while(disturb, SECONDS)
    check(crowd)
    cluster.wait_until_ready()
    with HeartsClient(cluster.url, timeout=60, patience=120) as client:
        review = client.review_game(crowd.people[0].table_id, hand=0, **QUICK_REVIEW)
    assert review["hands"][0]["complete"]  # `hearts worker` has made it
    assert cluster.limits.keys() > 0  # rates are counted in Redis


@pytest.mark.thorough
def test_two_hundred_tables(cluster: Cluster) -> None:
    crowd = Crowd(cluster.url, seat_people(cluster.url, tables=200))

    def disturb() -> None:
        kill_in_turn(cluster, pause=5.0)
        cluster.restart_database(seconds=2.0)
        kill_in_turn(cluster, pause=5.0)

    crowd.play_while(disturb, SECONDS)
    check(crowd)


@pytest.mark.thorough
def test_twenty_random_kills(cluster: Cluster) -> None:
    crowd = Crowd(cluster.url, seat_people(cluster.url, tables=24))
    crowd.play_while(lambda: kill_at_random(cluster, 20, Random(18)), SECONDS)
    check(crowd)
    # Only without a database does an instance show what it last knew of a table.
    assert [person.table_id for person in crowd.people if person.stale] == []

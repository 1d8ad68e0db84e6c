"""Slots: how many search, how many wait, and what a deadline does."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.game.cards import parse_cards
from hearts.game.trick import Trick
from hearts.views.view import View
from server.http.batch import answers
from server.runtime import peer
from server.runtime.errors import Busy
from server.search import admission
from server.search.admission import CLIENT_GONE, Slots
from tests.server.application import application
from tests.server.search.children import in_child, kill
from tests.server.service import AT_ONCE

VIEW = View(0, parse_cards("3C 9C 8D KD 4S QS 2H 7H 9H"), Trick(0), hearts_broken=True)


def test_the_queue_is_bounded_and_first_come_first_served():
    slots, order, release = Slots(1, 2, 10), [], threading.Event()

    def search(number: int) -> None:
        with slots.taken():
            order.append(number)
            release.wait(5)

    with ThreadPoolExecutor(3) as pool:
        for number in range(3):
            pool.submit(search, number)
            while len(slots.running) + slots.waiting < number + 1:
                time.sleep(0.005)
        with pytest.raises(Busy) as caught, slots.taken():
            pass
        release.set()
    assert caught.value.retry_after == 1
    assert order == [0, 1, 2]
    assert (len(slots.running), slots.waiting) == (0, 0)


def test_nobody_overtakes_who_waits_and_a_slot_given_back_is_not_lost():
    """A request that arrives while a slot is released queues behind those that wait."""
    slots, order = Slots(1, 1, 10), []

    def search(name: str) -> None:
        with slots.taken():
            order.append(name)

    with ThreadPoolExecutor(1) as pool:
        with slots.taken():
            waiter = pool.submit(search, "waiter")
            while not slots.waiting:
                time.sleep(0.005)
        search("newcomer")  # at once: the waiter may not have woken yet
        waiter.result(5)
    assert order == ["waiter", "newcomer"]


def test_refusals_are_counted():
    refused = []
    slots = Slots(1, 0, 1, lambda: refused.append(1))
    with slots.taken(), pytest.raises(Busy), slots.taken():
        pass
    assert refused == [1]


def test_waiting_longer_than_the_deadline_is_busy_too():
    slots = Slots(1, 1, 0.2)
    with slots.taken():
        begun = time.monotonic()
        with pytest.raises(Busy, match=r"none became free in 0\.2 s"), slots.taken():
            pass
        assert 0.15 < time.monotonic() - begun < AT_ONCE
        assert slots.waiting == 0


def test_a_slot_says_how_many_cores_are_free():
    slots = Slots(3, 0, 1)
    with slots.taken() as first, slots.taken() as second, slots.taken() as third:
        assert (first.threads, second.threads, third.threads) == (3, 2, 1)


def entered(slots: Slots, **how: bool) -> threading.Event:
    """Take a slot in another thread until the event is set."""
    release, inside = threading.Event(), threading.Event()

    def hold() -> None:
        with slots.taken(**how):
            inside.set()
            release.wait(60)

    threading.Thread(target=hold, daemon=True).start()
    release.inside = inside  # type: ignore[attr-defined]
    return release


def test_a_request_never_waits_for_a_background_search():
    slots = Slots(2, 0, 5)
    bots = slots.taken(background=True), slots.taken(background=True)
    with bots[0], bots[1], slots.taken() as one, slots.taken() as two:
        assert (one.threads, two.threads) == (2, 1)  # as if no bot searched
        with pytest.raises(Busy), slots.taken():
            pass


def test_a_background_search_waits_for_requests_but_not_for_ever(monkeypatch):
    monkeypatch.setattr(admission, "STARVED", 0.3)
    slots = Slots(1, 4, 60)
    request = entered(slots)
    assert request.inside.wait(60)
    begun = time.monotonic()
    bots = [entered(slots, background=True)]
    while not slots._background:
        time.sleep(0.005)
    bots += [entered(slots, background=True)]
    assert bots[0].inside.wait(60)  # beside the request, which still runs
    assert time.monotonic() - begun > 0.3
    time.sleep(0.5)
    assert not bots[1].inside.is_set()  # one at a time
    assert slots.waiting == 0
    bots[0].set()
    assert bots[1].inside.wait(60)
    for each in (request, *bots):
        each.set()


def test_a_released_slot_goes_to_a_request_before_a_bot_that_came_first():
    slots, order = Slots(1, 1, 60), []

    def search(name: str, **how: bool) -> None:
        with slots.taken(**how):
            order.append(name)

    with ThreadPoolExecutor(2) as pool, slots.taken():
        pool.submit(search, "bot", background=True)
        while not slots._background:
            time.sleep(0.005)
        pool.submit(search, "request")
        while not slots.waiting:
            time.sleep(0.005)
    assert order == ["request", "bot"]


def test_a_process_that_is_killed_in_a_search_of_a_bot_stops_no_bot():
    slots = Slots(1, 0, 60)
    kill(in_child(slots.taken(background=True).__enter__))
    bot = entered(slots, background=True)
    assert bot.inside.wait(10)
    bot.set()


def test_a_slot_that_a_request_of_another_process_waits_for_is_not_a_bots(monkeypatch):
    monkeypatch.setattr(admission, "STARVED", 3600)
    slots = Slots(1, 0, 60)
    child = in_child(lambda: slots._requests.set_waiters(1))
    bot = entered(slots, background=True)
    assert not bot.inside.wait(0.5)
    kill(child)
    slots.forget(child)  # as gunicorn's master does
    assert bot.inside.wait(10)
    bot.set()


def test_a_client_that_hangs_up_leaves_the_queue_and_is_no_refusal():
    refused = []
    slots = Slots(1, 1, 60, lambda: refused.append(1))
    client = peer.Peer()

    def wait() -> None:
        peer.serve(client)
        with slots.taken():
            pass

    with ThreadPoolExecutor(1) as pool, slots.taken():
        waiter = pool.submit(wait)
        while not slots.waiting:
            time.sleep(0.005)
        client.gone = True
        with pytest.raises(Busy, match=CLIENT_GONE):
            waiter.result(10)
    assert (refused, slots.waiting) == ([], 0)


def test_a_batch_ends_when_its_client_hangs_up():
    client, asked = peer.Peer(), []

    def answer(_state: object, _path: object) -> dict[str, object]:
        asked.append(1)
        client.gone = len(asked) == 3
        return {}

    def work() -> list[dict[str, object]]:
        peer.serve(client)
        return answers([{"player_hand": ["5H"]}] * 256, answer, 60)

    with ThreadPoolExecutor(1) as pool:  # a thread has a peer of its own
        results = pool.submit(work).result()
    assert len(asked) == 3
    assert [each["http_status"] for each in results] == [200] * 3 + [503] * 253


def test_an_error_gives_the_slot_back():
    slots = Slots(1, 0, 1)
    with pytest.raises(ZeroDivisionError), slots.taken():
        raise ZeroDivisionError
    with slots.taken():
        pass


@pytest.mark.parametrize("algorithm", ["pimc", "ismcts"])
def test_a_deadline_ends_a_search_with_what_it_has(algorithm):
    decide(VIEW, SearchConfig(algorithm=algorithm, simulations=10))  # compiled, if it was not
    slots, config = Slots(1, 0, 0.3), SearchConfig(algorithm=algorithm, simulations=1_000_000)
    with slots.taken() as slot:
        decision = decide(VIEW, config, stop=slot.stop)
    # A quick machine may be done before; a slow one is stopped soon after the deadline.
    assert 0 < decision.simulations <= 1_000_000
    assert bool(slot.stop[0]) == (decision.simulations < 1_000_000)


def test_a_request_that_meets_its_deadline_says_so(tmp_path):
    state = {"player_hand": "3C 9C 8D KD 4S QS 2H 7H 9H".split()}  # noqa: SIM905  # as cards are written
    body = {"game_state": state, "ai_config": {"time_ms": 10_000}}
    many = {"states": [state] * 64, "ai_config": {"time_ms": 300}}
    with application(tmp_path, request_seconds=1) as app:
        begun = time.monotonic()
        answer = app.test_client().post("/api/move", json=body).json
        assert time.monotonic() - begun < AT_ONCE
        analysis = app.test_client().post("/api/analysis", json=many).json
    assert answer["status"] == "success"
    assert answer["warnings"] == ["the deadline of 1 s ended the search early"]
    assert analysis["complete"] is False
    assert 1 <= len(analysis["decisions"]) < 64


def test_searches_in_threads_at_the_same_time_do_not_disturb_each_other():
    config = SearchConfig(simulations=2_000, worlds=8, threads=2, seed=3)
    alone = decide(VIEW, config).cards
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: decide(VIEW, config).cards, range(18)))
    assert all(cards == alone for cards in found)

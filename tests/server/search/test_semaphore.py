"""The semaphore that processes share."""

import os
import time

from server.search.semaphore import SharedSemaphore
from tests.server.search.children import in_child, kill
from tests.server.service import wait_until


def test_each_unit_is_acquired_once():
    semaphore = SharedSemaphore(3)
    first = [semaphore.acquire() for _ in range(4)]
    assert sorted(first[:3]) == [0, 1, 2]
    assert (first[3], semaphore.acquired) == (None, 3)
    semaphore.release(1)
    assert (semaphore.acquire(), semaphore.acquire()) == (1, None)


def test_the_units_of_a_killed_process_are_free_again():
    semaphore = SharedSemaphore(3)
    own = semaphore.acquire()
    child = in_child(lambda: (semaphore.acquire(), semaphore.acquire()))
    assert (semaphore.acquire(), semaphore.acquired) == (None, 3)
    kill(child)
    assert semaphore.acquired == 1
    assert sorted([own, semaphore.acquire(), semaphore.acquire()]) == [0, 1, 2]


def test_who_looks_takes_no_unit_from_a_process_that_lives():
    semaphore = SharedSemaphore(1)
    child = in_child(semaphore.acquire)
    assert [semaphore.acquired for _ in range(3)] == [1, 1, 1]
    assert semaphore.acquire() is None
    kill(child)


def test_waiters_of_other_processes_are_known_until_these_are_forgotten():
    semaphore = SharedSemaphore(1)
    semaphore.set_waiters(1)
    assert (semaphore.waiters, semaphore.others_wait) == (1, False)
    child = in_child(lambda: semaphore.set_waiters(2))
    assert (semaphore.waiters, semaphore.others_wait) == (3, True)
    kill(child)
    semaphore.forget(child)
    assert (semaphore.waiters, semaphore.others_wait) == (1, False)


def test_a_unit_that_is_released_wakes_a_process_up():
    semaphore = SharedSemaphore(1)
    first = semaphore.acquire()

    def wait() -> None:
        while semaphore.acquire() is None:
            semaphore.wait()

    child = os.fork()
    if child == 0:
        semaphore._own.clear()
        wait()
        os._exit(0)
    time.sleep(0.3)
    assert os.waitpid(child, os.WNOHANG) == (0, 0)
    semaphore.release(first)
    wait_until(lambda: os.waitpid(child, os.WNOHANG) != (0, 0), 10)


def test_wake_ups_that_nobody_needs_do_not_add_up():
    semaphore = SharedSemaphore(2)
    for _ in range(100):
        semaphore.wake_up()
    begun = time.monotonic()
    for _ in range(3):
        semaphore.wait()
    assert time.monotonic() - begun >= 0.05  # two wake-ups, then a wait

"""Tokens that processes share."""

import os
import signal
import time

from server.search.tokens import Tokens
from tests.server.service import wait_until


def in_child(work) -> int:
    """The process id of a child that has done some work and sleeps."""
    done, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        work()
        os.write(tell, b"!")
        time.sleep(60)
        os._exit(0)
    os.read(done, 1)
    for end in (done, tell):
        os.close(end)
    return pid


def end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_each_token_is_taken_once():
    tokens = Tokens(3)
    first = [tokens.take() for _ in range(4)]
    assert sorted(first[:3]) == [0, 1, 2]
    assert (first[3], tokens.taken) == (None, 3)
    tokens.give_back(1)
    assert (tokens.take(), tokens.take()) == (1, None)


def test_the_tokens_of_a_killed_process_are_free_again():
    tokens = Tokens(2)
    child = in_child(lambda: (tokens.take(), tokens.take()))
    assert (tokens.take(), tokens.taken) == (None, 2)
    end(child)
    assert sorted([tokens.take(), tokens.take()]) == [0, 1]


def test_a_token_that_is_given_back_wakes_a_process_up():
    tokens = Tokens(1)
    first = tokens.take()

    def wait() -> None:
        while tokens.take() is None:
            tokens.nap()

    child = os.fork()
    if child == 0:
        tokens._mine.clear()
        wait()
        os._exit(0)
    time.sleep(0.3)
    assert os.waitpid(child, os.WNOHANG) == (0, 0)
    tokens.give_back(first)
    wait_until(lambda: os.waitpid(child, os.WNOHANG) != (0, 0), 10)


def test_bells_that_nobody_hears_do_not_add_up():
    tokens = Tokens(2)
    for _ in range(100):
        tokens.ring()
    begun = time.monotonic()
    for _ in range(3):
        tokens.nap()
    assert time.monotonic() - begun >= 0.05  # two bells, then a nap

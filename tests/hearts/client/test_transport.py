"""The transport: what it sends again, what it never sends twice, and when it gives up."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPMessage

import pytest

from hearts.client import AnswerTooLong, DeadlineExceeded, HeartsClient, NotConnected, Unreachable
from hearts.client.transport import Limits, Request, Response, Transport, fetch
from tests.hearts.client.scripted import BUSY, DOWN, ENDLESS, ENDS, LIMITED, OK, Server, serving
from tests.server.service import free_port, wait_until

GET = Request("GET", "/")
POST = Request("POST", "/", b"{}")
KEYED = Request("POST", "/", b"{}", {"Idempotency-Key": "k"})
BIG = Request("POST", "/", b" " * (8 << 20))
EXECUTED = ("unanswered", "half an answer")  # ends before which the server has done the work
PATIENT = Limits(timeout=20, patience=5)


@contextmanager
def talking(*script: bytes | str, limits: Limits = PATIENT) -> Iterator[tuple[Server, Transport]]:
    """A server that follows a script, and a transport to it."""
    with serving(*script) as server, closing(Transport(server.url, limits)) as transport:
        yield server, transport


@pytest.mark.parametrize("end", ENDS)
def test_a_post_is_sent_once_wherever_the_connection_ends(end):
    with talking(end) as (server, transport):
        with pytest.raises(Unreachable):
            transport.send(POST)
        assert server.connections == 1
        assert len(server.executed) == (end in EXECUTED)
        assert transport.send(POST).status == 200  # it works again


@pytest.mark.parametrize("request_", [GET, KEYED], ids=["GET", "POST with a key"])
@pytest.mark.parametrize("end", ENDS)
def test_what_is_safe_to_repeat_is_sent_again_once(end, request_):
    with talking(end) as (server, transport):
        assert transport.send(request_).body == b"{}"
        assert server.connections == 2
        assert len(server.executed) == 1 + (end in EXECUTED)
    with talking(end, end) as (server, transport), pytest.raises(Unreachable):
        transport.send(request_)
    assert server.connections == 2


@pytest.mark.parametrize("request_", [GET, POST, KEYED])
def test_the_connection_is_kept(request_):
    with talking() as (server, transport):
        for _ in range(3):
            assert transport.send(request_).status == 200
        transport.close()
        assert transport.send(request_).status == 200
    assert (server.connections, len(server.executed)) == (2, 4)


def test_an_idle_connection_that_was_closed_is_replaced_before_anything_is_sent():
    with talking(OK, "on accept") as (server, transport):
        assert transport.send(POST).status == 200
        wait_until(lambda: transport._connection.is_stale)
        assert transport.send(POST).status == 200
    assert (server.connections, len(server.executed)) == (2, 2)


def test_a_kept_connection_that_ends_unanswered_costs_a_post_but_executes_it_once():
    with talking(OK, "unanswered") as (server, transport):
        transport.send(POST)
        with pytest.raises(Unreachable):
            transport.send(POST)
    assert (server.connections, len(server.executed)) == (1, 2)


@pytest.mark.parametrize("rejection", [BUSY, LIMITED])
def test_a_post_that_the_service_has_refused_is_sent_again(rejection):
    with talking(rejection, rejection) as (server, transport):
        assert transport.send(POST).status == 200
        assert len(server.executed) == 3
    with talking(rejection, limits=Limits(patience=0)) as (server, transport):
        assert transport.send(POST).status in (429, 503)
        assert len(server.executed) == 1
    later = rejection.replace(b"Retry-After: 0", b"Retry-After: 60")
    with talking(later) as (server, transport):
        assert transport.send(POST).status in (429, 503)
        assert len(server.executed) == 1


def test_queued_work_is_asked_for_until_it_is_finished():
    queued = BUSY.replace(b"503 ", b"202 ", 1)
    with talking(queued, queued, limits=Limits(work=60)) as (server, transport):
        assert transport.send(POST).status == 200
        assert len(server.executed) == 3
    with talking(queued, limits=Limits(work=0)) as (server, transport):
        assert transport.send(POST).status == 202


def test_a_503_that_does_not_ask_for_another_request_gets_none():
    with talking(DOWN) as (server, transport):
        assert transport.send(POST).status == 503
    assert len(server.executed) == 1


@pytest.mark.parametrize("request_", [GET, POST])
def test_nobody_there_is_told_apart(request_):
    with pytest.raises(NotConnected):
        Transport(f"http://127.0.0.1:{free_port()}", PATIENT).send(request_)


def test_a_connection_that_failed_is_tried_again_for_every_request():
    failures = [ConnectionRefusedError()]
    with talking() as (server, transport):

        def connect(*where: object, **how: object) -> socket.socket:
            if failures:
                raise failures.pop()
            return socket.create_connection(*where, **how)

        transport._connection._create_connection = connect
        assert transport.send(POST).status == 200
    assert len(server.executed) == 1


@pytest.mark.parametrize("request_", [GET, POST])
@pytest.mark.parametrize("behaviour", ENDLESS)
def test_an_answer_without_an_end_is_cut_off(behaviour, request_):
    limits = Limits(timeout=0.3) if behaviour != "floods" else Limits(timeout=600, size=1 << 20)
    fault = DeadlineExceeded if behaviour != "floods" else AnswerTooLong
    with talking(behaviour, limits=limits) as (server, transport):
        with pytest.raises(fault):
            transport.send(request_)
        assert (server.connections, len(server.executed)) == (1, 1)  # it is not asked for again


def test_a_server_that_does_not_read_is_left_at_the_deadline():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        transport = Transport(f"http://127.0.0.1:{listener.getsockname()[1]}", Limits(timeout=0.3))
        for request_ in (BIG, GET):
            with pytest.raises(DeadlineExceeded):
                transport.send(request_)


def test_a_stream_gives_lines_and_may_pause_but_not_for_long():
    begun = b"HTTP/1.1 200 OK\r\n\r\none\ntwo\n"
    with talking(begun, limits=Limits(timeout=0.5)) as (_, transport):
        with transport.stream(GET) as lines:
            assert not isinstance(lines, Response)
            assert [next(lines), next(lines)] == [b"one\n", b"two\n"]
            with pytest.raises(DeadlineExceeded):
                next(lines)
        assert transport._connection.sock is None


def test_a_stream_that_is_refused_is_a_response():
    with talking(DOWN) as (_, transport), transport.stream(POST) as answer:
        assert isinstance(answer, Response)
        assert answer.status == 503


@pytest.mark.parametrize(
    ("value", "seconds"), [("3", 3.0), ("0", 0.0), ("soon", None), ("-1", None), (None, None)]
)
def test_retry_after_is_a_number_of_seconds(value, seconds):
    headers = HTTPMessage()
    if value is not None:
        headers["Retry-After"] = value
    assert Response(503, headers, b"").retry_after == seconds


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://host", "http://", "http://host:x"])
def test_an_address_is_checked(url):
    with pytest.raises(ValueError, match="is not an address: write http://host:port"):
        Transport(url)


def test_the_client_sends_keys_where_the_interface_takes_them():
    made = b'{"game_id": "g", "events": 1}'
    answer = b"HTTP/1.1 201 Created\r\nContent-Length: %d\r\n\r\n%b" % (len(made), made)
    with (
        serving(answer, "unanswered", answer, answer) as server,
        HeartsClient(server.url) as client,
    ):
        assert client.new_game() == "g"
        assert client.add_events("g", 0) == 1  # repeated with the same key
        assert client.new_game() == "g"
    keys = [head.split(b"Idempotency-Key: ")[1].split(b"\r\n")[0] for head in server.executed]
    assert len(keys) == 4
    assert keys[1] == keys[2]
    assert len(set(keys)) == 3


def test_a_whole_address_is_fetched():
    with serving() as server:
        assert fetch(f"{server.url}/api/tables?status=open").body == b"{}"
    assert server.executed[0].startswith(b"GET /api/tables?status=open HTTP/1.1\r\n")

"""Where requests end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.serving.framing import Framing, TooLarge

HEAD = b"POST /api/move HTTP/1.1\r\nHost: x\r\n"
LONG = HEAD + b"Content-Length: 5\r\n\r\n"
CHUNKED = HEAD + b"transfer-encoding: Chunked\r\n\r\n"
WHOLE = {
    "no body": HEAD + b"\r\n",
    "a length": LONG + b"12345",
    "no bytes": HEAD + b"Content-Length: 0\r\n\r\n",
    "chunks": CHUNKED + b"3\r\n123\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
    "a trailer": CHUNKED + b"1\r\n1\r\n0\r\nA: b\r\n\r\n",
    "an empty line before it": b"\r\n" + LONG + b"12345",
}


def framed(data: bytes, limit: int = 100) -> Framing:
    framing = Framing(limit)
    framing.is_complete(bytearray(data))
    return framing


@pytest.mark.parametrize("case", WHOLE)
@given(after=st.binary(max_size=30), cut=st.integers(0, 200))
def test_a_request_ends_where_it_ends_however_it_arrives(case, after, cut):
    request, framing = WHOLE[case], Framing(100)
    first = request[: min(cut, len(request) - 1)]
    assert not framing.is_complete(bytearray(first))
    assert framing.is_complete(bytearray(request + after))
    assert (framing.end, framing.is_last) == (len(request), False)


@pytest.mark.parametrize("fields", [
    b"Content-Length: 5\r\nContent-Length: 5\r\n", b"Content-Length: +5\r\n",
    b"Content-Length: 5, 5\r\n", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: gzip, chunked\r\n", b"Transfer-Encoding: identity\r\n",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    b"Content-Length: 000000000000000000042\r\n", b"Content-Length: " + b"9" * 400 + b"\r\n",
])  # fmt: skip
def test_nothing_follows_a_request_whose_end_is_ambiguous(fields):
    framing = framed(HEAD + fields + b"\r\n0\r\n\r\nGET /hidden HTTP/1.1\r\n\r\n")
    assert framing.is_last


@pytest.mark.parametrize("data", [
    CHUNKED + b"zz\r\n", CHUNKED + b"-1\r\n", CHUNKED + b"\r\n", CHUNKED + b"1" * 17 + b"\r\n",
    CHUNKED + b"1;" + b"x" * 300, b"x" * 70_000, CHUNKED + b"0\r\n" + b"x" * 70_000,
    CHUNKED + b"0x10\r\n", CHUNKED + b" 5\r\n", CHUNKED + b"5 \r\n", CHUNKED + b"+5\r\n",
    CHUNKED + b"5;\n\r\n", CHUNKED + b"5\r\n12345X\n0\r\n\r\n", CHUNKED + b"5\r\n1234567\r\n",
    CHUNKED + b"5\r\n12345" + b"0\r\n\r\n",
])  # fmt: skip
def test_nonsense_is_handed_over_at_once(data):
    framing = framed(data)
    assert (framing.end, framing.is_last) == (len(data), True)


@pytest.mark.parametrize("data", [
    HEAD + b"Content-Length: 101\r\n\r\n", HEAD + b"Content-Length: " + b"9" * 20 + b"\r\n\r\n",
    CHUNKED + b"65\r\n", CHUNKED + b"40\r\n" + b"x" * 64 + b"\r\n40\r\n",
    CHUNKED + b"1\r\n1\r\n" * 40,
])  # fmt: skip
def test_a_body_above_the_limit_is_refused_before_it_arrives(data):
    with pytest.raises(TooLarge):
        framed(data)


@pytest.mark.parametrize(("target", "fits"), [
    (b"/big", True), (b"/big?a=1", True), (b"/bigger", False), (b"/", False),
    (b"/b%69g", True), (b"http://x/big", True),
])  # fmt: skip
def test_a_path_may_have_another_limit(target, fits):
    head = b"POST " + target + b" HTTP/1.1\r\nContent-Length: 150\r\n\r\n"
    framing = Framing(100, {"/big": 200})
    if fits:
        assert framing.is_complete(bytearray(head + b"x" * 150))
    else:
        with pytest.raises(TooLarge):
            framing.is_complete(bytearray(head))


@pytest.mark.parametrize(("version", "waits"), [(b"HTTP/1.1", True), (b"HTTP/1.0", False)])
def test_a_client_of_http_1_0_waits_for_no_word(version, waits):
    head = b"POST / " + version + b"\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
    assert framed(head).awaits_continue is waits

"""Asks for health ten times a second until its input ends; then prints the milliseconds, as JSON.

A program of its own and the standard library only, so that what it measures is the service.
Usage: python probe.py PORT
"""

import json
import selectors
import socket
import sys
import time

PORT = int(sys.argv[1])
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def milliseconds() -> float:
    """How long one answer takes, the connection included."""
    begun = time.perf_counter()
    with socket.create_connection(("127.0.0.1", PORT), timeout=30) as connection:
        connection.sendall(REQUEST)
        assert connection.recv(4096).startswith(b"HTTP/1.1 200")
    return (time.perf_counter() - begun) * 1000


times = []
with selectors.DefaultSelector() as selector:
    selector.register(sys.stdin, selectors.EVENT_READ)
    while not selector.select(timeout=0.1):
        times.append(milliseconds())
sys.stdout.write(json.dumps(times))

"""A page of another origin in a real browser attacks a service on the same machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

# Every way in which a page can send a body without a preflight, and one with.
ATTACK = """
async base => {
  const table = '{"seats": [{}, {}, {}, {}]}';
  const send = (body, type) => fetch(base + "/api/tables", {
    method: "POST", mode: "no-cors", body, headers: type ? {"Content-Type": type} : {},
  });
  await send(table, "text/plain");
  await send(table, "application/x-www-form-urlencoded");
  await send(new Blob([table]));
  const form = document.createElement("form"), input = document.createElement("input");
  form.method = "post"; form.enctype = "text/plain"; form.action = base + "/api/tables";
  form.target = "sink"; input.name = '{"seats": [{}, {}, {}, {}], "name": "'; input.value = '"}';
  form.append(input); document.body.append(form);
  const sink = document.querySelector("iframe");
  await new Promise(done => { sink.onload = done; form.submit(); });
  const json = {"Content-Type": "application/json"};
  const tried = body => fetch(base + body[0], {method: "POST", headers: json, body: body[1]})
    .then(answer => answer.status, () => "blocked");
  const move = '{"game_state": {"player_hand": ["5H"]}}';
  const read = await fetch(base + "/api/games").then(answer => answer.status, () => "blocked");
  return [await tried(["/api/tables", table]), read, await tried(["/api/move", move])];
}
"""


class Page(BaseHTTPRequestHandler):
    """Sends the attacker's page."""

    def do_GET(self) -> None:
        """Answer any path."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>attack</title><body><iframe name=sink></iframe>")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def attacker() -> Iterator[str]:
    """The address of a page of another origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def listed(service):
    """The ids of all open tables; bots may move at them meanwhile."""
    return {table["table_id"] for table in service.get("/api/tables?limit=100")[1]["tables"]}


def test_a_page_of_another_origin_creates_no_table(browser, service, attacker):
    before = listed(service)
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(attacker)
        found = page.evaluate(ATTACK, service.base)
    finally:
        context.close()
    # The browser does not even send the request. A move is stateless: any page may ask for it.
    assert found == ["blocked", "blocked", 200]
    assert listed(service) == before

"""The `/docs` page: it shows every endpoint and every response code, and sends real requests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.browser import DESKTOP, PHONE, Visit
from tests.web.test_pages import AXE

# Rules that the markup of Swagger UI itself breaks; our styles correct its contrast.
SWAGGER_FAULTS = {"label", "nested-interactive", "scrollable-region-focusable"}


def opened(here: Visit) -> Page:
    """The page, once it shows the endpoints."""
    page = here.open("/docs")
    page.wait_for_selector(".opblock")
    return page


def operation(page: Page, name: str) -> Locator:
    """An endpoint, expanded: `operation(page, "post /api/move")`."""
    method, path = name.split()
    place = page.locator(f".opblock-{method}", has=page.locator(f"[data-path='{path}']"))
    place.locator(".opblock-summary-control").click()
    place.locator(".responses-wrapper").wait_for()
    return place


def sent(place: Locator) -> tuple[str, str]:
    """Send the form of an endpoint: the status and the body of the answer that the page shows."""
    place.locator("button.execute").click()
    answer = place.locator(".live-responses-table .response")
    answer.wait_for()
    status = answer.locator(".response-col_status").inner_text().split()[0]
    return status, answer.locator(".highlight-code code").first.inner_text()


def body_of(place: Locator) -> Locator:
    """The field with the body of the request."""
    return place.locator("textarea.body-param__text")


@pytest.fixture(scope="module")
def desk(browser, service) -> Iterator[Visit]:
    """One page for several tests, because it takes a second to draw."""
    here = Visit(browser, service.base, size=DESKTOP)
    here.refusals_expected = True
    opened(here)
    yield here
    here.context.close()
    here.check()


def operations(document: dict[str, Any]) -> dict[str, list[str]]:
    """The response codes of every endpoint, by `method path`."""
    return {
        f"{method} {path}": sorted(described["responses"])
        for path, item in document["paths"].items()
        for method, described in item.items()
        if method != "parameters"
    }


# Expands one endpoint after the other, reads its response codes and folds it again.
READ_CODES = """async () => {
  const found = {};
  for (const place of document.querySelectorAll(".opblock")) {
    const switch_ = place.querySelector(".opblock-summary-control");
    switch_.click();
    let cells = [];
    while (cells.length === 0) {
      await new Promise(requestAnimationFrame);
      cells = [...place.querySelectorAll("tr.response > .response-col_status")];
    }
    const method = place.querySelector(".opblock-summary-method").textContent.toLowerCase();
    const path = place.querySelector("[data-path]").dataset.path;
    found[`${method} ${path}`] = cells.map((one) => one.textContent.trim()).sort();
    switch_.click();
  }
  return found;
}"""


def test_every_endpoint_is_there_with_every_response_code(desk, service):
    wanted = operations(service.get("/openapi.json")[1])
    assert "201" in wanted["post /api/tables"]
    assert desk.page.evaluate(READ_CODES) == wanted


def test_a_link_leads_back_to_the_table(visit, service):
    page = opened(visit())
    page.get_by_role("link", name="Back to the table").click()
    page.wait_for_url(f"{service.base}/")
    page.wait_for_selector("#play")


def test_requests_are_sent_and_shown_as_curl_commands(desk, service):
    page = desk.page
    assert sent(operation(page, "get /api/health"))[0] == "200"
    move = operation(page, "post /api/move")
    status, answer = sent(move)
    assert status == "200"
    assert json.loads(answer)["move"]["card"] in json.loads(answer)["legal_cards"]
    command = move.locator(".curl-command code").inner_text()
    assert command.startswith("curl -X 'POST' ")
    assert f"'{service.base}/api/move'" in command
    assert '"player_hand"' in command
    for block, schema in (("opblock-section", "MoveRequest"), ("responses-wrapper", "MoveReply")):
        place = move.locator(f".{block}", has=page.get_by_role("tab", name="Schema"))
        place.get_by_role("tab", name="Schema").first.click()
        expect(place.get_by_text(schema, exact=True).first).to_be_visible()


def test_a_stream_is_shown(desk):
    stream = operation(desk.page, "post /api/analysis")
    stream.locator("tr[data-param-name=stream] select").select_option("1")
    assert "event: done" in sent(stream)[1]


def test_parameters_in_paths_and_headers_can_be_given(desk):
    table = operation(desk.page, "get /api/tables/{table_id}")
    names = table.locator("tr[data-param-name]").evaluate_all(
        "(all) => all.map((one) => one.dataset.paramName)"
    )
    assert {"table_id", "X-Seat-Token", "after", "wait"} <= set(names)
    table.locator("tr[data-param-name=table_id] input").fill("none")
    assert sent(table)[0] == "404"
    assert "/api/tables/none" in table.locator(".request-url").inner_text()


def test_on_a_phone_what_is_typed_is_what_is_sent(visit):
    here = visit(size=PHONE)
    here.refusals_expected = True
    page = opened(here)
    place = operation(page, "post /api/legal")
    body_of(place).fill('{"game_state": {"player_hand": ["2C", "2C"]}}')
    status, answer = sent(place)
    assert (status, json.loads(answer)["error_code"]) == ("400", "INVALID_GAME_STATE")
    place.get_by_role("button", name="Clear").click()
    body_of(place).fill('{"game_state": {"player_hand": ["10H"]}}')
    assert json.loads(sent(place)[1])["legal_cards"] == ["10H"]
    for each in ("post /api/analysis", "get /api/games", "get /api/tables/{table_id}"):
        operation(page, each)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("dark", [False, True])
def test_the_page_follows_the_theme_and_is_accessible(visit, dark):
    page = opened(visit(size=DESKTOP, dark=dark))
    expect(page.locator("html")).to_have_class(re.compile("dark-mode") if dark else "")
    operation(page, "post /api/tables")
    page.evaluate(AXE)
    found = page.evaluate("axe.run({resultTypes: ['violations']}).then((all) => all.violations)")
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    ours = [one for one in serious if one["id"] not in SWAGGER_FAULTS]
    assert [(one["id"], one["nodes"][0]["html"]) for one in ours] == []

"""The page about the interface: it shows every endpoint, and sends real requests."""

from __future__ import annotations

import json

from playwright.sync_api import Locator, Page

from tests.web.browser import DESKTOP, PHONE, Visit
from tests.web.test_pages import AXE


def operation(page: Page, name: str) -> Locator:
    """An endpoint, unfolded: `operation(page, "post /api/move")`."""
    place = page.locator(f"details[id='{name}']")
    place.locator("summary").click()
    return place


def until(place: Locator, condition: str) -> None:
    """Wait until something is true of `one` element."""
    place.page.wait_for_function(f"(one) => {condition}", arg=place.element_handle())


def sent(place: Locator) -> tuple[str, str]:
    """What the page says about a request that is sent: its status, and the answer."""
    place.locator("button").click()
    status, answer = place.locator(".status"), place.locator("pre").nth(1)
    until(status, "/^[0-9]{3},/.test(one.textContent)")
    until(answer, "one.textContent.trim() !== ''")
    return status.inner_text().partition(",")[0], answer.inner_text()


def opened(here: Visit) -> Page:
    """The page, once it shows everything."""
    page = here.open("/docs")
    page.wait_for_selector("body[data-ready]")
    return page


def test_every_endpoint_is_there_and_can_be_tried(visit, service):
    page = opened(visit(size=DESKTOP))
    document = service.get("/openapi.json")[1]
    wanted = {f"{method} {path}" for path, item in document["paths"].items()
              for method in item if method != "parameters"}  # fmt: skip
    shown = page.eval_on_selector_all("details.operation", "(all) => all.map((one) => one.id)")
    assert set(shown) == wanted
    assert sent(operation(page, "get /api/health"))[0] == "200"

    move = operation(page, "post /api/move")
    status, answer = sent(move)
    assert status == "200"
    assert json.loads(answer)["move"]["card"] in json.loads(answer)["legal_cards"]
    command = move.locator("pre").first.inner_text()
    assert command.startswith(f"curl -X POST '{service.base}/api/move' -H 'Content-Type: ")
    assert {"GameState", "MoveReply"} <= set(move.locator("h4").all_inner_texts())

    stream = operation(page, "post /api/analysis")
    stream.locator("input[name=stream]").fill("1")
    stream.locator("button").click()
    until(stream.locator("pre").nth(1), "one.textContent.includes('event: done')")

    table = operation(page, "get /api/tables/{table_id}")
    names = table.locator("input").evaluate_all("(all) => all.map((one) => one.name)")
    assert {"table_id", "X-Seat-Token"} <= set(names)

    page.evaluate(AXE)
    found = page.evaluate("axe.run({resultTypes: ['violations']}).then((all) => all.violations)")
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"]) for one in serious] == []


def test_on_a_phone_what_is_typed_is_what_is_sent(visit):
    here = visit(size=PHONE)
    here.refusals_expected = True
    page = opened(here)
    place = operation(page, "post /api/legal")
    place.locator("textarea").fill('{"game_state": {"player_hand": ["2C", "2C"]}}')
    status, answer = sent(place)
    assert (status, json.loads(answer)["error_code"]) == ("400", "INVALID_GAME_STATE")
    place.locator("textarea").fill('{"game_state": {"player_hand": ["10H"]}}')
    assert json.loads(sent(place)[1])["legal_cards"] == ["10H"]
    for each in ("post /api/analysis", "get /api/games", "get /api/tables/{table_id}"):
        operation(page, each)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

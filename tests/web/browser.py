"""Pages of the service in a real browser, and everything that they say, ask and are told."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import Request, urlopen

from playwright.sync_api import (
    Browser,
    Page,
    Response,
    Route,
    ViewportSize,
    expect,
    sync_playwright,
)

from tests.server.service import Service

# Debian's: the driver's own would have to be downloaded
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE = ViewportSize(width=360, height=740)
DESKTOP = ViewportSize(width=1440, height=900)
CARD = re.compile(r"\b(?:10|[2-9JQKA])[CDSH]\b")
QUICK = {"speed": "instant", "level": "easy"}  # the page's own settings
# Milliseconds until something has not happened: far more than even a busy machine needs.
PATIENCE = 120_000
# What the browser writes by itself when an answer is not a 2xx, or none comes.
FAILED_LOAD = "Failed to load resource"


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as driver:
        expect.set_options(timeout=PATIENCE)
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=PATIENCE)
        yield browser
        browser.close()


class Visit:
    """One player with one page; storage is their own."""

    def __init__(
        self,
        browser: Browser,
        base: str,
        size: ViewportSize = PHONE,
        dark: bool = False,
        **given: Any,
    ) -> None:
        self.base = base
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.views: list[dict[str, Any]] = []  # whatever the page was told about tables
        self.bytes = 0
        self.refusals_expected = False
        scheme = "dark" if dark else "light"
        self.context = browser.new_context(
            viewport=size, color_scheme=scheme, has_touch=size == PHONE, locale="en-GB"
        )
        self.context.set_default_timeout(PATIENCE)
        settings = json.dumps(json.dumps(QUICK | given))
        self.context.add_init_script(f"localStorage['hearts.settings'] ??= {settings}")
        self.page: Page = self.context.new_page()
        self.page.on("console", lambda said: said.type == "error" and self._error(said.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("response", self._note)

    def _error(self, text: str) -> None:
        if not (self.refusals_expected and text.startswith(FAILED_LOAD)):
            self.errors.append(text)

    def _note(self, response: Response) -> None:
        if "/api/tables" not in response.url or not response.ok:
            return
        try:
            told = response.json()
        except Exception:  # the page was left while it was read
            return
        self.views.append(told.get("table", told))

    def open(self, path: str) -> Page:
        """Go to a page of the service."""
        self.page.goto(self.base + path)
        return self.page

    def check(self) -> None:
        """No errors, and nobody was asked but the service."""
        assert self.errors == []
        outside = [
            u for u in self.requests if not u.startswith((self.base + "/", "data:", "blob:"))
        ]
        assert outside == []

    def seat(self) -> tuple[str, str]:
        """The table that this browser plays at, and the token of its seat."""
        kept = json.loads(self.page.evaluate("localStorage['hearts.table']"))
        return kept["id"], kept["token"]


def view_of(service: Service, visit: Visit) -> dict[str, Any]:
    """The table as the service shows it to the page's player."""
    table, token = visit.seat()
    status, view, _ = service.get(f"/api/tables/{table}", **{"X-Seat-Token": token})
    assert status == 200
    return view


def posted(service: Service, path: str, body: dict[str, Any], **headers: str) -> dict[str, Any]:
    """The answer to a body."""
    headers |= {"Content-Type": "application/json"}
    with urlopen(
        Request(service.base + path, json.dumps(body).encode(), headers), timeout=60
    ) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def sit_down(visit: Visit, service: Service, **table: Any) -> Page:
    """Open the page of somebody who sits at a new table, made as the interface allows."""
    table = {"seats": ["human", "easy", "easy", "easy"]} | table
    made = posted(service, "/api/tables", table)
    seat = json.dumps({"id": made["table_id"], "token": made["tokens"][0]})
    visit.open("/")
    visit.page.evaluate("(seat) => { localStorage['hearts.table'] = seat; }", seat)
    visit.page.reload()
    visit.page.wait_for_selector(".hand .open")
    return visit.page


def play_out(service: Service, visit: Visit, *, until_claimable: bool = False) -> dict[str, Any]:
    """Play the hand by the interface, while the page looks on; return its last view.

    Hearts go first, so that most hands have a moment when no points are left.
    """
    table, token = visit.seat()
    path, proof = f"/api/tables/{table}", {"X-Seat-Token": token}
    view: dict[str, Any] = service.get(path, **proof)[1]
    while view["phase"] in ("passing", "playing"):
        hand, version = view["hand"], {"version": view["version"]}
        if until_claimable and hand["claimable"] and hand["turn"] == 0:
            break  # the bots wait for us: nobody else ends the hand meanwhile
        if view["phase"] == "passing" and 0 in hand["waiting_for"]:
            view = posted(service, f"{path}/pass", {"cards": hand["cards"][:3]} | version, **proof)
        elif hand["turn"] == 0:
            view = posted(service, f"{path}/play", {"card": hand["legal"][-1]} | version, **proof)
        else:
            _, view, _ = service.get(f"{path}?after={view['version']}&wait=5", **proof)
    return view


def begin(page: Page) -> None:
    """From the first page to a table, and through the pass."""
    page.click("#play")
    page.wait_for_selector(".hand .open")
    pass_three(page)


def pass_three(page: Page) -> None:
    """Choose three cards by clicks and pass them."""
    for place in (0, 5, 12):
        page.locator(".hand .card").nth(place).click()
    page.click("#pass")
    page.wait_for_selector("#pass", state="detached")


def wait_for_turn(page: Page) -> bool:
    """Wait until a card may be played: true; or until the hand is over: false."""
    page.wait_for_selector(".hand .open, #next, #again")
    return page.locator("#next, #again").count() == 0


def wait_until_still(page: Page) -> None:
    """Wait until nothing on the page moves."""
    page.wait_for_function(
        "() => document.getAnimations().every((one) => one.playState !== 'running')"
    )


def first_of(held: list[Route], page: Page) -> Route:
    """The first request that a test holds back, once the browser has come to send it."""
    for _ in range(PATIENCE // 20):
        if held:
            break
        page.wait_for_timeout(20)
    return held[0]


def play_card(page: Page) -> str:
    """Click the first card that may be played, and wait until it has left the hand."""
    card = page.locator(".hand .open").first
    name = card.get_attribute("data-card")
    assert name is not None
    card.click()
    page.wait_for_selector(f'.hand [data-card="{name}"]', state="detached")
    return name


def cards_in(text: str, visit: Visit) -> set[str]:
    """Every card that a text names; random ids and tokens may look like one by chance."""
    for random in visit.seat():
        text = text.replace(random, "")
    return set(CARD.findall(text))


def cards_on(visit: Visit) -> set[str]:
    """Every card that the page shows anywhere, seen or unseen."""
    html = visit.page.evaluate(
        """() => { const copy = document.documentElement.cloneNode(true);
        copy.querySelectorAll('script, .heat, .how').forEach((one) => one.remove());
        return copy.outerHTML; }"""
    )
    return cards_in(html, visit)

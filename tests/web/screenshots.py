"""Pictures of the pages for the README, and how quick they are: python -m tests.web.screenshots."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import click
from PIL import Image
from playwright.sync_api import Browser, Page

from tests.server.service import Service, serving
from tests.web.browser import DESKTOP, PHONE, Visit, chromium, pass_three, play_card, wait_for_turn

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "screens"
RECORD = ROOT / "tests" / "golden" / "hands.jsonl"
MAX_BYTES = 200_000
COLOURS = 256


def main() -> None:
    """Make all pictures with a service of its own, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the pictures go")
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as place,
        serving(Path(place), HEARTS_JOB_WORKERS="1") as service,
        chromium() as browser,
    ):
        fill(service)
        desk = Visit(browser, service.base, size=DESKTOP, level="hard")
        play(desk, folder, "")
        review(desk, folder / "review.png")
        desk.open("/stats")
        desk.page.wait_for_selector(".stats")
        desk.page.wait_for_selector(".games a")
        shoot(desk.page, folder / "leaderboard.png")
        phone = Visit(browser, service.base, size=PHONE, dark=True, level="hard")
        play(phone, folder, "-phone")
        print_speed(browser, service)


def fill(service: Service) -> None:
    """Let bots of all levels play, so that there is something to rank."""
    seats = ["easy", "medium", "hard", "expert"]
    made = [
        post(
            service,
            "/api/tables",
            {"seats": seats[i:] + seats[:i], "seed": i, "pace_ms": 0, "target_score": 50},
        )
        for i in range(4)
    ]
    for table in made:
        version, phase = 0, ""
        while phase != "finished":
            path = f"/api/tables/{table['table_id']}?after={version}&wait=5"
            _, view, _ = service.get(path)
            version, phase = view["version"], view["phase"]


def play(visit: Visit, folder: Path, suffix: str) -> None:
    """A hand in the middle, and what one could believe there."""
    page = visit.open("/")
    page.click("#play")
    page.wait_for_selector(".hand .open")
    pass_three(page)
    for _ in range(4):
        wait_for_turn(page)
        play_card(page)
    wait_for_turn(page)
    while page.locator(".trick .card").count() == 0 and wait_for_turn(page):
        play_card(page)
    page.wait_for_timeout(5500)  # until notes have gone
    if not suffix:
        page.click("#hint")
        page.wait_for_selector(".figures")
    shoot(page, folder / f"play{suffix}.png")
    page.click("#tab-beliefs")
    page.wait_for_selector(".heat")
    page.wait_for_timeout(600)
    shoot(page, folder / f"beliefs{suffix}.png")


def review(visit: Visit, path: Path) -> None:
    """A golden hand at its worst mistake."""
    page = visit.open("/review")
    hands = RECORD.read_text("utf-8").splitlines()
    page.fill("#record", next(line for line in hands if json.loads(line)["passed"]))
    page.click("#read")
    page.locator(".mistakes button", has_text="Trick").first.click()
    shoot(page, path)


def shoot(page: Page, path: Path) -> None:
    """One picture; with few colours where it would be large otherwise."""
    page.screenshot(path=path)
    with Image.open(path) as picture:
        exact = picture.convert("RGB")
    exact.save(path, optimize=True)
    if path.stat().st_size > MAX_BYTES:
        exact.quantize(COLOURS).save(path, optimize=True)
    size = path.stat().st_size
    click.echo(f"{path.name}: {size / 1000:.0f} KB")
    if size > MAX_BYTES:
        sys.exit(f"{path.name} has more than {MAX_BYTES} bytes")


def print_speed(browser: Browser, service: Service) -> None:
    """How soon the first page can be used, and how soon a bot's card appears at `hard`."""
    usable, weights, waits = [], [], []
    for _ in range(5):
        visit = Visit(browser, service.base)
        sizes: list[Any] = []
        visit.page.on("requestfinished", lambda request, sizes=sizes: sizes.append(request.sizes()))
        page = visit.open("/")
        page.wait_for_selector("#play")
        usable.append(page.evaluate("performance.now()"))
        page.wait_for_load_state("networkidle")
        weights.append(sum(one["responseBodySize"] for one in sizes))
        visit.context.close()
    for speed in ("instant", "normal"):
        visit = Visit(browser, service.base, level="hard", speed=speed)
        page = visit.open("/")
        page.click("#play")
        page.wait_for_selector(".hand .open")
        pass_three(page)
        waits.append((speed, bot_moves(page)))
    click.echo(f"first page usable: {statistics.median(usable):.0f} ms (median of {len(usable)})")
    click.echo(f"first page: {max(weights) / 1000:.0f} KB")
    for speed, times in waits:
        middle, worst = statistics.median(times), max(times)
        click.echo(f"a bot's card at hard, {speed} cards: {middle:.0f} ms, at most {worst:.0f} ms")


def bot_moves(page: Page) -> list[float]:
    """Milliseconds from each own click to the next card of a bot on the table."""
    page.evaluate(
        """() => {
        window.waits = []; let clicked = null;
        // the last card of a trick is followed by time to see it
        document.querySelector('.hand').addEventListener('click', () => {
          const last = document.querySelectorAll('.trick .card').length === 3;
          clicked = last ? null : performance.now(); }, true);
        new MutationObserver((changes) => {
          for (const change of changes) for (const card of change.addedNodes) {
            if (clicked !== null && card.dataset?.player > 0) {
              window.waits.push(performance.now() - clicked); clicked = null; } } })
          .observe(document.querySelector('.trick'), {childList: true}); }"""
    )
    while wait_for_turn(page):
        play_card(page)
    waits: list[float] = page.evaluate("window.waits")
    return waits


def post(service: Service, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answer to a body."""
    kind = {"Content-Type": "application/json"}
    with urlopen(Request(service.base + path, json.dumps(body).encode(), kind)) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


if __name__ == "__main__":
    main()

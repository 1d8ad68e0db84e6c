"""Everything has its place on a small page, however long its name is."""

from __future__ import annotations

import json

import pytest

from hearts.game.cards import RANK_NAMES
from tests.server.service import wait_until
from tests.web.browser import DESKTOP, PHONE, posted, sit_down
from tests.web.test_understand import GOLDEN

LONG = ["W" * 60, "i" * 60, "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunte", "Bo"]
# What can be scrolled by itself may be wider than the page.
TOO_WIDE = """() => [...document.querySelectorAll('body *')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  .filter((one) => !one.closest('.scroll, .unseen, .skip, .sprite'))
  .map((one) => one.outerHTML.slice(0, 120))"""
OVERLAPS = """() => {
  const box = (one) => one.getBoundingClientRect();
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
  const plates = [...document.querySelectorAll('.plate')];
  const others = [...plates, ...document.querySelectorAll('.trick .card')];
  const felt = box(document.querySelector('.felt'));
  const found = plates.flatMap((plate) => others
    .filter((other) => other !== plate && meet(box(plate), box(other)))
    .map((other) => `${plate.className} and ${other.className}`));
  for (const plate of plates) {
    if (box(plate).top < felt.top || box(plate).bottom > felt.bottom) found.push(plate.className);
    for (const card of plate.querySelectorAll('[data-card]'))
      if (box(card).right > box(plate).right) found.push(`${card.dataset.card} leaves its plate`);
  }
  return found; }"""


@pytest.fixture(scope="module")
def record():
    """A golden hand with a pass."""
    hands = map(json.loads, GOLDEN.read_text("utf-8").splitlines())
    return next(hand for hand in hands if hand["passed"] and len(hand["plays"]) == 52)


def play_with_names(service):
    """Let bots with long names play a hand: statistics count the service's own tables only."""
    quick = {"simulations": 1, "worlds": 1, "passing": "rule"}
    bots = [{"kind": "engine", "name": name, "ai_config": quick} for name in LONG]
    table = posted(service, "/api/tables", {"seats": bots, "pace_ms": 0})["table_id"]
    wait_until(lambda: service.get(f"/api/tables/{table}")[1]["hands"] != [])


def test_long_names_fit_a_phone(visit, service, record):
    game = posted(service, "/api/games", {"record": record, "players": LONG})["game_id"]
    here = visit(size=PHONE)
    page = here.open(f"/review?game={game}&step=5")
    page.wait_for_selector(".mistakes button")
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate(OVERLAPS) == []
    page.click("#tab-scores")
    page.wait_for_selector(".scores")
    assert page.evaluate(TOO_WIDE) == []
    here.open("/review")
    page.wait_for_selector(".games a")
    assert page.evaluate(TOO_WIDE) == []
    play_with_names(service)
    here.open("/stats")
    page.locator(".choice label", has_text="Players").click()
    page.wait_for_selector(".stats tbody tr:has-text('WWWWW')")
    assert page.evaluate(TOO_WIDE) == []
    bots = [{"kind": "engine", "level": "easy", "name": name} for name in LONG[:3]]
    sit_down(here, service, seats=["human", *bots])
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate(OVERLAPS) == []


def test_open_hands_leave_room_for_each_other_on_a_phone(visit, service):
    """Each with one suit of thirteen: nothing is larger."""
    suits = [[rank + suit for rank in RANK_NAMES] for suit in "CDSH"]
    plays = [
        {"player": seat, "card": suits[seat][trick]} for trick in range(13) for seat in range(4)
    ]
    whole = {"rules": 4001, "pass_direction": "hold", "dealt": suits, "passed": [], "plays": plays}
    game = posted(service, "/api/games", {"record": whole})["game_id"]
    here = visit(size=PHONE)
    for step in (0, 3, 4):
        page = here.open(f"/review?game={game}&step={step}")
        page.wait_for_selector(f".where[data-step='{step}']")
        assert page.evaluate(OVERLAPS) == []
    here.open("/watch")
    page.click("#watch")
    page.wait_for_selector(".trick .card")
    assert page.evaluate(OVERLAPS) == []


def test_at_a_table_on_a_phone_the_other_pages_are_one_step_away(visit, service):
    page = sit_down(visit(size=PHONE), service)
    link = page.locator("#pages a", has_text="Watch")
    assert not link.is_visible()
    page.click("#menu")
    link.click()
    page.wait_for_url("**/watch")


def test_tabs_below_a_replayed_hand_come_to_be_seen(visit, service, record):
    game = posted(service, "/api/games", {"record": record})["game_id"]
    page = visit(size=PHONE).open(f"/review?game={game}")
    page.wait_for_selector(".mistakes button")
    seen = """(of) => {
        const {top, bottom} = document.querySelector(of).getBoundingClientRect();
        return top > -1 && (top < 200 || bottom <= innerHeight); }"""
    page.click("#tab-scores")
    assert page.evaluate(seen, "#panel-scores")
    page.click("#tab-review")
    page.locator(".mistakes button").first.click()
    assert page.evaluate(seen, ".felt")


def test_a_focused_or_advised_card_hides_no_other_on_a_desk(visit, service):
    page = sit_down(visit(size=DESKTOP), service)
    page.click("#hint")
    page.wait_for_selector(".hand .advised")
    page.locator(".hand .card").nth(4).focus()
    page.keyboard.press("ArrowRight")  # so that the focus is seen
    hidden = page.evaluate(
        """() => [...document.querySelectorAll('.hand .card')].filter((card) => {
        const {left, top} = card.getBoundingClientRect();
        return document.elementFromPoint(left + 8, top + 20) !== card; })
        .map((card) => card.dataset.card)"""
    )
    assert hidden == []

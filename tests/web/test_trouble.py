"""What a player is told when the service cheats, is slow, refuses, or another window got ahead."""

from __future__ import annotations

import hashlib
import re

import pytest
from playwright.sync_api import expect

from tests.web.browser import (
    DESKTOP,
    PHONE,
    begin,
    first_of,
    play_card,
    play_out,
    posted,
    sit_down,
    wait_for_turn,
)
from tests.web.test_understand import GOLDEN

PLAYS = re.compile(r"/play\?")  # the address of a play, which names the version that is known
BUSY = {"status": "error", "error_code": "BUSY", "message": "busy"}


def another_deal(hand):
    """A deal that fits its commitment, but not the one that was shown first."""
    opening = hand["opening"] | {"nonce": "0" * 64}
    lines = ["hearts-deal-1", opening["table_id"], str(opening["hand"])]
    lines += [*map(" ".join, opening["dealt"]), opening["nonce"]]
    commitment = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return hand | {"opening": opening, "commitment": commitment}


def another_opening(hand):
    """A deal with two hands changed, which does not fit its commitment."""
    first, second, *others = hand["opening"]["dealt"]
    dealt = [second, first, *others]
    opening, record = hand["opening"] | {"dealt": dealt}, hand["record"] | {"dealt": dealt}
    return hand | {"opening": opening, "record": record}


def another_record(hand):
    """A deal that fits its commitment, but was not the one that was played."""
    first, second, *others = hand["record"]["dealt"]
    return hand | {"record": hand["record"] | {"dealt": [second, first, *others]}}


def test_a_deal_that_was_changed_is_refused_on_the_felt_and_beside_it(visit, service):
    here = visit(size=DESKTOP)
    page = sit_down(here, service)
    table, _ = here.seat()
    play_out(service, here)
    felt, beside = page.locator(".summary p.fair"), page.locator(".fair [data-hand='0'] b")
    page.click("#tab-deal")
    for place in (felt, beside):
        expect(place).to_have_text("Deal verified ✓")

    def tell(change):
        def answer(route):
            view = route.fetch().json()
            route.fulfill(json=view | {"hands": [change(hand) for hand in view["hands"]]})

        here.context.unroute_all()
        # not the long polls, which would still be on their way when the test is over
        here.context.route(f"**/api/tables/{table}", answer)

    for change in (another_deal, another_opening, another_record):
        tell(change)
        page.reload()
        page.click("#tab-deal")
        for place in (felt, beside):
            expect(place).to_have_text("The deal does NOT match its fingerprint")
    here.context.unroute_all()
    page.reload()
    expect(felt).to_have_text("Deal verified ✓")


def test_leaving_in_a_stale_window_keeps_the_table_of_the_other(visit, service):
    here = visit(size=DESKTOP)
    stale = sit_down(here, service)
    here.page = here.context.new_page()
    sit_down(here, service)
    kept = here.seat()
    stale.click("#leave")
    stale.click("dialog button:has-text('Stay')")
    assert stale.locator(".felt").is_visible()
    stale.click("#leave")
    stale.click("dialog .main")
    stale.wait_for_selector("#play")
    assert here.seat() == kept


def test_a_move_that_is_slow_or_refused_says_so_and_can_be_tried_again(visit):
    here = visit(size=PHONE)
    here.refusals_expected = True
    page = here.open("/")
    begin(page)
    assert wait_for_turn(page)
    held = []
    here.context.route(PLAYS, lambda route: held.append(route))
    card = page.locator(".hand .open").first
    name = card.get_attribute("data-card")
    card.click()
    expect(page.locator(".status .sending")).to_have_text("Sending …")
    expect(page.locator(".hand .chosen")).to_have_attribute("data-card", name)
    first_of(held, page).fulfill(status=503, json=BUSY)
    page.wait_for_selector(".trouble .problem button")
    assert "is busy" in page.inner_text(".trouble")
    expect(page.locator(".hand .chosen, .sending")).to_have_count(0)
    assert page.locator(f'.hand [data-card="{name}"]').count() == 1
    here.context.unroute(PLAYS)
    page.click(".trouble button")
    page.wait_for_selector(f'.hand [data-card="{name}"]', state="detached")
    expect(page.locator(".trouble .problem")).to_have_count(0)
    if wait_for_turn(page):
        play_card(page)


def test_what_takes_long_says_so(visit, service):
    here = visit(size=DESKTOP)
    page = sit_down(here, service)
    held = []
    here.context.route("**/api/beliefs", lambda route: None)
    here.context.route("**/api/review", lambda route: held.append(route))
    page.click("#tab-beliefs")
    expect(page.locator(".beliefs .empty")).to_have_text("Thinking …")
    here.open("/review")
    page.fill("#record", GOLDEN.read_text("utf-8").splitlines()[0])
    page.click("#read")
    expect(page.locator("#refusal")).to_have_text("Checking the record …")
    assert page.locator("#read").is_disabled()
    first_of(held, page).continue_()
    page.wait_for_selector(".replayer")


def test_a_hint_that_is_tried_again_marks_its_card(visit, service):
    here = visit(size=DESKTOP)
    here.refusals_expected = True
    page = sit_down(here, service)
    rejected = {"status": "error", "error_code": "INVALID", "message": "not now"}
    here.context.route("**/api/pass", lambda route: route.fulfill(status=400, json=rejected))
    page.click("#hint")
    page.wait_for_selector(".hint .problem button")
    here.context.unroute("**/api/pass")
    page.click(".hint .problem button")
    page.wait_for_selector(".hand .advised")
    assert page.locator(".hand .advised").count() == 3


WITH_PEOPLE = {"seats": ["human", "easy", "easy", "easy"]}


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (WITH_PEOPLE | {"public": True}, "cannot be watched"),
        (WITH_PEOPLE, "no such table"),
        (None, "no such table"),
    ],
    ids=["closed", "private", "none"],
)
def test_a_table_that_cannot_be_watched_says_why(visit, service, made, reason):
    here = visit()
    here.refusals_expected = reason == "no such table"
    table = posted(service, "/api/tables", made)["table_id"] if made else "none"
    page = here.open(f"/watch?table={table}")
    page.wait_for_selector(".problem")
    assert reason in page.inner_text(".problem")
    assert page.locator("#watch").is_visible()

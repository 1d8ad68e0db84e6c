"""Whole hands by clicks and by keys, on a phone and on a desk, through reloads and restarts."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.server.service import free_port, serving
from tests.web.browser import (
    DESKTOP,
    PHONE,
    begin,
    cards_in,
    cards_on,
    pass_three,
    play_card,
    play_out,
    posted,
    sit_down,
    view_of,
    wait_for_turn,
    wait_until_still,
)


def own_and_played(view, truth):
    """What the player at seat 0 may know of the cards while `view` is shown."""
    hand = view["hand"]
    plays = [
        play for trick in [*hand["tricks"], hand["trick"] or {}] for play in trick.get("cards", [])
    ]
    mine = set(truth["dealt"][0])
    if view["phase"] != "passing":
        mine |= {card for seat in range(4) for card in truth["passed"][seat] if (seat + 1) % 4 == 0}
    return mine | {play["card"] for play in plays}


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_whole_hand_by_clicks_shows_what_happened_and_nothing_hidden(visit, service, size):
    here = visit(size=size)
    page = here.open("/")
    page.click("#play")
    page.wait_for_selector(".hand .open")
    assert page.locator(".hand .card").count() == 13
    pass_three(page)
    seen = []
    while wait_for_turn(page):
        seen.append((cards_on(here), view_of(service, here)))
        if len(seen) == 5:  # in the middle of the hand: everything comes back
            before = view_of(service, here)
            page.reload()
            assert wait_for_turn(page)
            after = view_of(service, here)
            assert after["hand"]["cards"] == before["hand"]["cards"]
            shown = page.locator(".hand .card").evaluate_all(
                "all => all.map((one) => one.dataset.card)"
            )
            assert set(shown) == set(after["hand"]["cards"])
        play_card(page)

    view = view_of(service, here)
    done = view["hands"][0]
    totals = page.locator(".final td:last-child").all_inner_texts()
    assert totals == [str(points) for points in view["totals"]]
    page.wait_for_function(
        "() => document.querySelector('.summary p.fair').textContent.includes('verified')"
    )

    # What was on the page and on the wire while the hand was played: nothing but tables was asked
    # for, and no view of this one told more than the player may know.
    asked = {url for url in here.requests if "/api/" in url}
    assert all(url.startswith(f"{here.base}/api/tables") for url in asked)
    truth = done["record"]
    assert len(seen) == 13
    for cards, then in seen:
        assert cards <= own_and_played(then, truth)
    told = [each for each in here.views if each.get("phase") in ("passing", "playing")]
    assert len(told) > 26
    for each in told:
        text = json.dumps(each)
        assert cards_in(text, here) <= own_and_played(each, truth)
        assert done["opening"]["nonce"] not in text
    stored = page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
    assert cards_in(stored, here) == set()
    assert set(json.loads(json.loads(stored)["hearts.table"])) == {"id", "token"}

    page.click("#next")
    page.wait_for_selector("#pass")
    assert page.locator(".hand .card").count() == 13


def test_a_restart_of_the_service_comes_back_to_the_same_table(visit, tmp_path):
    port = free_port()
    with serving(tmp_path, port, HEARTS_TABLE_PACE_MS="0") as service:
        here = visit(base=service.base)
        page = here.open("/")
        begin(page)
        for _ in range(3):
            assert wait_for_turn(page)
            play_card(page)
        assert wait_for_turn(page)
        before = view_of(service, here)
        here.refusals_expected = True  # the browser notes that nobody answers
    page.wait_for_selector(".trouble .problem button")
    assert "is not responding" in page.locator(".trouble").inner_text()
    with serving(tmp_path, port, HEARTS_TABLE_PACE_MS="0") as service:
        page.wait_for_selector(".trouble .problem", state="detached")
        assert view_of(service, here)["hand"]["cards"] == before["hand"]["cards"]
        assert wait_for_turn(page)
        play_card(page)
        assert len(view_of(service, here)["hand"]["cards"]) == len(before["hand"]["cards"]) - 1


def test_keys_play_and_an_illegal_card_says_why(visit, service):
    here = visit(size=DESKTOP)
    page = here.open("/")
    page.focus("#play")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hand .open")
    page.keyboard.press("ArrowRight")  # nothing has the focus: it goes to the cards
    page.keyboard.press("4")
    for _ in range(3):
        page.keyboard.press("Space")
        page.keyboard.press("ArrowRight")
    pressed = page.locator(".hand .card").evaluate_all(
        "all => all.map((one) => one.getAttribute('aria-pressed'))"
    )
    assert [place for place, each in enumerate(pressed) if each == "true"] == [3, 4, 5]
    page.keyboard.press("t")
    expect(page.locator("#panel-tricks")).to_be_visible()
    page.focus("#pass")
    page.keyboard.press("Enter")
    page.wait_for_selector("#pass", state="detached")  # until then a click only chooses a card
    closed = '.hand:not(.waiting) [aria-disabled="true"]'
    while wait_for_turn(page) and page.locator(closed).count() == 0:
        play_card(page)
    held = page.locator(".hand .card").count()
    page.locator(closed).first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".toast.refused")).to_contain_text("You cannot ")
    assert page.locator(".hand .card").count() == held
    page.locator(".hand .open").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => document.querySelectorAll('.hand .card').length === {held - 1}")


def test_what_cannot_matter_any_more_is_claimed(visit, service):
    here = visit(size=DESKTOP)
    for _ in range(20):
        page = sit_down(here, service)
        view = play_out(service, here, until_claimable=True)
        if view["phase"] == "playing":
            break
    assert view["hand"]["claimable"]
    page.click("#claim")
    page.wait_for_selector("#next, #again")
    done = view_of(service, here)["hands"][0]
    assert done["claimed_by"] == 0
    totals = page.locator(".final td:last-child").all_inner_texts()
    assert totals == [str(points) for points in done["points"]]


def test_settings_are_kept_and_seen_at_once(visit):
    page = visit().open("/")
    colour = """() => [document.documentElement.dataset.theme,
        getComputedStyle(document.querySelector('.fan [data-card="2C"]')).color]"""
    plain = page.evaluate(colour)
    page.click("#settings")
    for label in ("Dark", "Four colours", "Slow"):
        page.locator("dialog .choice label", has_text=label).click()
    page.click("dialog .main")
    chosen = page.evaluate(colour)
    assert (plain[0], chosen[0]) == ("light", "dark")
    assert plain[1] != chosen[1]
    page.reload()
    page.wait_for_selector("#play")
    assert page.evaluate(colour) == chosen
    stored = json.loads(page.evaluate("localStorage['hearts.settings']"))
    assert (stored["theme"], stored["deck"], stored["speed"]) == ("dark", "four", "slow")


def test_the_coach_speaks_after_a_costly_card_only(visit):
    here = visit(size=DESKTOP, coach=True)
    costs = iter([0.2, 2.1])

    def costly(route):
        cost = next(costs, 0.0)
        one = {"cost": cost, "cost_error": 0.3, "verdict": f"it cost {cost} points"}
        route.fulfill(json={"status": "success", "decisions": [one]})

    here.context.route("**/api/analysis", costly)
    page = here.open("/")
    begin(page)
    while wait_for_turn(page) and page.locator(".toast.coach").count() == 0:
        play_card(page)
        page.wait_for_timeout(50)
    assert page.locator(".toast.coach").all_inner_texts() == ["it cost 2.1 points"]


def test_a_refused_table_is_said_with_a_way_to_try_again(visit):
    here = visit()
    here.refusals_expected = True
    body = {"status": "error", "error_code": "BUSY", "message": "busy"}
    here.context.route("**/api/tables", lambda route: route.fulfill(status=503, json=body))
    page = here.open("/")
    page.click("#play")
    page.wait_for_selector(".problem button")
    assert "is busy" in page.locator(".problem").inner_text()
    here.context.unroute("**/api/tables")
    page.click(".problem button")
    page.wait_for_selector(".hand .open")


def test_bots_play_with_open_minds(visit):
    page = visit(size=DESKTOP).open("/watch")
    page.click("#watch")
    # of an only card there is nothing to compare: some bot will have had a choice
    page.wait_for_function("() => document.querySelectorAll('.figures tbody tr').length > 1")
    assert page.locator(".diagram").count() == 4


def test_what_is_paused_stands_still_until_it_goes_on(visit):
    page = visit(size=DESKTOP, speed="normal").open("/watch")
    page.click("#watch")
    # a trick that lies there would leave soon
    page.wait_for_function("() => document.querySelectorAll('.trick .card').length === 4")
    page.click("#pause")
    page.wait_for_selector("#pause:has-text('Resume')")
    wait_until_still(page)
    then = page.inner_html(".felt")
    page.wait_for_timeout(2000)  # bots take less for three cards
    assert page.inner_html(".felt") == then
    page.click("#pause")
    page.wait_for_function("(then) => document.querySelector('.felt').innerHTML !== then", arg=then)


def test_a_match_of_bots_ends_with_its_winner(visit, service):
    table = {"seats": ["easy"] * 4, "open": True, "pace_ms": 0, "target_score": 1}
    made = posted(service, "/api/tables", table)["table_id"]
    page = visit(size=PHONE).open(f"/watch?table={made}")
    page.wait_for_selector(".summary .best")
    _, view, _ = service.get(f"/api/tables/{made}")
    totals = page.locator(".final td:last-child").all_inner_texts()
    assert totals == [str(points) for points in view["totals"]]
    assert page.locator(".final .best").count() == len(view["result"]["winners"])


def test_a_link_with_an_invitation_leads_to_a_seat(visit, service):
    made = posted(service, "/api/tables", {"seats": ["human", "easy", "human", "easy"]})
    link = f"/#table={made['table_id']}&invitation={made['invitations'][2]}"
    here, lost = visit(), []

    def losing(route):
        lost.append(route.fetch().status)  # the service answers, and the answer is lost
        route.fulfill(status=502, json={})

    here.refusals_expected = True
    here.context.route("**/join", losing, times=1)
    page = here.open(link)
    page.fill("#name", "Bob")
    page.click("#join")
    page.wait_for_selector(".hand .open")
    assert lost == [200]
    assert "invitation" not in page.url
    view = view_of(service, here)
    assert (view["seat"], view["players"][2]["name"]) == (2, "Bob")
    late = visit()
    late.refusals_expected = True
    page = late.open(link)
    page.click("#join")
    expect(page.locator(".problem")).to_contain_text("no longer valid")

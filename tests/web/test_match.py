"""A match from its first pass to its report: what is asked, said, and shown in the end."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.web.browser import (
    DESKTOP,
    PHONE,
    pass_three,
    play_out,
    posted,
    sit_down,
    view_of,
)


def sign(card):
    """♠Q for QS, as the pages write it."""
    return {"C": "♣", "D": "♦", "S": "♠", "H": "♥"}[card[-1]] + card[:-1]


def listed(names):
    """Names as an English sentence lists them."""
    comma = "," if len(names) > 2 else ""
    return f"{', '.join(names[:-1])}{comma} and {names[-1]}"


def test_a_match_ends_with_its_report_and_one_click_begins_another(visit, service):
    here = visit(size=DESKTOP)
    page = sit_down(here, service, target_score=1, rules=4001 | 2)
    view = play_out(service, here)
    assert view["phase"] == "finished"
    report = page.locator("dialog.report")
    expect(report).to_be_visible()
    fewest = [seat for seat in range(4) if view["totals"][seat] == min(view["totals"])]
    assert view["result"]["winners"] == fewest
    names = [("You", "West", "North", "East")[seat] for seat in fewest]
    alone = "You win the match!" if fewest == [0] else f"{names[0]} wins the match"
    title = alone if len(names) == 1 else f"{listed(names)} share the win"
    assert report.locator("h2").inner_text() == title
    places = report.locator(".standing tbody tr").evaluate_all(
        """all => all.map(({dataset, cells}) =>
            [+dataset.seat, cells[0].innerText, cells[2].innerText])"""
    )
    assert [int(total.replace("−", "-")) for _, _, total in places] == sorted(view["totals"])
    for seat, place, _ in places:
        better = sum(total < view["totals"][seat] for total in view["totals"])
        assert int(place) == 1 + better
    table, _ = here.seat()
    links = report.locator(".scores a").evaluate_all(
        "all => all.map((a) => a.getAttribute('href'))"
    )
    assert links == [f"/review?game={table}&hand={hand['number']}" for hand in view["hands"]]
    report.locator(".close").click()
    assert page.locator(".final .best").count() == len(names)
    assert page.locator(".summary .plot polyline").count() == 4
    assert page.locator(".toast").count() == 0
    page.click("#tab-tricks")  # the latest first, a column per seat
    shown = page.locator(".tricks tbody tr").evaluate_all(
        """all => all.map((row) => [...row.querySelectorAll('td .inked')]
            .map((card) => card.textContent.replace('\ufe0e', '')))"""
    )
    plays = view["hands"][0]["record"]["plays"]
    by_trick = [sorted(plays[n : n + 4], key=lambda play: play["player"]) for n in range(0, 52, 4)]
    assert shown[::-1] == [[sign(play["card"]) for play in trick] for trick in by_trick]
    page.click("#report")
    expect(report).to_be_visible()
    page.click("#report-again")
    page.wait_for_selector(".hand .open")
    assert here.seat()[0] != table
    new = view_of(service, here)
    assert (new["phase"], new["target_score"], new["rules"]) == ("passing", 1, view["rules"])
    assert [each["level"] for each in new["players"]] == [None, "easy", "easy", "easy"]


def test_after_a_match_with_people_one_may_choose_again(visit, service):
    here = visit(size=DESKTOP)
    made = posted(service, "/api/tables", {"seats": ["human", "easy", "human", "easy"]})
    seat = json.dumps({"id": made["table_id"], "token": made["tokens"][0]})
    here.open("/")
    here.page.evaluate("(seat) => { localStorage['hearts.table'] = seat; }", seat)

    def over(route):
        view = route.fetch().json()
        nobody = {"winners": [0], "totals": [0] * 4}
        hand = {"number": view["hand"]["number"], "points": [0] * 4, "pass_direction": "left"}
        done = hand | {"shooter": None, "commitment": "", "opening": {"hand": 0, "dealt": []}}
        done["record"] = {"dealt": [], "plays": []}
        route.fulfill(json=view | {"phase": "finished", "result": nobody, "hands": [done]})

    here.context.route(f"**/api/tables/{made['table_id']}*", over)
    page = here.page
    page.reload()
    page.click("#report-again")
    page.wait_for_selector("#play")


def test_the_pass_is_asked_for_in_the_middle_and_the_cards_move(visit, service):
    here = visit(size=DESKTOP, speed="slow")
    page = sit_down(here, service)
    expect(page.locator(".pass-prompt p")).to_have_text("Choose three cards to pass left, to West")
    page.evaluate(
        """() => { window.passed = 0;
        new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach(
            (one) => { window.passed += one.classList?.contains('passing') ?? 0; })))
          .observe(document.querySelector('.felt'), {childList: true}); }"""
    )
    pass_three(page)
    page.wait_for_function("() => window.passed === 4")
    page.wait_for_selector(".passing", state="detached")
    expect(page.locator(".pass-prompt")).to_have_count(0)


def test_a_message_goes_with_its_reason(visit, service):
    here = visit(size=DESKTOP)
    page = sit_down(here, service)
    cards = page.locator(".hand .card")
    for place in range(4):
        cards.nth(place).click()
    expect(page.locator(".toast.refused")).to_contain_text("Deselect one first")
    here.page.evaluate("window.then = performance.now()")
    cards.nth(0).click()
    expect(page.locator(".toast.refused")).to_have_count(0)
    assert page.evaluate("performance.now() - window.then") < 4_500  # it would last 5 s by itself


def test_how_to_play_follows_the_rules_of_the_table(visit, service):
    here = visit(size=PHONE)
    page = here.open("/")
    how = page.locator(".how")
    expect(how).to_contain_text("passes three of them")
    expect(how).to_contain_text("when someone reaches 100")
    assert "jack" not in how.inner_text()
    page.click("details summary")
    for label in ("Pass three cards", "Jack of diamonds", "No shooting"):
        page.locator(".tick", has_text=label).click()
    page.locator(".choice label", has_text="50 points").click()
    for part in ("no cards are passed", "jack of diamonds", "no shooting", "reaches 50"):
        expect(how).to_contain_text(part)
    sit_down(here, service, rules={"queen_breaks_hearts": False}, target_score=70)
    page.click("#tab-scores")
    expect(how).to_contain_text("until one has been played")
    expect(how).to_contain_text("when someone reaches 70")


def test_people_are_named_as_people_and_waited_for_by_name(visit, service):
    made = posted(service, "/api/tables", {"seats": ["human", "easy", "human", "hard"]})
    here = visit(size=DESKTOP)
    page = here.open("/")
    seat = json.dumps({"id": made["table_id"], "token": made["tokens"][0]})
    page.evaluate("(seat) => { localStorage['hearts.table'] = seat; }", seat)
    page.reload()
    pass_three(page)
    status = page.locator(".status")
    expect(status).to_contain_text("Waiting for North to join")
    body = {"invitation": made["invitations"][2], "name": "Bob"}
    posted(service, f"/api/tables/{made['table_id']}/join", body)
    expect(status).to_contain_text("Waiting for Bob to pass")
    about = page.locator("#panel-scores .about").first
    expect(about).to_contain_text("Opponents: Bob, Easy bot, and Hard bot.")

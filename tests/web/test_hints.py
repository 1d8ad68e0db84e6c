"""Hints go by the figures that they show, and nothing is shown before its moment."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.web.browser import (
    DESKTOP,
    PATIENCE,
    play_card,
    play_out,
    sit_down,
    view_of,
    wait_for_turn,
)

INTERNAL = re.compile(r"score|world|simulation|tree", re.IGNORECASE)


def advised(page):
    """The hint that is shown: its sentences, and every choice with its points."""
    text = page.locator(".advised-card p").inner_text().replace("\ufe0e", "")
    lines = page.locator(".figures tbody tr").evaluate_all(
        """all => all.map((row) =>
            [row.dataset.card, row.querySelector('td').innerText, row.className])"""
    )
    return text, [(cards.split(), shown, name == "chosen") for cards, shown, name in lines]


def points_in(shown):
    """The points of a figure such as `−2.3 ± 0.4`."""
    return float(shown.split(" ± ")[0].replace("−", "-"))


def test_a_hint_recommends_the_fewest_points_that_it_shows(visit, service):
    here = visit(size=DESKTOP)

    def other(route):  # the engine's score prefers the last legal card: no reason to advise it
        told = route.fetch().json()
        card = told["hint"]["choices"][-1]["cards"][0]
        route.fulfill(json=told | {"move": told["move"] | {"card": card}})

    here.context.route("**/api/move", other)
    page = here.open("/")
    page.click("#play")
    page.wait_for_selector("#pass")
    page.click("#hint")  # also for the pass
    page.wait_for_selector(".hand .advised")
    assert page.locator(".hand .advised").count() == 3
    for passing in (True, False):
        if not passing:
            page.click("#follow")
            expect(page.locator(".hand .advised.chosen")).to_have_count(3)
            page.click("#pass")
            page.wait_for_selector("#pass", state="detached")
            while wait_for_turn(page) and page.locator(".hand .open").count() == 1:
                play_card(page)
            legal = view_of(service, here)["hand"]["legal"]
            page.click("#hint")
            page.wait_for_selector(".hand .advised")
        text, choices = advised(page)
        points = [points_in(shown) for _, shown, _ in choices if shown != "–"]
        assert len(points) > 1
        assert points == sorted(points)
        assert f"expected to cost {choices[0][1].replace('−', '-')} points" in text
        assert [chosen for _, _, chosen in choices] == [True] + [False] * (len(choices) - 1)
        marked = page.locator(".hand .advised").evaluate_all(
            "all => all.map((c) => c.dataset.card)"
        )
        assert sorted(marked) == sorted(choices[0][0])
        assert not INTERNAL.search(page.locator(".hint").inner_text())
    assert sorted(card for cards, _, _ in choices for card in cards) == sorted(legal)
    (card,) = choices[0][0]
    page.click("#follow")
    page.wait_for_selector(f'.hand [data-card="{card}"]', state="detached")


# While they are held, no timer of the page runs out: nothing is animated.
HELD_TIMERS = """{ const real = setTimeout, queue = []; let held = false;
    window.setTimeout = (act, ...rest) => (held ? queue.push(act) : real(act, ...rest));
    window.hold = () => { held = true; };
    window.release = () => { held = false; queue.splice(0).forEach((act) => act()); }; }"""


def test_nothing_is_shown_before_its_moment(visit, service):
    here = visit(size=DESKTOP, speed="slow")
    here.context.add_init_script(HELD_TIMERS)
    page = sit_down(here, service)
    page.evaluate("hold()")
    view = play_out(service, here)  # the page shows a card or two, and waits for its clock
    done = view["hands"][0]
    for _ in range(PATIENCE // 20):
        if here.views and here.views[-1].get("version") == view["version"]:
            break
        page.wait_for_timeout(20)
    page.evaluate("fetch('/healthz').then((answer) => answer.text())")  # meanwhile it is drawn
    assert page.locator(".trick .card").count() <= 2
    assert "Hearts not broken" in page.inner_text(".status")
    assert page.locator(".summary").count() == 0
    assert page.locator(".scores").count() == 0
    page.click("#tab-deal")
    expect(page.locator(".fair [data-hand='0'] b")).to_have_text("Sealed until the hand is over")
    assert done["opening"]["nonce"] not in page.content()
    page.click("#tab-beliefs")
    assert page.locator(".heat").count() == 0
    assert not any("/api/beliefs" in url for url in here.requests)
    page.evaluate("""() => { const now = JSON.parse(localStorage['hearts.settings']);
        localStorage['hearts.settings'] = JSON.stringify({...now, speed: 'instant'}); }""")
    page.evaluate("release()")
    page.wait_for_selector(".summary")
    page.click("#tab-scores")
    totals = page.locator(".scores tfoot td").all_inner_texts()
    assert totals == [str(points) for points in view["totals"]]

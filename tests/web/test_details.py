"""Details of the pages: addresses without a page, slow networks, keys, colours, and words."""

from __future__ import annotations

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import ViewportSize, expect

from server.http.routes.pages import TEXTS
from tests.web.browser import (
    DESKTOP,
    PHONE,
    first_of,
    pass_three,
    play_card,
    play_out,
    posted,
    sit_down,
    wait_for_turn,
)
from tests.web.test_understand import GOLDEN

LONG = ["Bartholomew the Great", "Wilhelmina of Orange", "Maximilian"]
LARGE = ViewportSize(width=2560, height=1300)


@pytest.fixture(scope="module")
def record():
    """A golden hand with a pass."""
    hands = map(json.loads, GOLDEN.read_text("utf-8").splitlines())
    return next(hand for hand in hands if hand["passed"] and len(hand["plays"]) == 52)


def asked(address, accepted):
    """Status, kind and body of the answer to somebody who accepts some kinds."""
    try:
        with urlopen(Request(address, headers={"Accept": accepted})) as answer:
            return answer.status, answer.headers.get_content_type(), answer.read().decode()
    except HTTPError as error:
        return error.code, error.headers.get_content_type(), error.read().decode()


def test_an_address_without_a_page_is_a_page_for_browsers_only(visit, service):
    here = visit()
    here.refusals_expected = True
    page = here.open("/nothing/here")
    expect(page.locator("h1")).to_have_text("Page not found")
    page.click("#settings")  # it is a page like the others
    page.click("dialog .main")
    page.click("main a")
    page.wait_for_selector("#play")
    browser = "text/html,application/xhtml+xml,*/*;q=0.8"
    assert asked(f"{service.base}/nothing", browser)[:2] == (404, "text/html")
    for path, accepted in (("/nothing", "*/*"), ("/api/nothing", browser)):
        status, kind, body = asked(service.base + path, accepted)
        assert (status, kind) == (404, "application/json")
        assert json.loads(body)["error_code"] == "HTTP_ERROR"


def test_a_slow_network_shows_a_page_that_loads(visit):
    here = visit()
    held = []
    here.context.route("**/play-page.js", lambda route: held.append(route))
    here.page.goto(here.base, wait_until="commit")
    route = first_of(held, here.page)
    expect(here.page.locator(".loading")).to_be_visible()
    expect(here.page.locator(".loading")).to_have_text("Loading …")
    route.continue_()
    here.page.wait_for_selector("#play")
    assert here.page.locator(".loading").count() == 0


def test_cards_grow_with_the_screen(visit, service):
    widths = []
    for size in (DESKTOP, LARGE):
        page = sit_down(visit(size=size), service)
        pass_three(page)
        assert wait_for_turn(page)
        widths.append(page.locator(".hand .card").first.bounding_box()["width"])
    assert widths[1] > 1.4 * widths[0]


RINGS = """(of) => { const style = getComputedStyle(document.querySelector(of));
    return [style.outlineStyle, style.outlineColor, style.boxShadow]; }"""


def test_a_chosen_card_and_the_focus_are_told_apart(visit, service):
    here = visit(size=DESKTOP)
    here.page.emulate_media(reduced_motion="reduce")  # no transition on its way
    page = sit_down(here, service)
    page.keyboard.press("3")
    page.keyboard.press("Space")
    chosen = page.evaluate(RINGS, ".hand .chosen:focus-visible")
    page.keyboard.press("ArrowRight")
    left = page.evaluate(RINGS, ".hand .chosen:not(:focus)")
    focused = page.evaluate(RINGS, ".hand :focus-visible")
    assert focused[0] == "solid"
    assert focused[1] != "rgb(255, 255, 255)"  # which cards are
    assert left[0] == "none"
    assert left[2] != focused[2]  # another ring
    assert chosen == [*focused[:2], left[2]]  # both at once


def test_the_hint_stays_where_it_is(visit, service):
    page = sit_down(visit(size=PHONE), service)
    place = page.locator("#hint").bounding_box()
    page.evaluate(
        """() => { window.places = new Set();
        const look = () => { const hint = document.querySelector('#hint')?.getBoundingClientRect();
          window.places.add(hint ? `${hint.left.toFixed()} ${hint.width.toFixed()}` : 'gone'); };
        new MutationObserver(look)
          .observe(document.querySelector('.actions'), {childList: true}); }"""
    )
    pass_three(page)
    for _ in range(2):
        assert wait_for_turn(page)
        play_card(page)
    assert wait_for_turn(page)
    assert page.evaluate("[...window.places]") == [f"{place['x']:.0f} {place['width']:.0f}"]


def test_arrow_keys_step_through_a_review_at_once(visit, service, record):
    game = posted(service, "/api/games", {"record": record})["game_id"]
    page = visit(size=DESKTOP).open(f"/review?game={game}")
    page.wait_for_selector(".where[data-step='0']")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".where[data-step='2']")
    page.keyboard.press("End")
    page.wait_for_selector(".where[data-step='52']")
    page.click("#share")  # the focus is elsewhere
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".where[data-step='51']")
    page.locator("[role=tab]").first.focus()
    page.keyboard.press("ArrowRight")  # tabs have their own use for it
    assert page.locator(".where").get_attribute("data-step") == "51"
    # the colours of the timeline have names
    assert page.locator(".colours .legend li").all_inner_texts() == [
        "South",
        "West",
        "North",
        "East",
    ]


def review_of(record):
    """A review that finds no mistakes; a real one would take the service a while."""
    alike = {"kind": "play", "cost": 0, "cost_error": 0, "forced": False, "explanation": ""}
    hand = {
        "number": 0,
        "decisions": [
            alike | play | {"number": n, "played": play["card"], "best": play["card"]}
            for n, play in enumerate(record["plays"])
        ],
        "mistakes": {},
        "cost_by_player": [-0.4, 1.0, 2.0, 3.0],
        "chances": {"queen": [], "moon": []},
    }
    return {"status": "success", "complete": True, "hands": [hand]}


def test_a_review_speaks_to_its_player_and_explains_what_is_below_zero(visit, service):
    here = visit(size=DESKTOP)
    page = sit_down(here, service)
    table, _ = here.seat()
    answer = review_of(play_out(service, here)["hands"][0]["record"])
    here.context.route("**/review?hand=0*", lambda route: route.fulfill(json=answer))
    here.open(f"/review?game={table}")
    page.wait_for_selector(".review .figures")
    expect(page.locator(".review .negative")).to_contain_text("cheaper than the expert")
    spoken = []
    for _ in range(5):
        page.keyboard.press("ArrowRight")
        said = f"{page.inner_text('.where')} {page.inner_text('.decision')}"
        assert "by You" not in said
        assert "You plays" not in said
        spoken.append(said)
    assert any("you play" in said for said in spoken)


TOPS = """() => [...document.querySelectorAll('.compare .heat')]
    .map((map) => Math.round(map.getBoundingClientRect().top))"""
CUT = """() => [...document.querySelectorAll('.queen .name')]
    .filter((name) => name.scrollWidth > name.clientWidth + 1).map((name) => name.textContent)"""


@pytest.mark.parametrize("width", [390, 800, 1100, 1440])
def test_maps_of_beliefs_are_level_coloured_and_named_in_full(visit, service, width):
    here = visit(size=ViewportSize(width=width, height=900))
    names = ["human", *({"kind": "engine", "level": "easy", "name": name} for name in LONG)]
    sit_down(here, service, seats=names)
    page = here.open("/beliefs")
    page.click(".compare summary")
    page.wait_for_selector(".compare .heat[data-model=OM-0]")
    tops = page.evaluate(TOPS)
    if width > 1000:
        assert max(tops) - min(tops) <= 1
    assert page.evaluate(CUT) == []
    colours = (
        page.locator(".heat")
        .first.locator(".suit-cell svg")
        .evaluate_all("all => all.map((one) => getComputedStyle(one).color)")
    )
    clubs, diamonds, spades, hearts = colours
    assert clubs == spades != diamonds == hearts


def test_finished_games_are_found_behind_many_newer_tables(visit):
    here = visit(size=DESKTOP)
    player = {"name": "easy", "kind": "engine"}

    def game(number, finished):
        return {
            "game_id": f"g{number}",
            "kind": "table",
            "source": "table",
            "status": "finished" if finished else "open",
            "created_at": "2026-01-01T00:00:00Z",
            "hand_count": 1,
            "totals": [number if finished else 0, 0, 0, 0],
            "players": [player] * 4,
        }

    pages = {"": ("b", range(100), False), "b": ("c", range(100, 125), True)}
    pages["c"] = (None, range(125, 130), True)

    def answer(route):
        following, numbers, finished = pages[route.request.url.partition("cursor=")[2]]
        games = [game(number, finished) for number in numbers]
        route.fulfill(json={"status": "success", "games": games, "next": following})

    here.context.route("**/api/games?*", answer)
    page = here.open("/review")
    expect(page.locator(".games a")).to_have_count(20)
    page.click("#older")
    expect(page.locator(".games a")).to_have_count(30)
    expect(page.locator("#older")).to_have_count(0)
    links = page.locator(".games a").evaluate_all("all => all.map((a) => a.search)")
    assert links == [f"?game=g{number}" for number in range(100, 130)]


def test_a_saved_record_is_found_by_its_link_only(visit, service, record):
    here = visit(size=DESKTOP)
    here.context.route("**/api/review", lambda route: route.fulfill(json=review_of(record)))
    page = here.open("/review")
    page.fill("#record", json.dumps(record))
    page.click("#read")
    page.wait_for_selector(".replayer")
    with page.expect_response("**/api/games") as saved:
        page.click("#share")
    game = saved.value.json()["game_id"]
    assert service.get(f"/api/games/{game}")[0] == 200
    listed = service.get("/api/games?limit=200")[1]["games"]
    assert game not in {each["game_id"] for each in listed}
    assert service.get("/api/games?source=page")[1]["games"] == []
    counted = service.get("/api/stats?group=player&posted=1&source=page")[1]["rows"]
    assert counted == []


OUTDATED = ("is no more", "Go on", "one card on", "had her", "worlds", " %", "play by itself")


def test_texts_say_what_players_say():
    def leaves(node):
        for value in node.values():
            yield from [value] if isinstance(value, str) else leaves(value)

    found = [
        text for text in leaves(TEXTS["en"]) for old in OUTDATED if old.lower() in text.lower()
    ]
    assert found == []

"""Beliefs, replays, reviews and statistics: the pages show what the interface says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hearts.game.cards import ALL_CARDS, name, names
from hearts.game.records import parse_record
from server.storage.database import make_engine
from server.storage.values import Player, Seat
from tests.server.storage.played import keep
from tests.web.browser import (
    DESKTOP,
    PHONE,
    begin,
    play_card,
    play_out,
    posted,
    sit_down,
    view_of,
    wait_for_turn,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "hands.jsonl"
MODELS = ("OM-3", "OM-2", "OM-1", "OM-0")  # the best first, the others on demand


@pytest.fixture(scope="module")
def record():
    """A golden hand with a pass."""
    hands = map(json.loads, GOLDEN.read_text("utf-8").splitlines())
    return next(hand for hand in hands if hand["passed"] and len(hand["plays"]) == 52)


def test_the_heat_map_says_what_the_interface_says(visit, service):
    here = visit(size=DESKTOP)
    page = here.open("/")
    begin(page)
    for _ in range(4):
        assert wait_for_turn(page)
        play_card(page)
    assert wait_for_turn(page)
    page.click("#tab-beliefs")
    page.wait_for_selector(".heat")
    assert page.locator(".heat").count() == 1
    page.click(".compare summary")
    page.wait_for_selector(".heat[data-model=OM-0]")
    shown = page.locator(".heat").evaluate_all("all => all.map((map) => map.dataset.model)")
    assert shown == list(MODELS)
    titles = page.locator(".heat figcaption").all_inner_texts()
    assert titles == ["Reads players", "Reads play", "Counting and voids", "Counting"]
    state = view_of(service, here)["game_state"]
    known = {*state["player_hand"]}
    for trick in [*state["trick_history"], state["current_trick"]]:
        known |= {play["card"] for play in trick["cards"]}
    for model in MODELS:
        told = posted(service, "/api/beliefs", {"game_state": state, "model": model, "seed": 1})
        shown = page.locator(f".heat[data-model={model}] td[data-card]").evaluate_all(
            "all => all.map(({dataset: d, className: c}) => [d.card, +d.seat, d.share, c])"
        )
        assert len(shown) == 52 * 3
        for card, seat, share, kind in shown:
            assert ("gone" in kind) == (card in known)
            if card not in known:
                assert float(share) == pytest.approx(told["probabilities"][card][seat], abs=6e-5)
                assert ("void" in kind) == (card[-1] in told["voids"][seat])
                assert ("known" in kind) == (card in told["known"][seat])
        # every hidden card is with somebody
        for card in map(name, ALL_CARDS):
            if card not in known:
                mine = [float(share) for each, _, share, _ in shown if each == card]
                assert sum(mine) == pytest.approx(1, abs=1e-3)


def test_a_logged_game_is_replayed_to_its_last_card(visit, service, record):
    game = posted(service, "/api/games", {"record": record})["game_id"]
    deal = parse_record(record).deal
    here = visit(size=DESKTOP)
    page = here.open(f"/review?game={game}")
    page.wait_for_selector(".replayer")
    hands = [set(names(cards)) for cards in parse_record({**record, "plays": []}).deal.hands]
    for step, play in enumerate(record["plays"], 1):
        page.click("#step-forward")
        hands[play["player"]].discard(play["card"])
        trick, held = page.evaluate(
            """() => [[...document.querySelectorAll('.trick .card')].map((one) => one.dataset.card),
            [0, 1, 2, 3].map((seat) => document.querySelector(`.plate.at-${seat}`))
              .map((plate) => [...plate.querySelectorAll('.diagram [data-card]')])
              .map((held) => held.map((one) => one.dataset.card))]"""
        )
        first = (step - 1) // 4 * 4
        assert trick == [each["card"] for each in record["plays"][first:step]]
        assert [set(cards) for cards in held] == hands
    assert page.locator("#step-last").is_visible()
    assert page.locator(".where").get_attribute("data-step") == "52"
    points = page.locator(".plate .points b").all_inner_texts()
    assert list(map(int, points)) == list(deal.final_points())
    # the review: costs on the timeline, the chances of queen and moon
    page.wait_for_selector(".timeline i")
    assert page.locator(".timeline i").count() == 52
    assert page.locator(".plots svg").count() == 2
    assert f"game={game}" in page.url  # a link to this very moment
    assert "step=52" in page.url


def test_a_record_in_a_file_is_reviewed_and_its_mistakes_lead_to_their_moment(
    visit, service, record, tmp_path
):
    here = visit(size=PHONE)
    page = here.open("/review")
    file = tmp_path / "hand.jsonl"
    file.write_text(json.dumps(record) + "\n")
    page.set_input_files("input[type=file]", file)
    page.wait_for_selector(".mistakes button")
    told = posted(service, "/api/review", {"record": record})["hands"][0]
    worst = max(
        (one for one in told["decisions"] if one["kind"] == "play"),
        key=lambda one: one["cost"] or 0,
    )
    assert worst["cost"] >= 0.5
    page.locator(".mistakes button", has_text="Trick").first.click()
    assert page.locator(".decision .verdict").count() == 1
    assert page.locator(".diagram .next").count() == 1
    page.click("#tab-beliefs")
    page.wait_for_selector(".heat")
    assert page.locator(".heat").count() == 2  # the best model and the truth


def test_a_record_is_logged_once_and_its_link_leads_to_the_very_moment(visit, record):
    here = visit(size=DESKTOP)
    logged = []
    here.page.on("request", lambda sent: sent.method == "POST" and logged.append(sent.url))
    page = here.open("/review?hand=7&step=9")  # no game: means nothing
    page.fill("#record", json.dumps(record))
    page.click("#read")
    page.wait_for_selector(".where[data-step='0']")
    for _ in range(3):
        page.click("#step-forward")
    assert page.inner_text("#share") == "Save and copy link"
    page.click("#share")
    page.wait_for_selector("#share:has-text('Copy link'):enabled")
    page.click("#share")
    page.wait_for_selector("#share:enabled")
    assert sum(url.endswith("/api/games") for url in logged) == 1
    assert re.search(r"/review\?game=[\w-]+&hand=0&step=3$", page.url)
    page.go_back()
    page.wait_for_selector("#record")
    page.go_forward()
    page.wait_for_selector(".where[data-step='3']")


def test_a_link_with_a_token_shows_a_game_and_keeps_its_token_from_servers(visit, service, record):
    game = posted(service, "/api/games", {"record": record})["game_id"]
    shared = posted(service, f"/api/games/{game}/shares", {})
    here, sent = visit(size=DESKTOP), []
    here.page.on("request", lambda request: sent.append(request))
    queued = {"status": 202, "headers": {"Retry-After": "0"}, "json": {"status": "pending"}}
    reviews = f"**/api/games/{game}/review*"
    here.context.route(reviews, lambda route: route.fulfill(**queued), times=1)
    page = here.open(shared["url"].removeprefix(service.base))
    page.wait_for_selector(".replayer")
    page.wait_for_selector(".review table")
    page.click("#step-forward")
    token = shared["share_token"]
    page.wait_for_url(f"**/review#game={game}&share={token}&hand=0&step=1")
    about = [each for each in sent if f"/api/games/{game}" in each.url]
    assert len(about) == 3  # the game, and its review, which is queued first
    assert all(each.headers.get("x-share-token") == token for each in about)
    assert not any(token in url.partition("#")[0] for url in here.requests)
    page.reload()
    page.wait_for_selector(".where[data-step='1']")


def test_a_dropped_file_is_read(visit, record):
    page = visit(size=DESKTOP).open("/review")
    page.wait_for_selector(".drop")
    page.evaluate(
        """(text) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], 'hand.json', {type: 'application/json'}));
        const drop = document.querySelector('.drop');
        drop.dispatchEvent(new DragEvent('drop', {dataTransfer, cancelable: true})); }""",
        json.dumps(record),
    )
    page.wait_for_selector(".where[data-step='0']")
    page.click("#step-forward")
    page.wait_for_selector(".where[data-step='1']")
    first = record["plays"][0]["card"]
    assert page.locator(".trick [data-card]").get_attribute("data-card") == first


def test_after_the_hand_the_truth_is_beside_the_beliefs(visit, service):
    here = visit(size=DESKTOP)
    page = sit_down(here, service)
    second = here.context.new_page()
    second.goto(here.base + "/beliefs")
    second.wait_for_selector(".heat")
    assert second.locator(".heat").count() == 1
    dealt = play_out(service, here)["hands"][0]["record"]
    page.wait_for_selector("#next")
    page.click("#tab-beliefs")
    for each in (page, second):
        each.wait_for_selector(".heat[data-model=truth]")
        assert each.locator(".heat").count() == 2
    held = page.locator(".heat[data-model=truth] td[data-share='1.0000']").evaluate_all(
        "all => all.map(({dataset: d}) => [d.card, +d.seat])"
    )
    left = {play["card"]: play["player"] for play in dealt["plays"][24:]}
    assert dict(held) == {card: seat for card, seat in left.items() if seat != 0}


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda record: "{", "is not JSON"),
        (
            lambda record: json.dumps({**record, "dealt": record["dealt"][:3]}),
            "four lists of cards",
        ),
        (lambda record: json.dumps({**record, "plays": record["plays"][1:]}), "plays[0]: "),
    ],
    ids=["no-json", "three-hands", "illegal-play"],
)
def test_an_import_is_refused_with_a_readable_reason(visit, record, spoil, reason):
    here = visit()
    here.refusals_expected = True
    page = here.open("/review")
    page.fill("#record", spoil(record))
    page.click("#read")
    page.wait_for_selector("#refusal .problem")
    assert reason in page.locator("#refusal").inner_text()
    assert page.locator(".replayer").count() == 0


def test_statistics_are_those_of_the_interface(visit, service, record):
    seats = tuple(Seat(Player("human", name)) for name in ("Ann", "Bob", "Cleo", "Dan"))
    database = make_engine(f"sqlite:///{service.log.parent / 'var' / 'hearts.db'}")
    keep(database, [parse_record(record)], kind="table", seats=seats)
    database.dispose()
    here = visit(size=DESKTOP)
    page = here.open("/stats")
    page.wait_for_selector("#ladder tbody tr")
    rungs = page.locator("#ladder tbody tr").evaluate_all(
        "all => all.map((row) => row.dataset.player)"
    )
    _, ladder, _ = service.get("/api/ladder")
    assert rungs == [each["player"] for each in ladder["players"]]
    # bots at tables of other tests may play on: what counts is what this page was told
    with page.expect_response("**/api/stats?group=player") as asked:
        page.locator(".choice label", has_text="Players").click()
    page.wait_for_selector("#figures tbody tr:has-text('Ann')")
    told = [row for row in asked.value.json()["rows"] if row["points"] is not None]
    assert page.locator("#figures tbody tr").count() == len(told)
    names = {row["label"] for row in told}
    assert names >= {"Ann", "Bob", "Cleo", "Dan"}
    page.locator(".games a", has_text="Ann").first.click()
    page.wait_for_selector(".replayer")

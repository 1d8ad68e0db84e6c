"""Passing, beliefs, analysis, legal cards, models, metrics, the document and its page."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hearts.engine.beliefs import belief_names
from hearts.engine.levels import LEVELS
from hearts.game.cards import ALL_CARDS, name
from server.http.errors import CODES
from server.http.routes.docs import FOLDER as SWAGGER_UI
from server.http.routes.docs import VERSION
from server.http.routes.pages import POLICY
from server.http.schemas import examples
from server.http.schemas.search import DESCRIPTIONS, AiConfigSchema
from server.search.options import PLAYER_TYPES
from tests.server.api import FAST, OPENING, SHORT, trick

ROOT = Path(__file__).parents[3]
PASS = {"player_hand": OPENING, "pass_direction": 1, "rules": 4001}


def first_record() -> dict:
    with gzip.open(ROOT / "tests/data/xinxin-10k-dev.jsonl.gz", "rt") as lines:
        return json.loads(lines.readline())


# Passing


@pytest.mark.parametrize("direction", [1, -1, 2, "left", "across"])
def test_three_cards_of_the_hand_are_passed(api, direction):
    body = {"game_state": PASS | {"pass_direction": direction}, "ai_config": {"simulations": 600}}
    status, answer = api.post("/api/pass", body)
    assert (status, answer["status"]) == (200, "success")
    assert len(set(answer["pass"]) & set(OPENING)) == 3
    assert answer["candidates"][0]["cards"] == answer["pass"]
    assert answer["simulations"] == sum(each["playouts"] for each in answer["candidates"])


def test_a_pass_by_rule_needs_no_playouts(api):
    body = {"game_state": PASS, "ai_config": {"passing": "rule"}}
    answer = api.post("/api/pass", body)[1]
    assert (len(answer["pass"]), answer["candidates"], answer["simulations"]) == (3, [], 0)


@pytest.mark.parametrize("field", ["scores", "match_scores"])
def test_a_match_at_its_beginning_is_known_too(api, field):
    body = {"game_state": PASS | {field: [0] * 4}, "ai_config": FAST | {"player_type": "global"}}
    assert api.post("/api/pass", body)[1]["config"]["reward"] == "match"


def test_before_the_first_card_scores_are_the_match_s(api):
    hashes = [
        api.post("/api/pass", {"game_state": PASS | more, "ai_config": FAST})[1]["view_hash"]
        for more in ({"scores": [90, 0, 0, 0]}, {"match_scores": [90, 0, 0, 0]}, {})
    ]
    assert hashes[0] == hashes[1] != hashes[2]


BAD_PASSES = {
    "12 cards": (
        {"player_hand": OPENING[:12], "pass_direction": 1},
        "player_hand: 12 cards: a pass is made from 13",
    ),
    "no cards": (
        {"player_hand": [], "pass_direction": 1},
        "player_hand: 0 cards: a pass is made from 13",
    ),
    "no direction": (
        {"player_hand": OPENING},
        "pass_direction: is missing: say who gets the cards (1, -1 or 2)",
    ),
    "hold": (
        {"player_hand": OPENING, "pass_direction": 0},
        "pass_direction: no cards are passed when the direction is hold",
    ),
    "a trick": (
        PASS | {"current_trick": trick(3, "3C")},
        "pass_direction: cards are passed before the first is played, from 13",
    ),
    "twice": (PASS | {"player_hand": [*OPENING[1:], "AH"]}, "player_hand[12]: AH is named twice"),
}


@pytest.mark.parametrize("case", BAD_PASSES)
def test_a_pass_that_cannot_be(api, case):
    state, message = BAD_PASSES[case]
    assert api.refused(state, "/api/pass") == ("INVALID_GAME_STATE", f"game_state.{message}")


# Beliefs


@pytest.mark.parametrize("model", belief_names())
def test_every_model_says_who_holds_what(api, model):
    state = {"player_hand": SHORT, "current_trick": trick(3, "9D")}
    body = {"game_state": state, "model": model, "worlds": 3, "seed": 5}
    status, answer = api.post("/api/beliefs", body)
    assert status == 200
    assert list(answer["probabilities"]) == [name(card) for card in ALL_CARDS]
    if model.startswith("OM-"):  # others may doubt what the seat sees
        table = answer["probabilities"]
        assert table["8D"] == [1, 0, 0, 0]
        assert table["9D"] == [0, 0, 0, 0]
        for seat, held in enumerate([7, 7, 7, 6]):
            assert sum(row[seat] for row in table.values()) == pytest.approx(held, abs=1e-3)
    assert [len(hand) for hand in answer["worlds"][0]["hands"]] == [7, 7, 7, 6]
    assert api.post("/api/beliefs", body)[1]["worlds"] == answer["worlds"]


def test_the_mixture_takes_its_share_apart_or_in_its_name(api):
    if "mixture" not in belief_names():
        pytest.skip("no mixture is installed")
    state = {"player_hand": SHORT}
    apart = api.post("/api/beliefs", {"game_state": state, "model": "mixture", "lambda": 0.3})[1]
    named = api.post("/api/beliefs", {"game_state": state, "model": "mixture:0.3"})[1]
    assert apart["model"] == named["model"] == "mixture:0.3"
    assert apart["probabilities"] == named["probabilities"]
    move = api.move(state, belief="mixture", **{"lambda": 0.3})
    assert move["model"] == "mixture:0.3"


def test_shown_voids_are_known(api):
    first = trick(2, "2C AC 7C 3C")
    second = trick(3, "4D 8D 2D 5S")  # seat 2 has no diamonds
    hand = "9C QC 3D JD 4S QS KS 2H 6H 9H AH".split()  # noqa: SIM905  # as cards are written
    state = {"player_hand": hand, "trick_history": [first, second], "rules": 2465}
    answer = api.post("/api/beliefs", {"game_state": state})[1]
    assert answer["voids"][2] == ["D"]
    assert all(answer["probabilities"][card][2] == 0 for card in ("5D", "AD", "KD"))


def test_before_the_pass_nobody_is_said_to_lead(api):
    """A direction and no card passed yet: without 2C in the hand, nothing is wrong with that."""
    state = {"player_hand": ["3C", *OPENING[1:]], "pass_direction": 1, "rules": 4001}
    before = api.post("/api/beliefs", {"game_state": state | {"passed_cards": []}})[1]
    assert before["warnings"] == []
    assert before["probabilities"]["2C"] == [0, 0.333333, 0.333333, 0.333333]
    leading = api.post("/api/beliefs", {"game_state": state})[1]
    assert len(leading["warnings"]) == 1
    later = state | {"passed_cards": [], "current_trick": trick(3, "2C")}
    assert api.post("/api/beliefs", {"game_state": later})[1]["warnings"] == []


@pytest.mark.parametrize(("more", "message"), [
    ({"model": "OM-9"}, "model: 'OM-9' is not installed"), ({"worlds": -1}, "worlds: must be 0 to"),
    ({"worlds": 1001}, "worlds: must be 0 to 1000"), ({"seed": -1}, "seed: -1 is out of range: "),
    ({"lambda": 0.5}, "lambda: only the belief 'mixture' has a λ"),
])  # fmt: skip
def test_beliefs_out_of_their_range(api, more, message):
    status, answer = api.post("/api/beliefs", {"game_state": {"player_hand": SHORT}} | more)
    assert (status, answer["error_code"]) == (400, "AI_CONFIG_ERROR")
    assert answer["message"].startswith(message)


# Analysis


def test_a_whole_hand_is_analysed_decision_by_decision(api):
    record = first_record()
    config = {"simulations": 40, "worlds": 4, "seed": 1, "explain": False}
    status, answer = api.post("/api/analysis", {"record": record, "ai_config": config})
    decisions = answer["decisions"]
    assert (status, answer["complete"], len(decisions)) == (200, True, 56)
    assert [each["kind"] for each in decisions] == ["pass"] * 4 + ["play"] * 52
    played = [(each["player"], each["played"].replace("10", "T")) for each in decisions[4:]]
    assert played == [(play["player"], play["card"]) for play in record["plays"]]
    for each in decisions[4:]:
        assert each["cost"] == 0 or each["played"] != each["best"]
    assert all(each["cost"] is not None for each in decisions)
    for seat in range(4):
        spent = sum(each["cost"] for each in decisions if each["player"] == seat)
        assert answer["cost_by_player"][seat] == pytest.approx(spent, abs=0.01)


def test_a_blunder_costs_points(api):
    """The queen of spades is led; the king takes her, the three does not."""
    state = {
        "player_hand": ["KS", "3S", "9D", "8D", "2H", "10C", "6C"],
        "current_trick": trick(3, "QS"), "rules": 2465,
    }  # fmt: skip
    body = {"states": [state | {"played": "KS"}, state | {"played": "3S"}, state]}
    answer = api.post("/api/analysis", body | {"ai_config": {"simulations": 600, "seed": 1}})[1]
    king, three, unknown = answer["decisions"]
    assert king["best"] == three["best"] == "3S"
    assert king["cost"] > 8
    assert three["cost"] == 0
    assert (unknown["played"], unknown["cost"]) == (None, None)
    assert {move["card"] for move in king["analysis"]} == {"KS", "3S"}


def test_what_a_card_costs_that_was_never_tried_is_unknown(api):
    state = {"player_hand": SHORT, "played": "AS"}
    config = {"simulations": 1, "worlds": 1, "seed": 1}
    answer = api.post("/api/analysis", {"states": [state], "ai_config": config})[1]
    (decision,) = answer["decisions"]
    tried = [move["card"] for move in decision["analysis"] if move["visits"]]
    assert tried == [decision["best"]] != ["AS"]
    assert decision["cost"] is None
    assert answer["cost_by_player"] == [0, 0, 0, 0]


def test_an_analysis_is_for_the_match_where_every_state_knows_it(api):
    def reward(*states: dict) -> str:
        config = FAST | {"player_type": "global"}
        return api.post("/api/analysis", {"states": states, "ai_config": config})[1]["config"][
            "reward"
        ]

    known = {"player_hand": SHORT, "match_scores": [0, 0, 0, 0]}
    assert reward(known) == reward(known, known) == "match"
    assert reward({"player_hand": SHORT}) == reward(known, {"player_hand": SHORT}) == "difference"


def test_fields_of_a_record_that_nobody_reads_are_named(api):
    record = first_record() | {"plays": [], "points": None, "mood": 1}
    answer = api.post("/api/analysis", {"record": record, "ai_config": FAST})[1]
    assert answer["warnings"] == ["record.mood: unknown, ignored", "record.seed: unknown, ignored"]


BAD_ANALYSES = {
    "neither": ({}, "PARSE_ERROR", "send either states or record"),
    "both": ({"states": [{"player_hand": SHORT}], "record": {}}, "PARSE_ERROR", "send either"),
    "no states": ({"states": []}, "PARSE_ERROR", "states: must be 1 to 64 states"),
    "65 states": (
        {"states": [{"player_hand": SHORT}] * 65},
        "PARSE_ERROR",
        "states: must be 1 to 64 states",
    ),
    "a bad state": (
        {"states": [{"player_hand": SHORT}, {"player_hand": ["ZZ"]}]},
        "INVALID_GAME_STATE",
        "states[1].player_hand[0]: 'ZZ' is not a card",
    ),
    "an empty hand": (
        {"states": [{"player_hand": []}]},
        "NO_LEGAL_MOVES",
        "states[0].player_hand: no cards",
    ),
    "a card that may not be played": (
        {"states": [{"player_hand": SHORT, "current_trick": trick(3, "9D"), "played": "AS"}]},
        "INVALID_GAME_STATE",
        "states[0].played: AS may not be played here; 8D may",
    ),
    "an empty record": ({"record": {}}, "INVALID_GAME_STATE", "record.rules: missing"),
    "a record without a direction": (
        {"record": {"rules": 4001}},
        "INVALID_GAME_STATE",
        "record.pass_direction: missing",
    ),
    "a record without a hand": (
        {"record": {"rules": 4001, "pass_direction": "hold", "dealt": [None] * 4}},
        "INVALID_GAME_STATE",
        "record.dealt[0]: must be a list of cards",
    ),
    "a record list": ({"record": []}, "PARSE_ERROR", "record: must be an object, not a list"),
}


@pytest.mark.parametrize("case", BAD_ANALYSES)
def test_an_analysis_that_cannot_be(api, case):
    body, code, message = BAD_ANALYSES[case]
    status, answer = api.post("/api/analysis", body)
    assert (status, answer["error_code"]) == (400, code)
    assert answer["message"].startswith(message)


def test_an_illegal_play_in_a_record_is_named(api):
    record = first_record()
    record["plays"][0]["card"] = "3C"
    status, answer = api.post("/api/analysis", {"record": record})
    assert (status, answer["error_code"]) == (400, "INVALID_GAME_STATE")
    assert answer["message"].startswith("record.plays[0]: seat ")


# Legal cards, models, metrics


def test_legal_cards_and_whose_turn_it_is(api):
    state = {"player_hand": SHORT, "current_trick": trick(3, "9D")}
    answer = api.post("/api/legal", {"game_state": state})[1]
    assert (answer["legal_cards"], answer["turn"]) == (["8D"], 0)
    state = {"player_hand": SHORT, "current_trick": trick(2, "9D")}
    answer = api.post("/api/legal", {"game_state": state})[1]
    assert (answer["legal_cards"], answer["turn"]) == ([], 3)
    over = api.post("/api/legal", {"game_state": {"player_hand": []}})[1]
    assert (over["legal_cards"], over["turn"]) == ([], None)


def test_models_lists_everything_that_can_be_chosen(api):
    answer = api.client.get("/api/models").json
    assert [model["name"] for model in answer["models"]] == list(belief_names())
    assert answer["levels"].keys() == LEVELS.keys()
    assert answer["player_types"] == PLAYER_TYPES
    assert answer["defaults"]["move"]["simulations"] == 10_000
    assert answer["ceilings"]["states"] == 64
    for playout in answer["playouts"]:
        assert api.move({"player_hand": SHORT}, playout=playout)["config"]["playout"] == playout
    for aggregation in answer["aggregations"]:
        assert api.move({"player_hand": SHORT}, aggregation=aggregation)["warnings"] == []


def test_metrics_count_requests_searches_and_simulations(api):
    def value(line: str) -> float:
        found = [
            row for row in api.client.get("/metrics").text.splitlines() if row.startswith(line)
        ]
        return float(found[0].split()[-1]) if found else 0.0

    lines = (
        'hearts_requests_total{endpoint="/api/move",method="POST",status="200"}',
        'hearts_request_seconds_count{endpoint="/api/move"}',
        'hearts_search_seconds_count{endpoint="/api/move"}',
        "hearts_simulations_total",
    )
    before = [value(line) for line in lines]
    api.move({"player_hand": SHORT}, simulations=70)
    after = [value(line) for line in lines]
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 1, 1, 70]
    api.client.get("/a/path/that/a/stranger/made/up")
    assert "stranger" not in api.client.get("/metrics").text
    for name_ in ("hearts_queue_waiting", "hearts_busy_refusals_total", "hearts_slots"):
        assert f"\n{name_} " in api.client.get("/metrics").text


def counted(api, endpoint: str, method: str, status: int) -> bool:
    """Whether a request has been counted under these names."""
    labels = f'{{endpoint="{endpoint}",method="{method}",status="{status}"}}'
    return f"hearts_requests_total{labels}" in api.client.get("/metrics").text


def test_strangers_make_no_metrics_of_their_own(api):
    api.client.open("/api/legal", method="BREW")
    assert counted(api, "/api/legal", "other", 405)
    assert "BREW" not in api.client.get("/metrics").text
    api.client.put("/api/legal")
    assert counted(api, "/api/legal", "PUT", 405)
    api.client.get("/nowhere")
    assert counted(api, "unknown", "GET", 404)


# The document, its page, and API_SPEC.md


@pytest.mark.parametrize(
    "path", ["move", "play-one", "legal", "pass", "beliefs", "analysis", "review"]
)
def test_the_document_s_examples_work(api, path):
    document = api.client.get("/openapi.json").json
    body = document["paths"][f"/api/{path}"]["post"]["requestBody"]
    example = body["content"]["application/json"]["example"]
    assert example == getattr(examples, path.replace("-", "_").upper())
    status, answer = api.post(f"/api/{path}", example)
    assert (status, answer["status"], answer["warnings"]) == (200, "success", [])


def test_the_types_of_the_document_are_json_schema_s(api):
    def types(node: object) -> Iterator[object]:
        if isinstance(node, dict):
            if "type" in node and not isinstance(node["type"], dict):
                yield node["type"]
            for below in node.values():
                yield from types(below)
        elif isinstance(node, list):
            for below in node:
                yield from types(below)

    found = list(types(api.client.get("/openapi.json").json))
    lists = [kind for kind in found if isinstance(kind, list)]
    assert ["integer", "string", "null"] in lists
    assert all(len(set(kind)) == len(kind) for kind in lists), lists


def test_every_knob_has_a_description(api):
    assert set(DESCRIPTIONS) <= set(AiConfigSchema().fields)
    for knob, field in AiConfigSchema().fields.items():
        assert field.metadata["description"] != "see hearts/engine/config.py", knob


def test_the_page_takes_everything_from_this_service(api):
    page = api.client.get("/docs")
    assert page.content_type == "text/html; charset=utf-8"
    assert page.headers["Content-Security-Policy"] == POLICY
    named = re.findall(r'(?:src|href)="([^"]*)"', page.text)
    for path in named:
        assert path.startswith("/")
        assert api.client.get(path).status_code == 200, path
    for file in ("swagger-ui.css", "swagger-ui-bundle.js"):
        path = f"/docs/{VERSION}/{file}"
        assert path in named
        plain = api.client.get(path)
        assert plain.data == (SWAGGER_UI / file).read_bytes()
        packed = api.client.get(path, headers={"Accept-Encoding": "gzip"})
        assert gzip.decompress(packed.data) == plain.data
    assert api.client.get(f"/docs/{VERSION}/index.css").status_code == 404


def test_the_specification_names_every_path_and_every_error_code(api):
    text = (ROOT / "API_SPEC.md").read_text("utf-8")
    for path in api.client.get("/openapi.json").json["paths"]:
        assert f" {path}`" in text, path
    for code, status in CODES.values():
        lines = [line for line in text.splitlines() if f"`{code}`" in line and line.startswith("|")]
        assert any(str(status) in line for line in lines), code

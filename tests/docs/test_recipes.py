"""The recipes of docs/contributing.md work (that of beliefs: tests/laws/test_installed.py)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pytest
from flask import Response

from hearts.arena.referee import Referee
from hearts.engine.beliefs import belief_names
from hearts.game.cards import Card, CardSet, lowest, members, set_of
from hearts.game.deal import Deal
from hearts.game.rules import MASK_BITS, PASSING, PassDirection, Rules
from hearts.players.player import Player
from hearts.players.registry import create_player
from hearts.players.spec import RULE_BASED, parse_spec
from hearts.views.view import View
from server.http import app as application_module
from server.http.bodies import HeartsBlueprint
from server.http.replies import success
from server.http.routes import BLUEPRINTS
from server.http.schemas.base import RequestSchema
from server.http.schemas.fields import Whole
from server.http.schemas.replies import HealthReply
from server.runtime.requests import RequestData
from server.runtime.settings import Settings
from tests.docs.markdown import ROOT, read, tables

API_SPEC = read(ROOT / "API_SPEC.md")
STATIC = ROOT / "server" / "web" / "static"
ENGLISH: dict[str, Any] = json.loads(read(ROOT / "server" / "web" / "text" / "en.json"))


# --- a player -----------------------------------------------------------------------------------


class TimidPlayer(Player):
    """Plays the lowest legal card and passes the three lowest."""

    name = "timid"

    def choose_card(self, view: View, seed: int) -> Card:
        return lowest(view.legal)

    def choose_pass(self, view: View, seed: int) -> CardSet:
        return set_of(sorted(members(view.hand))[:3])


def test_a_player_plays_once_it_is_listed(monkeypatch):
    monkeypatch.setitem(RULE_BASED, "timid", f"{__name__}:TimidPlayer")
    timid, random = create_player(parse_spec("timid")), create_player(parse_spec("random"))
    deal = Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(1))
    referee = Referee([timid, random, timid, random])
    assert referee.play(deal, seed=1).finished
    assert [spent.faults for spent in referee.spending] == [{}] * 4


def test_every_player_is_described():
    (table,) = [
        each for each in tables(read(ROOT / "docs" / "tournaments.md")) if each.heading == "Players"
    ]
    shown = [row[0].strip("`") for row in table.lines]
    assert [kind for kind in RULE_BASED if kind not in shown] == []
    for path in ("hearts/players/spec.py", "server/cli/research/arena.py"):
        listed = re.findall(r"\w+", read(ROOT / path).partition("_BASED = {")[0])
        assert set(RULE_BASED) <= set(listed), path


# --- an endpoint --------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class SumRequest(RequestData):
    """Two numbers."""

    first: int
    second: int = 0


class SumRequestSchema(RequestSchema):
    """Two numbers."""

    into = SumRequest
    first = Whole(required=True)
    second = Whole()


def new_blueprint() -> HeartsBlueprint:
    blueprint = HeartsBlueprint("sums", __name__, description="Sums.")

    @blueprint.post("/api/sum")
    @blueprint.arguments(SumRequestSchema())
    @blueprint.response(200, HealthReply)
    def add(request: SumRequest) -> Response:
        """Add two numbers."""
        return success(sum=request.first + request.second, warnings=request.warnings)

    return blueprint


@pytest.fixture
def client(monkeypatch, tmp_path):
    """A client of an application with one more blueprint."""
    monkeypatch.setattr(application_module, "BLUEPRINTS", (*BLUEPRINTS, new_blueprint()))
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'hearts.db'}")
    return application_module.create_app(settings).test_client()


def test_an_endpoint_answers_and_is_documented_once_its_blueprint_is_listed(client):
    answer = client.post("/api/sum", json={"first": 2, "second": 3, "third": 4})
    assert (answer.status_code, answer.json["sum"]) == (200, 5)
    assert "third" in answer.json["warnings"][0]
    wrong = client.post("/api/sum", json={"first": "2"})
    assert (wrong.status_code, wrong.json["error_code"]) == (400, "PARSE_ERROR")
    assert "/api/sum" in client.get("/openapi.json").json["paths"]


# --- a rule option ------------------------------------------------------------------------------


def test_every_rule_option_is_described():
    (table,) = [each for each in tables(API_SPEC) if each.head == ["bit", "flag", "meaning"]]
    assert {row[1].strip("`"): int(row[0]) for row in table.lines} == MASK_BITS
    section = API_SPEC.partition("\n### Rules\n")[2].partition("\n### ")[0]
    assert [each.name for each in fields(Rules) if f"`{each.name}`" not in section] == []


def test_the_pages_know_the_mask():
    listed = read(STATIC / "replay.js").partition("const FLAGS = [")[2].partition("]")[0]
    assert re.findall(r'"(\w+)"', listed) == list(MASK_BITS)


# --- a belief -----------------------------------------------------------------------------------


def test_the_beliefs_page_has_a_sentence_for_each_of_its_models():
    page = read(STATIC / "beliefs.js")
    listed = re.findall(r"const (?:BEST|OTHERS) = (.*?);", page)
    models = re.findall(r'"([\w-]+)"', " ".join(listed))
    assert len(models) > 1
    assert sorted(models) == sorted(ENGLISH["beliefs"]["models"])
    assert sorted(models) == sorted(ENGLISH["beliefs"]["names"])
    assert set(models) <= set(belief_names())


def test_every_belief_is_described():
    (table,) = [
        each
        for each in tables(read(ROOT / "docs" / "engine.md"))
        if each.heading == "Worlds and beliefs"
    ]
    shown = [re.findall(r"[\w-]+", row[0])[0] for row in table.lines]
    assert sorted(shown) == sorted(belief_names())

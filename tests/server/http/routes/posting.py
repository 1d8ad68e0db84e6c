"""Helpers of the tests of games: post a game, show it, and write a record as events."""

from __future__ import annotations

from typing import Any

from hearts.game.cards import name, names
from hearts.game.records import Record
from tests.server.api import Api

EMPTY = {"source": "bots", "players": ["ann", "bob", "cid", "dora"], "rules": 4001}


def posted(record: Record) -> list[dict[str, Any]]:
    """The events of a hand as a client posts them."""
    deal = record.deal
    dealt = [names(cards) for cards in deal.dealt]
    happened = [{"kind": "deal", "dealt": dealt, "pass_direction": deal.direction.label}]
    happened += [
        {"kind": "pass", "player": seat, "cards": names(cards)}
        for seat, cards in enumerate(deal.passes)
        if cards
    ]
    return happened + [
        {"kind": "play", "player": seat, "card": name(card)} for seat, card in deal.plays
    ]


def new_game(api: Api, body: object = EMPTY, **headers: str) -> str:
    """The id of a game that is posted."""
    answer = api.send("/api/games", body, **headers)
    assert answer.status_code == 201, answer.text
    assert answer.headers["Location"] == f"/api/games/{answer.json['game_id']}"
    return answer.json["game_id"]


def shown(api: Api, game_id: str) -> dict[str, Any]:
    """A stored game."""
    answer = api.client.get(f"/api/games/{game_id}")
    assert answer.status_code == 200, answer.text
    return answer.json["game"]

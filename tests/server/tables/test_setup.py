"""Requests for tables: invalid ones, unknown fields, seeds."""

from __future__ import annotations

import pytest

from hearts.game.cards import name, names, parse_card
from tests.server.tables.people import QUICK

BAD_TABLES = {
    "three seats": ({"seats": ["human"] * 3}, "seats: 3 are given: there are 4"),
    "an unknown level": (
        {"seats": ["human", "hard", "hard", "godlike"]},
        "seats[3].ai_config.level: 'godlike' is unknown; choose easy, medium, hard, expert",
    ),
    "a number": ({"seats": ["human", "hard", "hard", 1]}, "seats[3]: must be 'human', a level or"),
    "a strange kind": ({"seats": [{"kind": "cat"}] * 4}, "seats[0].kind: 'cat': choose human or"),
    "a search of a person": (
        {"seats": [{"kind": "human", "level": "hard"}] * 4},
        "seats[0].level: only an engine's seat may have it",
    ),
    "an impossible search": (
        {"seats": [{"ai_config": {"worlds": 0}}] * 4},
        "seats[0].ai_config.worlds: 0 is out of range",
    ),
    "a search of texts": (
        {"seats": [{"ai_config": {"worlds": "9"}}] * 4},
        "seats[0].ai_config.worlds: must be a whole number, not '9'",
    ),
    "above a ceiling": (
        {"seats": [{"ai_config": {"simulations": 2_000_000}}] * 4},
        "seats[0].ai_config.simulations: 2000000 is more than",
    ),
    "open with people": ({"open": True}, "open: only a table without people can be open"),
    "a seed": ({"seed": -1}, "seed: must be 0 to 2⁶⁴ − 1"),
    "a seed with others": (
        {"seed": 1, "seats": ["human", "easy", "human", "easy"]},
        "seed: it would show you the cards of the other people",
    ),
    "a pace": ({"pace_ms": 60_001}, "pace_ms: must be 0 to 60000"),
    "a name": ({"name": "x" * 61}, "name: must have at most 60 characters"),
    "a name of a bot": ({"seats": [{"name": "\n"}] * 4}, "seats[0].name: must have at most 60"),
    "a target": ({"target_score": 0}, "target_score: 0: must be 1 to 100000"),
    "a rule": ({"rules": {"chess": True}}, "rules.chess: there is no such rule"),
    "no points": ({"rules": 64 | 4096}, "rules: no card scores: the match would never end"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_table_that_cannot_be(lobby, case):
    body, message = BAD_TABLES[case]
    answer = lobby.client.post("/api/tables", json=body)
    assert answer.status_code == 400
    assert answer.json["message"].startswith(message)


def test_what_is_not_known_of_a_table_is_warned_of(lobby):
    seats = ["human", {"level": "easy", "mood": 1}, "easy", {"ai_config": {"debug": 1, "seed": 5}}]
    answer = lobby.client.post("/api/tables", json={"seats": seats, "colour": "green"})
    assert answer.json["warnings"] == [
        "colour: unknown, ignored",
        "seats[1].mood: unknown, ignored",
        "seats[3].ai_config.debug: unknown, ignored",
        "seats[3].ai_config.seed: every decision has a seed of its own, ignored",
    ]
    assert answer.headers["Location"] == f"/api/tables/{answer.json['table_id']}"
    assert [player["level"] for player in answer.json["table"]["players"]][1:] == [
        "easy",
        "easy",
        None,
    ]


def test_deals_of_a_seed_are_the_same_at_two_tables_and_said_to_be(lobby):
    hands = []
    for _ in range(2):
        table_id, (me, *_) = lobby.make("human", QUICK, QUICK, QUICK, seed=2**64 - 1)
        dealt = lobby.services.tables.find(table_id).table.current.deal.dealt
        hands.append([names(cards) for cards in dealt])
        assert me.get()["hand"]["cards"] == hands[-1][0]
        assert me.get()["seeded"] is True
    assert hands[0] == hands[1]
    assert name(parse_card(hands[0][0][0])) == hands[0][0][0]
    assert lobby.people()[1][0].get()["seeded"] is False


@pytest.mark.parametrize(
    ("seat", "reward", "level"),
    [
        ({"level": "hard"}, "match", "hard"),
        ({"level": "expert"}, "match", "expert"),
        ({"level": "easy"}, "relative", "easy"),
        ({"level": "hard", "ai_config": {"reward": "difference"}}, "difference", "hard"),
        ({"level": "hard", "ai_config": {"reward": "points"}}, "points", None),
        ({"ai_config": {"worlds": 5}}, "match", None),
        ({"ai_config": {"player_type": "simple"}}, "points", None),
    ],
)
def test_bots_play_for_the_match_unless_they_are_told_otherwise(lobby, seat, reward, level):
    answer = lobby.client.post("/api/tables", json={"seats": ["human", seat, "easy", "easy"]})
    session = lobby.services.tables.find(answer.json["table_id"])
    bot = session.setup.seats[1]
    assert bot.config is not None
    assert (bot.config.reward, bot.player.level) == (reward, level)

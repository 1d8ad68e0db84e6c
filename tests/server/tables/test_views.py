"""Views of tables: a seat can post its own to the endpoints, and they say why a card is illegal."""

from __future__ import annotations

import json
import sys
from random import Random

import pytest

from hearts.game.cards import names, parse_card, set_of
from hearts.game.errors import IllegalMove
from hearts.game.records import parse_record
from hearts.game.scoring import points_of
from server.tables.views import view_of
from tests.server.tables.people import Lobby, Seat, passed
from tests.server.tables.tables import new_table, next_events

FAST = {"simulations": 10, "worlds": 2, "passing": "rule", "explain": False}


def advised(lobby: Lobby, seats: list[Seat], turn: int) -> None:
    """Hold every seat's state against the endpoints that choose moves."""
    for seat in seats:
        view = seat.get()
        state = view["game_state"]
        beliefs = lobby.post("/api/beliefs", {"game_state": state})
        assert beliefs["warnings"] == []
        assert state["current_player"] == view["seat"]
        legal = lobby.post("/api/legal", {"game_state": state})
        assert legal["warnings"] == []
        assert legal["turn"] == view["hand"]["turn"] == turn
        assert legal["legal_cards"] == view["hand"]["legal"]
        assert legal["hearts_broken"] == view["hand"]["hearts_broken"]


def test_what_a_seat_is_shown_can_be_posted_for_advice_at_every_turn(lobby):
    """A hand of four people who all play what the service says, from their views alone."""
    _, seats = lobby.people(target_score=1000)
    for seat in seats:
        view = seat.get()
        assert lobby.post("/api/beliefs", {"game_state": view["game_state"]})["warnings"] == []
        hint = lobby.post("/api/pass", {"game_state": view["game_state"], "ai_config": FAST})
        assert hint["warnings"] == []
        seat.do("pass", cards=hint["pass"], version=view["version"])
    while (view := seats[0].get())["phase"] == "playing":
        (turn,) = view["hand"]["waiting_for"]
        if view["version"] % 5 == 0:  # all four seats, at turns of all four
            advised(lobby, seats, turn)
        own = seats[turn].get()
        hint = lobby.post("/api/move", {"game_state": own["game_state"], "ai_config": FAST})
        assert hint["warnings"] == []
        assert hint["legal_cards"] == own["hand"]["legal"]
        assert hint["move"]["player"] == turn
        seats[turn].do("play", card=hint["move"]["card"], version=own["version"])
    (finished,) = view["hands"]
    record = parse_record(finished["record"])
    assert record.deal.finished
    assert view["totals"] == finished["points"] == list(points_of(record.deal))
    assert (view["scores"], view["game_state"]) == ([0] * 4, None)
    assert view["hand"]["hands"] == [
        names(set_of(card for seat, card in record.deal.plays if seat == own)) for own in range(4)
    ]
    view = seats[3].do("next")
    assert (view["hand"]["number"], view["hand"]["pass_direction"]) == (1, "right")
    assert view["game_state"]["match_scores"] == view["scores"] == finished["points"]
    hint = lobby.post("/api/pass", {"game_state": view["game_state"], "ai_config": FAST})
    assert hint["warnings"] == []


def test_every_card_is_legal_or_says_why_not(lobby):
    _, seats = lobby.people()
    view = seats[0].get()
    assert set(view["hand"]["illegal"]) == set(view["hand"]["cards"])
    assert set(view["hand"]["illegal"].values()) == {"cards are passed first"}
    passed(seats)
    reasons = set()
    while seats[0].get()["phase"] == "playing":
        table = lobby.services.tables.find(seats[0].table_id).table
        deal = table.current.deal
        for number, seat in enumerate(seats):
            hand = seat.get()["hand"]
            assert set(hand["legal"]) | set(hand["illegal"]) == set(hand["cards"])
            assert not set(hand["legal"]) & set(hand["illegal"])
            for card, why in hand["illegal"].items():
                with pytest.raises(IllegalMove) as caught:
                    deal.play(parse_card(card), number)
                assert str(caught.value) == f"seat {number} cannot play {card}: {why}"
                reasons.add(why)
        assert deal.turn is not None
        seats[deal.turn].play_on(seats[deal.turn].get())
    assert {"must follow clubs", "the 2C opens the hand", "seat 0 is to play"} <= reasons


def test_deltas_of_a_long_match_are_much_smaller_than_whole_views():
    table, rng = new_table(target=10_000), Random(3)
    whole = delta = known = 0
    while len(table.done) < 10:
        table = table.after(next_events(table, rng, claims=False))
        whole += len(json.dumps(view_of(table, 0)))
        delta += len(json.dumps(view_of(table, 0, since=known)))
        known = table.version
    sys.stdout.write(f"10 hands: {whole:,} bytes as whole views, {delta:,} as deltas\n")
    assert delta < whole / 3

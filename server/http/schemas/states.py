"""Schemas of game states. They check types only and return the object, which the codec reads."""

from __future__ import annotations

from marshmallow import validate

from server.http.schemas.base import RequestSchema
from server.http.schemas.fields import (
    AnyOf,
    Card,
    Cards,
    Flag,
    ListOf,
    Numbers,
    ObjectOf,
    Piles,
    Whole,
    about,
)

MAX_EARLIER = 40  # finished hands of a match in one request


class PlayedCardSchema(RequestSchema):
    """A card and its player."""

    card = Card(required=True)
    player = Whole(required=True, metadata={"description": "seat 0 to 3"})


class TrickSchema(RequestSchema):
    """The cards of a trick in the order they were played."""

    cards = ListOf(ObjectOf(PlayedCardSchema), **about("empty before the first card"))
    lead_player = Whole(**about("seat 0 to 3; absent: the player of the first card"))
    winner = Whole(**about("of a completed trick; compared with its cards"))


class EarlierHandSchema(RequestSchema):
    """A finished hand of the match."""

    trick_history = ListOf(
        ObjectOf(TrickSchema),
        required=True,
        metadata={"description": "all thirteen tricks"},
    )


class GameStateSchema(RequestSchema):
    """The view of one player."""

    player_hand = Cards(required=True, metadata={"description": "the cards held now"})
    current_player = Whole(**about("the seat that holds player_hand; absent: 0"))
    current_trick = ObjectOf(
        TrickSchema, **about("the trick on the table; absent: the player leads")
    )
    trick_history = ListOf(
        ObjectOf(TrickSchema),
        **about("completed tricks; without them the view is partial"),
    )
    played_cards = Piles(**about("4 lists: the cards that each seat has won"))
    scores = Numbers(**about("4 numbers: points of each seat in this hand so far"))
    hearts_broken = Flag(**about("used unless the history shows otherwise"))
    pass_direction = AnyOf(
        int,
        str,
        says="1, -1, 2 or 0",
        **about("0 hold, 1 left, −1 right, 2 across; absent: 0", type=["integer", "string"]),
    )
    rules = AnyOf(
        int,
        dict,
        says="a bit mask or an object of named flags",
        **about("a 14-bit mask, or an object; absent: 4001", type=["integer", "object"]),
    )
    passed_cards = Cards(**about("the three cards that the player passed"))
    received_cards = Cards(**about("the three cards that the player received"))
    match_scores = Numbers(**about("4 numbers: match scores before this hand"))
    target_score = Whole(**about("the score that ends the match; absent: 100"))
    earlier_hands = ListOf(
        ObjectOf(EarlierHandSchema),
        validate=validate.Length(
            max=MAX_EARLIER, error=f"must be at most {MAX_EARLIER} hands: send the latest"
        ),
        **about("finished hands of this match, oldest first: they show how the others play"),
    )


class AnalysedStateSchema(GameStateSchema):
    """The view of one player, and the card that was played."""

    played = Card(allow_none=True)

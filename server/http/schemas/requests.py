"""What clients send. Ranges and rules of the game are not checked here, only types."""

from __future__ import annotations

from dataclasses import fields as dataclass_fields
from typing import Any

from marshmallow import Schema, validate

from hearts.engine.config import PUBLISHED_NAMES, SearchConfig
from server.http.schemas.fields import (
    AnyOf,
    Card,
    Cards,
    Flag,
    ListOf,
    Number,
    Numbers,
    ObjectOf,
    Piles,
    RequestSchema,
    Text,
    Whole,
)

MAX_STATES = 64
MAX_SAMPLED_WORLDS = 1_000
MAX_HANDS = 10_000  # of one game
MAX_EARLIER = 40  # hands of a match that one request looks back at


def about(description: str, **more: Any) -> dict[str, Any]:
    """An optional field: null counts as absent."""
    return {"allow_none": True, "metadata": {"description": description, **more}}


class PlayedCard(RequestSchema):
    """A card and who played it."""

    card = Card(required=True)
    player = Whole(required=True, metadata={"description": "seat 0 to 3"})


class Trick(RequestSchema):
    """The cards of a trick in the order they were played."""

    cards = ListOf(ObjectOf(PlayedCard), **about("none while nobody has played"))
    lead_player = Whole(**about("seat 0 to 3; absent: who played the first card"))
    winner = Whole(**about("of a completed trick; compared with its cards"))


class EarlierHand(RequestSchema):
    """A hand of the match that is over."""

    trick_history = ListOf(
        ObjectOf(Trick),
        required=True,
        metadata={"description": "all thirteen tricks"},
    )


class GameState(RequestSchema):
    """What one player sees."""

    player_hand = Cards(required=True, metadata={"description": "the cards held now"})
    current_player = Whole(**about("whose hand it is, and who is to play; absent: 0"))
    current_trick = ObjectOf(Trick, **about("the trick on the table; absent: none, I lead"))
    trick_history = ListOf(
        ObjectOf(Trick),
        **about("completed tricks; without them the view is partial"),
    )
    played_cards = Piles(**about("4 lists: the cards that each seat has won"))
    scores = Numbers(**about("4 numbers: points of each seat in this hand so far"))
    hearts_broken = Flag(**about("believed where no history says otherwise"))
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
        **about("a 14-bit mask, or an object; absent: 3009", type=["integer", "object"]),
    )
    passed_cards = Cards(**about("the three cards that I gave"))
    received_cards = Cards(**about("the three cards that I got"))
    match_scores = Numbers(**about("4 numbers: the match before this hand"))
    target_score = Whole(**about("the score that ends the match; absent: 100"))
    earlier_hands = ListOf(
        ObjectOf(EarlierHand),
        validate=validate.Length(
            max=MAX_EARLIER, error=f"must be at most {MAX_EARLIER} hands: send the latest"
        ),
        **about("hands of this match that are over, oldest first: how the players play"),
    )


class AnalysedState(GameState):
    """What one player saw, and what was done."""

    played = Card(allow_none=True)


# What every knob of the search is; the engine checks the values.
KNOBS = {
    "algorithm": "pimc, ismcts, open-loop or rollouts",
    "belief": "the opponent model that worlds come from: see /api/models",
    "worlds": "worlds that are searched; absent: 30",
    "simulations": "playouts in all; absent: 10000; below 1 counts as 1",
    "time_ms": "think so long instead of counting simulations",
    "clock": "what time_ms counts: wall or the search's own CPU time",
    "threads": "threads for this search; absent: what is free; without influence on the result",
    "c": "exploration constant of UCB1",
    "playout": "how a simulation goes on below the tree: see /api/models",
    "epsilon": "share of random cards in ε-greedy and shoot-aware playouts; absent: 0.1",
    "opponents": "how the others play inside the tree: best-reply or policy",
    "reward": "what a seat tries to get: points, relative, difference or match",
    "aggregation": "how the trees of many worlds become one move: see /api/models",
    "best_child": "which move a single tree votes for: max, robust or secure",
    "risk": "standard deviations that the aggregation mean-variance deducts",
    "policy_weight": "rollouts: weight of the network's log π(move) in the score of a move",
    "auxiliary_simulations": "rollouts: simulations of an auxiliary tree; 0: none",
    "endgame": "worlds of at most so many cards a seat are solved exactly",
    "passing": "how three cards are chosen: search or rule",
    "blunder": "probability of a random legal card after the search",
    "seed": "with the same state and config it gives the same answer; absent: a new one",
}
_KINDS: dict[str, Any] = {"int": Whole, "float": Number, "float | None": Number, "str": Text}


def _knobs() -> dict[str, Any]:
    """A field for every option of SearchConfig, by both names where it has two."""
    knobs = {knob.name: _knob(knob) for knob in dataclass_fields(SearchConfig)}
    aliases = {
        alias: type(knobs[name])(**about(f"another name for {name}"))
        for name, alias in PUBLISHED_NAMES.items()
    }
    return knobs | aliases


def _knob(knob: Any) -> Any:
    kind = _KINDS[str(getattr(knob.type, "__name__", knob.type))]
    return kind(**about(KNOBS.get(knob.name, "see hearts/engine/config.py")))


class AiOptions(RequestSchema):
    """What a request may say about the search beside SearchConfig's knobs."""

    use_threads = Flag(**about("false: one thread; absent: true"))
    player_type = Text(
        **about("simple, safe_simple, global, global2 or global3; others fall back with a warning")
    )
    level = Text(**about("easy, medium, hard or expert: the config that a player meets"))
    explain = Flag(**about("false: leave out analysis and explanation; absent: true"))


# `lambda` is no name that Python lets a class have.
_LAMBDA: dict[str, Any] = {"lambda": Number(**about("for the belief `mixture`: its share, 0 to 1"))}
AiConfig = AiOptions.from_dict(_knobs() | _LAMBDA, name="AiConfig")


class MoveRequest(RequestSchema):
    """A state, and how to search."""

    game_state = ObjectOf(GameState, required=True)
    ai_config = ObjectOf(AiConfig, allow_none=True)
    game_id = Text(**about("a game of /api/games that the decision is logged with"))
    hand = Whole(
        validate=validate.Range(0, MAX_HANDS, error=f"must be 0 to {MAX_HANDS}"),
        **about("the hand of that game, from 0; absent: the latest"),
    )


class PlayOneRequest(MoveRequest):
    """A state, and little else."""

    simulations = Whole(**about("absent: 1000"))
    player_type = Text(**about("as in ai_config"))


class LegalRequest(RequestSchema):
    """A state."""

    game_state = ObjectOf(GameState, required=True)


class _BeliefsRequest(RequestSchema):
    """A state, and the model to ask."""

    game_state = ObjectOf(GameState, required=True)
    model = Text(**about("an opponent model; absent: that of a search"))
    worlds = Whole(**about(f"sampled worlds in the answer, 0 to {MAX_SAMPLED_WORLDS}; absent: 0"))
    seed = Whole(**about("of the sampled worlds; absent: a new one"))


BeliefsRequest = _BeliefsRequest.from_dict(_LAMBDA, name="BeliefsRequest")


class AnalysisRequest(RequestSchema):
    """States, or the record of a whole hand: one of the two."""

    states = ListOf(
        ObjectOf(AnalysedState),
        validate=validate.Length(1, MAX_STATES, error=f"must be 1 to {MAX_STATES} states"),
        allow_none=True,
    )
    record = AnyOf(
        dict,
        says="an object",
        **about("a hand as `hearts replay` reads it", type="object"),
    )
    ai_config = ObjectOf(AiConfig, allow_none=True)


class StreamQuery(Schema):
    """How the answer is sent."""

    stream = Text(
        validate=validate.OneOf(("0", "1"), error="must be 0 or 1"),
        metadata={"description": "1: server-sent events, partial figures while it thinks"},
    )

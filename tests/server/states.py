"""States from recorded hands, as clients would post them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hearts.game.cards import names
from hearts.game.deal import Deal
from hearts.game.records import Record, read_records
from hearts.views.codec import encode_state
from hearts.views.view import View

DATA = Path(__file__).parents[1] / "data"


def decisions(record: Record) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Every state of a hand in which a seat is to play, from that seat, and its legal cards."""
    played = record.deal
    deal = Deal.of(played.rules, played.dealt, played.direction)
    for seat, cards in enumerate(played.passes):
        deal = deal.give(seat, cards) if cards else deal
    for _, card in played.plays:
        turn = deal.turn
        assert turn is not None
        yield encode_state(View.of(deal, turn, checked=False), 0), names(deal.legal)
        deal = deal.play(card)


def sample(n: int, seed: int = 1) -> list[tuple[dict[str, Any], list[str]]]:
    """`n` states from all recorded hands, each hand, seat and trick as likely as another."""
    rng = random.Random(seed)
    records = [record for path in sorted(DATA.glob("*.jsonl.gz")) for record in read_records(path)]
    found: list[tuple[dict[str, Any], list[str]]] = []
    while len(found) < n:
        found += rng.sample(list(decisions(rng.choice(records))), 13)
    return found[:n]


def absolute(state: dict[str, Any], seat: int) -> dict[str, Any]:
    """The same state with every seat's own number: who asks sits at `seat` and not at 0."""

    def turned(values: list[Any]) -> list[Any]:
        return [values[(place - seat) % 4] for place in range(4)]

    def trick(given: dict[str, Any]) -> dict[str, Any]:
        turned = {key: (given[key] + seat) % 4 for key in ("lead_player", "winner") if key in given}
        cards = [play | {"player": (play["player"] + seat) % 4} for play in given["cards"]]
        return turned | {"cards": cards}

    per_seat = {key: turned(state[key]) for key in ("scores", "match_scores", "played_cards")}
    tricks = {"trick_history": [trick(each) for each in state["trick_history"]]}
    current = {"current_trick": trick(state["current_trick"]), "current_player": seat}
    return json.loads(json.dumps(state | per_seat | tricks | current))  # type: ignore[no-any-return]  # JSON

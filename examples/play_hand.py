"""Play a hand with four seats through the service, and analyse what their decisions cost.

Usage: python examples/play_hand.py [ADDRESS] [SIMULATIONS]
"""

from __future__ import annotations

import sys

import numpy as np

from hearts.client import HeartsClient
from hearts.game.cards import names, parse_card, parse_cards
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.game.rules import PASSING, PassDirection
from hearts.views.codec import encode_state
from hearts.views.view import View

ADDRESS = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
SIMULATIONS = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000


def main() -> None:
    """Pass, play 52 cards, and analyse the hand."""
    deal = Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(7))
    with HeartsClient(ADDRESS) as client:
        for seat in range(4):
            chosen = client.choose_pass(encode_state(View.of(deal, seat)), simulations=SIMULATIONS)
            deal = deal.give(seat, parse_cards(list(chosen.cards)))
        while deal.turn is not None:
            state = encode_state(View.of(deal, deal.turn))
            move = client.move(state, simulations=SIMULATIONS, explain=False)
            deal = deal.play(parse_card(move.card))
        print("points:", *deal.final_points())
        found = client.analyse(Record.of(deal).as_object(), simulations=SIMULATIONS, explain=False)
    worst = max(found["decisions"], key=lambda each: each["cost"] or 0)
    print("what each seat's decisions cost:", *found["cost_by_player"])
    print(f"the worst: seat {worst['player']} played {worst['played']}, best was {worst['best']}")
    print("dealt to seat 0:", *names(deal.dealt[0]))


main()

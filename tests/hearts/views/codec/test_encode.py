"""What clients read in an encoded state."""

import numpy as np

from hearts.game.cards import members, names, parse_card, parse_cards
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, PassDirection
from hearts.game.trick import Trick
from hearts.views.codec import encode_state
from hearts.views.codec.names import PLAY_FIELDS, STATE_FIELDS, TRICK_FIELDS
from hearts.views.view import View
from tests.hearts.games import finish


def test_the_state_is_turned_so_that_the_player_sits_at_0():
    deal = Deal.random(PASSING, PassDirection.RIGHT, np.random.default_rng(5))
    for seat in range(4):
        deal = deal.give(seat, parse_cards(names(deal.dealt[seat])[:3]))
    for _ in range(22):
        deal = deal.play(next(members(deal.legal)))
    view = View.of(deal, deal.turn)
    state = encode_state(view, 0)
    assert state["player_hand"] == names(view.hand)
    assert (state["current_player"], state["pass_direction"]) == (0, -1)
    assert state["rules"] == PASSING.mask
    assert len(state["trick_history"]) == 5
    lead = (view.trick.leader - view.seat) % 4
    assert state["current_trick"]["lead_player"] == lead
    assert [play["player"] for play in state["current_trick"]["cards"]] == [lead, (lead + 1) % 4]
    for trick, shown in zip(view.tricks, state["trick_history"], strict=True):
        assert (shown["winner"] + view.seat) % 4 == trick.winner
        mine = next(play["card"] for play in shown["cards"] if play["player"] == 0)
        assert 1 << parse_card(mine) == trick.played_by(view.seat)
    assert state["scores"] == [view.points[(view.seat + step) % 4] for step in range(4)]
    assert sum(map(len, state["played_cards"])) == 20


def test_a_state_has_every_field_that_is_read():
    rng = np.random.default_rng(1)
    over = finish(Deal.random(PASSING, PassDirection.HOLD, rng), rng)
    later = Deal.random(PASSING, PassDirection.HOLD, rng)
    first = encode_state(View.of(later, 0))
    assert set(first) == STATE_FIELDS - {"earlier_hands"}
    state = encode_state(View.of(later, 0, earlier=(over.tricks,)))
    assert set(state) == STATE_FIELDS
    for trick in state["earlier_hands"][0]["trick_history"]:
        assert set(trick) == TRICK_FIELDS
        assert all(set(play) == PLAY_FIELDS for play in trick["cards"])


def test_a_partial_state_claims_only_what_is_known():
    state = encode_state(View(seat=1, hand=parse_cards("2C 5D 3H"), trick=Trick(1)))
    assert not {"played_cards", "scores", "hearts_broken"} & set(state)

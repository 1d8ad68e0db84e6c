"""The referee of live tables: random matches, and everything that a seat may try at any moment."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.game.cards import ALL_CARDS, SEATS, bit, count, members, parse_card, set_of
from hearts.game.deal import Deal
from hearts.game.match import Match
from hearts.game.rules import Rules
from hearts.game.scoring import points_of
from server.games.events.state_machine import HAND_OVER, PASSING, PLAYING
from server.runtime.errors import Conflict, RejectedMove
from server.storage.events import Event, PlayEvent
from server.tables.fairness import shuffle
from server.tables.table import Table, is_decided
from tests.hearts.game.rule_sets import ALL_RULES
from tests.hearts.games import finish
from tests.hearts.play import random_deal
from tests.server.tables.tables import VARIANTS, kept, moments, new_table, next_events

SEEDS = st.integers(0, 2**32 - 1)
RULES = st.sampled_from(list(VARIANTS.values()))


def at_some_moment(table: Table, rng: Random) -> Table:
    """A table at a random moment of a random match of a hand or two."""
    steps = rng.randrange(70)
    for _, now in zip(range(steps), moments(table, rng), strict=False):
        table = now
    return table


def judged(table: Table, wanted) -> str:
    """What a table says about a move."""
    try:
        return "made" if wanted() else "repeated"
    except Conflict:
        return "not now"
    except RejectedMove:
        return "illegal"


@settings(max_examples=40)
@given(SEEDS, RULES)
def test_a_match_is_what_its_events_are_folded_to(seed, rules):
    rng, table = Random(seed), new_table(rules, seed)
    begun = Table(table.id, table.rules, table.players, seed=seed)
    log: list[Event] = kept(begun.next_hand(None, shuffle(seed, 0)))
    while table.phase != "finished" and len(log) < 120:
        events = kept(next_events(table, rng))
        assert events
        log += events
        table = table.after(events)
        assert table.version == len(log)
    again = begun.after(log)
    nonces = {event.nonce for event in log if event.kind == "deal"}
    assert len(nonces) == sum(event.kind == "deal" for event in log)
    assert again.hand is not None
    assert [hand.deal for hand in again.done] == [hand.deal for hand in table.done]
    assert (again.version, again.phase, again.match) == (table.version, table.phase, table.match)
    assert again.current.deal == table.current.deal


@settings(max_examples=25)
@given(SEEDS, RULES)
def test_points_directions_and_the_end_are_those_of_a_match(seed, rules):
    """The oracle adds up hand by hand what the cards cost."""
    *_, end = moments(new_table(rules, seed, target=5), Random(seed))
    match = Match(end.rules)
    for number, hand in enumerate(end.done):
        assert hand.number == number
        assert hand.scores == match.scores
        assert hand.deal.direction is match.direction
        assert sum(1 for _ in hand.deal.plays) == len(ALL_CARDS)
        assert not match.finished
        match = match.add(points_of(hand.deal, match.scores))
    assert match.finished
    assert end.match == match
    assert end.phase == "finished"
    for wanted in (
        lambda: end.next_hand(0, shuffle(None, 0)),
        lambda: end.give(0, set_of(ALL_CARDS[:3])),
    ):
        assert judged(end, wanted) == "not now"
    assert end.claim(0) == []


@settings(max_examples=60)
@given(SEEDS, RULES)
def test_a_card_is_accepted_from_who_may_play_it_and_from_nobody_else(seed, rules):
    rng = Random(seed)
    table = at_some_moment(new_table(rules, seed, target=1000), rng)
    hand = table.current
    for seat in range(SEATS):
        for card in ALL_CARDS:
            found = judged(table, lambda seat=seat, card=card: table.play(seat, card))
            if (seat, card) in list(hand.deal.plays):
                assert found == "repeated"
            elif table.phase != PLAYING or hand.deal.turn != seat:
                assert found == "not now"
            else:
                assert found == ("made" if hand.deal.legal & bit(card) else "illegal")


@settings(max_examples=60)
@given(SEEDS, RULES, st.integers(0, 5))
def test_a_pass_is_accepted_once_from_every_seat(seed, rules, size):
    rng = Random(seed)
    table = at_some_moment(new_table(rules, seed, target=1000), rng)
    hand = table.current
    for seat in range(SEATS):
        given_away = hand.deal.passes[seat]
        if given_away:
            assert judged(table, lambda s=seat, c=given_away: table.give(s, c)) == "repeated"
        own = set_of(rng.sample(list(members(hand.deal.dealt[seat])), size))
        strange = set_of(rng.sample(ALL_CARDS, size))
        for cards in (own, strange):
            found = judged(table, lambda s=seat, c=cards: table.give(s, c))
            if cards and cards == given_away:
                continue
            if table.phase != PASSING or given_away:
                assert found == "not now"
            else:
                fits = size == 3 and not cards & ~hand.deal.dealt[seat]
                assert found == ("made" if fits else "illegal")


def points_if_played(deal: Deal, scores: tuple[int, ...], rng: Random) -> tuple[int, ...]:
    """What a hand costs if all go on at random."""
    while not deal.finished:
        deal = deal.play(rng.choice(list(members(deal.legal))))
    return points_of(deal, scores)


@settings(max_examples=40)
@given(SEEDS, RULES)
def test_a_claim_changes_nobody_s_points(seed, rules):
    rng, claimed = Random(seed), 0
    for table in moments(new_table(rules, seed, target=1), rng, claims=False):
        if not table.claimable:
            if table.phase == PLAYING:
                assert judged(table, lambda t=table: t.claim(0)) == "not now"
            continue
        claimed += 1
        after = table.after(table.claim(2))
        points = after.done[-1].points
        assert after.phase in (HAND_OVER, "finished")
        assert after.current.claimed_by == 2
        assert after.claim(1) == []
        scores = table.current.scores
        for _ in range(3):
            assert points_if_played(table.current.deal, scores, rng) == points
        if claimed == 30:
            break


@settings(max_examples=40)
@given(SEEDS)
def test_by_the_usual_rules_a_hand_is_claimable_once_26_points_are_taken(seed):
    rng = Random(seed)
    for table in moments(new_table(seed=seed, target=1), rng, claims=False):
        if table.phase == PLAYING:
            assert table.claimable == (sum(table.current.deal.points) == 26)


def test_who_takes_no_trick_may_still_get_a_bonus():
    """A hand without points left goes on while somebody may still win a first trick."""
    rules, found = VARIANTS["no trick"], set()
    for seed in range(30):
        for now in moments(new_table(rules, seed, target=1), Random(seed), claims=False):
            deal = now.current.deal
            if now.phase == PLAYING and sum(deal.points) == rules.total:
                found.add((all(deal.taken), is_decided(deal)))
    assert found == {(True, True), (False, False)}


@settings(max_examples=300)
@given(ALL_RULES, st.integers(36, 51), SEEDS)
def test_once_a_hand_is_decided_no_card_changes_its_points(rules, cards, seed):
    deal = random_deal(rules, cards, seed)
    ends = {finish(deal, np.random.default_rng(other)).final_points() for other in range(5)}
    assert len(ends) == 1 or not is_decided(deal)


def test_under_rules_in_which_nothing_counts_every_hand_is_decided():
    rules = Rules.from_mask(64 | 4096)  # hearts cost nothing, nor does the queen
    table = new_table(rules)
    assert table.phase == PLAYING
    assert table.claimable
    assert table.after(table.claim(0)).done[0].points == (0, 0, 0, 0)


def test_an_old_version_is_refused_and_passes_of_others_make_none_old():
    table = new_table()
    begins = table.version
    cards = [set_of(list(members(hand))[:3]) for hand in table.current.deal.dealt]
    for seat in (1, 2):
        table = table.after(table.give(seat, cards[seat], begins))
    assert table.version == begins + 2
    assert judged(table, lambda: table.give(3, cards[3], begins)) == "made"
    assert judged(table, lambda: table.give(3, cards[3], begins - 1)) == "not now"
    assert judged(table, lambda: table.give(3, cards[3], table.version + 1)) == "not now"
    assert judged(table, lambda: table.give(1, cards[1], 0)) == "repeated"
    for seat in (0, 3):
        table = table.after(table.give(seat, cards[seat]))
    turn = table.current.deal.turn
    assert turn is not None
    card = next(members(table.current.deal.legal))
    assert judged(table, lambda: table.play(turn, card, table.version - 1)) == "not now"
    assert judged(table, lambda: table.play(turn, card, table.version)) == "made"


def test_the_next_hand_is_dealt_once_however_many_ask_for_it():
    rng, table = Random(3), new_table()
    for now in moments(table, rng):
        table = now
        if table.phase == HAND_OVER:
            break
        if table.phase == PLAYING and count(table.current.deal.hands[0]) < 13:
            with pytest.raises(Conflict, match="the hand is not over"):
                table.next_hand(0, shuffle(None, 1))
    table = table.after(table.next_hand(2, shuffle(table.seed, 1)))
    assert table.current.number == 1
    assert table.next_hand(0, shuffle(None, 2)) == []  # who asked a moment later
    with pytest.raises(Conflict):
        table.next_hand(None, shuffle(None, 2))
    table = table.after(table.give(0, set_of(list(members(table.current.deal.dealt[0]))[:3])))
    with pytest.raises(Conflict):
        table.next_hand(0, shuffle(None, 2))


def test_an_event_of_another_hand_is_no_event_of_this_table():
    table = new_table()
    with pytest.raises(Conflict, match="hand: 7: the next play belongs to hand 0"):
        table.after([PlayEvent(7, 0, parse_card("2C"))])

"""The event state machine: posted games and live tables reach the same state by the same events."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts.game.cards import ALL_CARDS, SEATS, members, name, names, set_of
from hearts.game.rules import PASSING as USUAL
from hearts.game.rules import MoonScoring, PassDirection
from hearts.game.scoring import points_of
from hearts.game.trick import Trick
from server.games.events.event_validator import PostedEvent, read_event
from server.games.events.state_machine import (
    FINISHED,
    HAND_OVER,
    PASSING,
    PLAYING,
    GameState,
)
from server.runtime.errors import Conflict, RejectedMove
from server.storage.events import ClaimEvent, DealEvent, Event, PassEvent, PlayEvent
from server.tables.fairness import dealt_by, shuffle
from server.tables.table import Table
from tests.server.tables.tables import PEOPLE, VARIANTS, kept, next_events

SEEDS = st.integers(0, 2**32 - 1)
RULES = st.sampled_from(list(VARIANTS.values()))


def as_posted(event: Event) -> PostedEvent:
    """The event as a client would post it."""
    if isinstance(event, DealEvent):
        dealt = [names(cards) for cards in event.dealt]
        label, leader = event.direction.label, event.leader
        return PostedEvent("deal", dealt=dealt, pass_direction=label, leader=leader)
    if isinstance(event, PassEvent):
        return PostedEvent("pass", event.hand, player=event.seat, cards=names(event.cards))
    assert isinstance(event, PlayEvent)
    return PostedEvent("play", player=event.seat, card=name(event.card))


def comparable(state: GameState) -> GameState:
    """The state without the leader of a trick that waits for the pass: it means nothing yet."""
    if state.phase != PASSING:
        return state
    deal = replace(state.current.deal, trick=Trick(0))
    return replace(state, hand=replace(state.current, deal=deal))


@settings(max_examples=40)
@given(SEEDS, RULES)
def test_a_posted_game_and_a_table_agree_after_every_event(seed, rules):
    rng, rules = Random(seed), replace(rules, target_score=30)
    table = Table("table", rules, PEOPLE, seed=seed)
    posted = GameState(rules, rules.target_score)
    for _ in range(150):
        if table.phase == FINISHED:
            break
        for event in kept(next_events(table, rng)):
            table = table.after([event])
            if not isinstance(event, ClaimEvent):
                _, posted = read_event(posted, as_posted(event))
            assert comparable(posted) == comparable(table.game)
    assert posted.phase == table.phase
    assert posted.scores == table.match.scores
    assert posted.current.deal == table.current.deal
    if table.done:
        last = table.done[-1]
        assert last.points == points_of(last.deal, last.scores)


@settings(max_examples=25)
@given(SEEDS, RULES, st.integers(0, 60))
def test_the_phase_says_which_events_may_come_next(seed, rules, steps):
    rng, table = Random(seed), Table("table", replace(rules, target_score=30), PEOPLE, seed=seed)
    for _ in range(steps):
        if table.phase != FINISHED:
            table = table.after(next_events(table, rng, claims=False))
    state = table.game
    accepted = {event.kind for event in every_event(state, rng) if accepts(state, event)}
    expected = {FINISHED: set(), HAND_OVER: {"deal"}, PASSING: {"pass"}, PLAYING: {"play"}}
    assert accepted == expected[state.phase]


def every_event(state: GameState, rng: Random) -> list[Event]:
    """A deal, a possible pass of every seat, and every card of every seat."""
    number = 0 if state.hand is None else state.hand.number
    events: list[Event] = [DealEvent(state.next_hand, dealt_by(1, 1), PassDirection.LEFT)]
    for seat in range(SEATS):
        held = () if state.hand is None else list(members(state.hand.deal.dealt[seat]))
        if held:
            events.append(PassEvent(number, seat, set_of(rng.sample(held, 3))))
        events += [PlayEvent(number, seat, card) for card in ALL_CARDS]
    return events


def accepts(state: GameState, event: Event) -> bool:
    """Whether an event may come next."""
    try:
        state.after(event)
    except (Conflict, RejectedMove):
        return False
    return True


def played_out(state: GameState, points: tuple[int, ...] | None = None) -> GameState:
    """The state after a hand in which everybody plays the lowest legal card."""
    while (turn := state.current.deal.turn) is not None:
        is_last = len(list(state.current.deal.plays)) == len(ALL_CARDS) - 1
        card = next(members(state.current.deal.legal))
        said = points if is_last else None
        state = state.after(PlayEvent(state.current.number, turn, card, said))
    return state


def begun(target: int | None, seed: int = 1) -> GameState:
    """A game whose first hand is dealt, without a pass."""
    deal = DealEvent(0, shuffle(seed, 0).dealt, PassDirection.HOLD)
    return GameState(USUAL, target).after(deal)


def test_a_state_never_changes():
    state = begun(100)
    later = played_out(state)
    assert (state.phase, list(state.current.deal.plays)) == (PLAYING, [])
    assert (later.phase, later.scores) == (HAND_OVER, later.current.final_points)


def test_without_a_target_the_first_hand_ends_the_game():
    over = played_out(begun(None))
    assert over.phase == FINISHED
    with pytest.raises(Conflict, match="the game is over"):
        over.after(DealEvent(1, dealt_by(1, 1), PassDirection.HOLD))


def test_wrong_events_name_their_field():
    state = begun(100)
    (turn,), card = state.current.waiting_for, next(members(state.current.deal.legal))
    wrong = {
        "kind": DealEvent(1, dealt_by(1, 1), PassDirection.HOLD),
        "points": PlayEvent(0, turn, card, (0, 0, 0, 26)),
    }
    for field, event in wrong.items():
        with pytest.raises(RejectedMove) as caught:
            state.after(event)
        assert caught.value.field == field
    with pytest.raises(RejectedMove) as caught:
        GameState(USUAL, 100).after(DealEvent(0, (0, 0, 0, 0), PassDirection.HOLD))
    assert (caught.value.field, caught.value.reason[:7]) == ("dealt[0]", "0 cards")
    with pytest.raises(Conflict) as conflict:
        state.after(PlayEvent(3, 0, ALL_CARDS[0]))
    assert conflict.value.field == "hand"


def test_points_that_the_last_play_states_must_be_possible():
    state = begun(100)
    points = played_out(state).current.final_points
    assert played_out(state, points).scores == points
    with pytest.raises(RejectedMove, match="are given"):
        played_out(state, (26, 26, 26, 26))


def test_a_shooter_who_may_choose_is_believed():
    rules = replace(USUAL, moon=MoonScoring.SHOOTER_CHOOSES)
    suits = [set_of(ALL_CARDS[13 * suit : 13 * suit + 13]) for suit in range(SEATS)]
    state = GameState(rules, 100).after(DealEvent(0, tuple(suits), PassDirection.HOLD))
    for points in ((0, 26, 26, 26), (-26, 0, 0, 0)):
        assert played_out(state, points).scores == points
    assert played_out(state).scores == (0, 26, 26, 26)

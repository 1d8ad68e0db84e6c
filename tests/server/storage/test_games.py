"""Games, events and what follows from them."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest
from sqlalchemy import func, select

from hearts.game.summary import summarise
from server.storage.events import ClaimEvent
from server.storage.games import (
    append,
    create_game,
    events,
    game,
    reading,
    table_ids,
    writing,
)
from server.storage.hands import hands
from server.storage.schema import EVENTS, PLAYERS, PLAYS, RESULTS
from server.storage.values import EventConflict, Player, Seat
from tests.server.storage.played import NAMES, a_game, events_of, keep, play, sample_records


def test_a_hand_that_is_played_event_by_event_is_read_back_as_it_was(engine):
    (record,) = sample_records(1)
    game_id = keep(engine, [record], source="heuristics")
    with engine.connect() as connection:
        found = hands(connection, [game_id])[0].record
        kept = game(connection, game_id)
        numbers = [event.number for event in events(connection, game_id)]
    assert found.deal == record.deal
    assert (found.points, found.source) == (record.points, "heuristics")
    assert numbers == list(range(1 + 4 + 52))
    assert (kept.status, kept.events, kept.rules) == ("finished", 57, record.deal.rules)
    assert [seat.player.name for seat in kept.seats] == list(NAMES)


def test_every_moment_of_a_hand_is_read_back(engine):
    (record,) = sample_records(1)
    new = a_game(record.deal.rules)
    with writing(engine) as connection:
        create_game(connection, new)
        for number, event in enumerate(events_of(record)):
            append(connection, new.id, number, event)
            (hand,) = hands(connection, [new.id])
            played = [(each.event.seat, each.event.card) for each in events(connection, new.id, 4)]
            assert len(list(hand.record.deal.plays)) == len(played) == max(0, number - 4)
            assert (hand.finished_at is None) == (number < 56)
            assert (hand.record.points is None) == (number < 56)


def test_results_are_what_the_hand_came_to(engine):
    chosen = next(record for record in sample_records(100) if record.deal.shooter is not None)
    game_id = keep(engine, [chosen])
    with engine.connect() as connection:
        results = connection.execute(select(RESULTS).order_by(RESULTS.c.seat)).all()
        ids = dict(connection.execute(select(PLAYERS.c.name, PLAYERS.c.id)).all())
    lowest = min(chosen.points)
    for row, summary in zip(results, summarise(chosen), strict=True):
        assert {key: getattr(row, key) for key in vars(summary)} == vars(summary)
        assert (row.game_id, row.hand, row.player_id) == (game_id, 0, ids[NAMES[row.seat]])
        assert (row.passed, row.won) == (True, chosen.points[row.seat] == lowest)
        assert row.finished_at.tzinfo is not None


def test_a_match_goes_on_until_somebody_reaches_the_target(engine):
    several = sample_records(40)
    new = a_game(several[0].deal.rules, target_score=60)
    totals, version, number = [0] * 4, 0, 0
    with writing(engine) as connection:
        create_game(connection, new)
        while max(totals) < 60:
            assert game(connection, new.id).status == "open"
            version = play(connection, new.id, several[number], number, version)
            totals = [a + b for a, b in zip(totals, several[number].points, strict=True)]
            number += 1
        assert game(connection, new.id).status == "finished"
        with pytest.raises(EventConflict, match="the game is over"):
            append(connection, new.id, version, next(events_of(several[number], number)))
        won = connection.execute(select(RESULTS.c.hand, RESULTS.c.seat, RESULTS.c.won)).all()
    for hand, seat, has_won in won:
        last = hand == number - 1
        assert has_won == (totals[seat] == min(totals) if last else None)


def test_of_two_writers_of_one_number_exactly_one_wins(engine):
    (record,) = sample_records(1)
    new = a_game(record.deal.rules)
    happened = list(events_of(record))
    with writing(engine) as connection:
        create_game(connection, new)
    for number, event in enumerate(happened[:12]):
        together = Barrier(2)

        def write(_, number=number, event=event, together=together):
            together.wait()
            try:
                with writing(engine) as connection:
                    return append(connection, new.id, number, event)
            except EventConflict as conflict:
                return conflict

        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(write, range(2)))
        (lost,) = [each for each in answers if isinstance(each, EventConflict)]
        assert number + 1 in answers
        assert lost.reason.startswith(f"event {number} is taken: {event.kind}")
        assert (lost.version, lost.found) == (number + 1, event)
    with engine.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(EVENTS)) == 12
        assert connection.scalar(select(func.count()).select_from(PLAYS)) == 12 - 5


def test_what_is_refused_leaves_nothing_behind(engine):
    (record,) = sample_records(1)
    new = a_game(record.deal.rules)
    with writing(engine) as connection:
        create_game(connection, new)
        deal, *_ = events_of(record)
        for number, reason in ((1, "cannot come yet: the next is 0"), (7, "the next is 0")):
            with pytest.raises(EventConflict, match=reason):
                append(connection, new.id, number, deal)
        with pytest.raises(EventConflict, match="there is no game none"):
            append(connection, "none", 0, deal)
    with engine.connect() as connection:
        assert events(connection, new.id) == []
        assert game(connection, new.id).events == 0
        assert game(connection, "none") is None


def test_a_hidden_card_is_in_no_reason(engine):
    (record,) = sample_records(1)
    new = a_game(record.deal.rules)
    deal, first_pass, *_ = events_of(record)
    with writing(engine) as connection:
        create_game(connection, new)
        append(connection, new.id, 0, deal)
        append(connection, new.id, 1, first_pass)
        for number in (0, 1):
            with pytest.raises(EventConflict) as caught:
                append(connection, new.id, number, first_pass)
            words = set(str(caught.value).replace(":", " ").split())
            assert words.isdisjoint(card for hand in deal.body["dealt"] for card in hand)


def test_all_that_is_read_together_is_of_one_moment(engine):
    (record,) = sample_records(1)
    new = a_game(record.deal.rules)
    *others, last = events_of(record)
    with writing(engine) as connection:
        create_game(connection, new)
        for number, event in enumerate(others):
            append(connection, new.id, number, event)
    with reading(engine) as looking:
        before = game(looking, new.id)
        with writing(engine) as connection:
            append(connection, new.id, len(others), last)
        (hand,) = hands(looking, [new.id])
        assert (before.events, before.status) == (len(others), "open")
        assert (hand.finished_at, len(list(hand.record.deal.plays))) == (None, 51)
    with reading(engine) as looking:
        assert hands(looking, [new.id])[0].record.deal.finished


def test_the_same_player_in_two_games_is_one(engine):
    def write(_):
        game_id = keep(engine, sample_records(1))
        with engine.connect() as connection:
            return [seat.player for seat in game(connection, game_id).seats]

    with ThreadPoolExecutor(4) as pool:
        assert len({str(players) for players in pool.map(write, range(4))}) == 1
    with engine.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(PLAYERS)) == 4


def test_engines_that_differ_in_anything_are_different_players(engine):
    rules = sample_records(1)[0].deal.rules
    bot = Player("engine", "bot", "hard", {"simulations": 100, "c": 0.5}, "1.0")
    others = (
        bot,
        replace(bot, config={"c": 0.5, "simulations": 100}),
        replace(bot, config={"simulations": 101, "c": 0.5}),
        replace(bot, version="1.1"),
    )
    new = a_game(rules, seats=tuple(Seat(player) for player in others))
    with writing(engine) as connection:
        create_game(connection, new)
        assert tuple(seat.player for seat in game(connection, new.id).seats) == others
        assert connection.scalar(select(func.count()).select_from(PLAYERS)) == 3


def test_tables_keep_their_secrets_and_are_found_while_open(engine):
    (record,) = sample_records(1)
    secret = {"secret": "s3cret", "setup": {"seats": ["human"]}, "target_score": 100}
    seats = tuple(Seat(Player("human", each), token_hash=each * 3) for each in NAMES)
    new = a_game(record.deal.rules, kind="table", seats=seats, **secret)
    first = next(events_of(record))
    sealed = replace(first, leader=2, commitment="c" * 64, nonce="n")
    with writing(engine) as connection:
        create_game(connection, new)
        append(connection, new.id, 0, sealed)
        append(connection, new.id, 1, ClaimEvent(0, 2))
    keep(engine, [record], kind="table")
    with engine.connect() as connection:
        assert table_ids(connection, "open", 9) == [new.id]
        kept = game(connection, new.id)
        (hand,) = hands(connection, [new.id])
    assert (kept.secret, kept.setup, kept.seats) == (*list(secret.values())[:2], seats)
    assert (hand.commitment, hand.nonce) == ("c" * 64, "n")

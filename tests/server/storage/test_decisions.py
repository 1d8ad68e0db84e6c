"""Stored decisions: they can be searched again, and results count them."""

from __future__ import annotations

import json
import re

import pytest
from sqlalchemy import func, select, update

from hearts.engine.config import published
from hearts.engine.decide import decide
from hearts.engine.passing.choose import choose_pass
from hearts.game.cards import names, parse_cards
from hearts.game.deal import Deal
from hearts.views.view import View
from server.storage import decisions as store
from server.storage.games import create_game, writing
from server.storage.schema import DECISIONS, RESULTS
from tests.server.service import wait_until
from tests.server.storage.played import CONFIG, a_game, keep, play, sample_records, stored_decisions


def test_a_decision_is_kept_with_all_that_is_needed_to_search_again(engine, log, decided):
    game_id = keep(engine, sample_records(1))
    for _, decision in decided[:8]:
        assert log.log(decision, game_id) == []
    wait_until(lambda: stored_decisions(engine) == 8)
    with engine.connect() as connection:
        stored = store.decisions(connection, game_id=game_id)[::-1]
        again = store.decision(connection, stored[3].id)
    assert [row.number for row in stored] == list(range(8))
    assert again == stored[3]
    for row, (_, decision) in zip(stored, decided, strict=False):
        assert (row.view, row.config) == (decision.view, decision.config)
        repeated = decide(row.view, row.config)
        assert store.chosen(repeated) == row.chosen == store.chosen(decision)
        assert store.statistics_of(repeated) == list(row.statistics)
        assert (row.hand, row.seat, row.simulations) == (
            0,
            decision.view.seat,
            decision.simulations,
        )


def test_options_of_another_version_keep_no_decision_from_being_repeated(engine, log, decided):
    """Its spool has the names of version 0.1; its rows may have options that nobody knows here."""
    game_id, decision = keep(engine, sample_records(1)), decided[0][1]
    spooled = store.entry_of(decision, game_id, 0)
    log.spool.add(spooled | {"config": published(spooled["config"])})
    log.start()
    wait_until(lambda: stored_decisions(engine) == 1)
    with engine.begin() as connection:
        config = connection.scalar(select(DECISIONS.c.config))
        assert config == vars(decision.config)
        connection.execute(update(DECISIONS).values(config=config | {"luck": 1.0}))
        (row,) = store.decisions(connection)
    assert row.config == decision.config
    repeated = decide(row.view, row.config)
    assert store.chosen(repeated) == row.chosen
    assert store.statistics_of(repeated) == list(row.statistics)


def test_a_pass_is_kept_too(engine, log):
    (record,) = sample_records(1)
    new = a_game(record.deal.rules)
    with writing(engine) as connection:
        create_game(connection, new)
    before = Deal.of(record.deal.rules, record.deal.dealt, record.deal.direction)
    decision = choose_pass(View.of(before, 2), CONFIG)
    assert log.log(decision, new.id) == []
    wait_until(lambda: stored_decisions(engine) == 1)
    with engine.connect() as connection:
        (row,) = store.decisions(connection)
    assert (row.kind, row.number, row.seat, row.hand) == ("pass", None, 2, None)
    assert parse_cards(row.chosen) == decision.cards
    assert store.statistics_of(choose_pass(row.view, row.config)) == list(row.statistics)


def test_no_hidden_card_is_in_a_log(decided):
    for deal, decision in decided:
        seat = decision.view.seat
        entry = store.entry_of(decision, "game", 0)
        told = set(re.findall(r"\b(?:10|[2-9JQKA])[CDSH]\b", json.dumps(entry)))
        others = sum(deal.hands[other] for other in range(4) if other != seat)
        given = deal.passes[seat]  # who gave a card knows it
        assert told.isdisjoint(names(others & ~given))
        assert told >= set(names(deal.hands[seat]))


def test_results_count_decisions_whenever_they_are_written(engine, log, decided):
    (record,) = sample_records(1)
    new = a_game(record.deal.rules)
    with writing(engine) as connection:
        create_game(connection, new)
    log.log(decided[0][1], new.id, 0)
    wait_until(lambda: stored_decisions(engine) == 1)
    with writing(engine) as connection:
        play(connection, new.id, record)
    for _, decision in decided[1:]:
        log.log(decision, new.id)
    wait_until(lambda: stored_decisions(engine) == 52)
    with engine.connect() as connection:
        counted = dict(connection.execute(select(RESULTS.c.seat, RESULTS.c.moves)).all())
        took = connection.scalar(select(func.sum(RESULTS.c.ms)))
    assert counted == dict.fromkeys(range(4), 13)
    assert took == pytest.approx(sum(round(each.seconds * 1000, 3) for _, each in decided))


def test_a_late_decision_belongs_to_the_hand_that_was_played(engine, decided):
    first, second = sample_records(2)
    new = a_game(first.deal.rules, target_score=1000)
    with writing(engine) as connection:
        create_game(connection, new)
        before = store.entry_of(decided[0][1], new.id, None)
        version = play(connection, new.id, first)
        during = store.entry_of(decided[1][1], new.id, None)
        play(connection, new.id, second, 1, version)
        after = store.entry_of(decided[2][1], new.id, None)
        assert store.write(connection, [before, during, after]) == {}
        hands = connection.scalars(select(DECISIONS.c.hand).order_by(DECISIONS.c.id))
        assert list(hands) == [None, 0, 1]

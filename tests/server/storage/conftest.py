"""Decisions of a recorded hand, and a log for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from hearts.engine.decide import decide
from hearts.engine.decision import Decision
from hearts.game.deal import Deal
from hearts.views.view import View
from server.storage.database import make_engine
from server.storage.decision_log.log import DecisionLog
from server.storage.decision_log.spool import Spool
from tests.server.storage.played import CONFIG, sample_records


@pytest.fixture(scope="session")
def decided() -> list[tuple[Deal, Decision]]:
    """Every position of a recorded hand, and the decision of the seat to play."""
    (record,) = sample_records(1)
    deal = Deal.of(record.deal.rules, record.deal.dealt, record.deal.direction)
    for seat, cards in enumerate(record.deal.passes):
        deal = deal.give(seat, cards)
    found = []
    for seat, card in record.deal.plays:
        found.append((deal, decide(View.of(deal, seat), CONFIG)))
        deal = deal.play(card)
    return found


@pytest.fixture
def log(migrated_url: str, engine: Engine, tmp_path: Path) -> Iterator[DecisionLog]:
    """A log of decisions that waits long enough for a busy database."""
    spool = Spool(tmp_path / "spool", 2**20)
    made = DecisionLog(make_engine(migrated_url, durable=False), spool, patience=60)
    yield made
    made.close()

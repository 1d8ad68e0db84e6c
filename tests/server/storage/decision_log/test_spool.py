"""The spool of decisions on disk."""

from __future__ import annotations

import json

import pytest

from server.storage import decisions as store
from server.storage.decision_log.spool import Spool


def test_the_spool_is_bounded(tmp_path, decided):
    entry = store.entry_of(decided[0][1], "game", 0)
    size = len(json.dumps(entry, separators=(",", ":"))) + 1
    spool = Spool(tmp_path / "spool", 3 * size + size // 2)
    assert [spool.add(entry) for _ in range(5)] == [True, True, True, False, False]
    assert spool.size == 3 * size
    seen: list[store.DecisionEntry] = []
    assert spool.empty(seen.extend) == 3
    assert seen == [entry] * 3
    assert spool.add(entry)


def test_a_spool_that_fails_to_hand_over_keeps_everything(tmp_path, decided):
    spool = Spool(tmp_path / "spool", 2**20)
    entries = [store.entry_of(decision, "game", 0) for _, decision in decided[:3]]
    for entry in entries:
        spool.add(entry)

    def fail(_):
        raise OSError("no")

    for _ in range(2):
        with pytest.raises(OSError, match="no"):
            spool.empty(fail)
    spool.add(entries[0])
    seen: list[store.DecisionEntry] = []
    spool.empty(seen.extend)
    assert sorted(each["uid"] for each in seen) == sorted(
        each["uid"] for each in [*entries, entries[0]]
    )

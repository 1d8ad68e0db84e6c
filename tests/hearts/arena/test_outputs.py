"""Outputs: records that do not fit the journal are refused."""

import json
from dataclasses import replace

import pytest

from hearts.arena.outputs import Outputs
from hearts.arena.runner import Workers, run
from hearts.arena.tournament import Tournament, play_deal
from hearts.game.errors import InvalidRecord
from hearts.players.spec import Spec

TOURNAMENT = Tournament(Spec("cautious"), Spec("careless"), seed=5, passing="cycle")
ONE = Workers(jobs=1)


def test_records_that_lack_a_finished_deal_are_refused(tmp_path):
    outputs = Outputs(tmp_path / "journal.jsonl", tmp_path / "hands.jsonl")
    run(TOURNAMENT, 2, workers=ONE, outputs=Outputs(outputs.journal))
    with pytest.raises(InvalidRecord, match=r"hands\.jsonl: lacks the hands of deal 0"):
        run(TOURNAMENT, 3, workers=ONE, outputs=outputs)


@pytest.mark.parametrize(
    "other",
    [
        [],
        {"id": "5-0-0-0", "source": "elsewhere"},
        dict(play_deal(replace(TOURNAMENT, seed=6), 0, keep_records=True).records[0]),
        dict(
            play_deal(replace(TOURNAMENT, others=Spec("random")), 0, keep_records=True).records[0]
        ),
    ],
    ids=["a list", "a source", "a seed", "a player"],
)
def test_a_file_with_other_records_is_left_alone(tmp_path, other):
    outputs = Outputs(tmp_path / "journal.jsonl", tmp_path / "hands.jsonl")
    outputs.records.write_text(json.dumps(other) + "\n")
    with pytest.raises(InvalidRecord, match="has hands of another tournament"):
        run(TOURNAMENT, 1, workers=ONE, outputs=outputs)
    assert json.loads(outputs.records.read_text()) == other

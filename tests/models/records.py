"""Records that the tests of decisions and fits share."""

from functools import cache
from itertools import islice
from pathlib import Path

from hearts.game.records import Record, read_records
from models.decisions import Decisions

DATA = Path(__file__).parents[1] / "data"


@cache
def some_records() -> tuple[Record, ...]:
    """24 hands each of programs that search and of rule-based bots."""
    return tuple(
        record
        for name in ("xinxin-10k-dev", "heuristics-dev")
        for record in islice(read_records(DATA / f"{name}.jsonl.gz"), 24)
    )


@cache
def some_decisions() -> Decisions:
    """The decisions of these hands."""
    return Decisions.of(some_records())

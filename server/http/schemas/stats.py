"""Schemas of statistics: the query and the answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from marshmallow import Schema, fields

from server.http.schemas.base import DataclassSchema
from server.http.schemas.fields import Choice, Limited, Moment, Switch, Words
from server.http.schemas.replies import Success
from server.runtime.requests import RequestData
from server.storage.statistics import GROUPS

MAX_LINES = 1_000


@dataclass(frozen=True, kw_only=True)
class StatsQuery(RequestData):
    """Which hands to count, and how to group players."""

    group: str = "player"
    since: datetime | None = None
    until: datetime | None = None
    source: str | None = None
    player: str | None = None
    against: str | None = None
    posted: bool = False
    limit: int = 100
    plot: bool = False


class StatsQuerySchema(DataclassSchema):
    """Which hands to count, and how to group players."""

    into = StatsQuery
    group = Choice(*GROUPS, description="one line per player, level or config; absent: player")
    since = Moment("hands finished at or after this time: 2026-11-16T12:00:00Z")
    until = Moment("hands finished before this time")
    source = Words("hands of games from this source; that of tables is `table`")
    player = Words("players of this name")
    against = Words("hands with this level at another seat")
    posted = Switch("1: your own posted games instead of tables; all players are clients")
    limit = Limited(1, MAX_LINES, "lines, those with most hands first; absent: 100")
    plot = Switch("1: mean points with their intervals as SVG")


def _maybe(description: str) -> dict[str, Any]:
    """Arguments of a field that may be null."""
    return {"required": True, "allow_none": True, "metadata": {"description": description}}


class StatsLine(Schema):
    """The statistics of one group."""

    label = fields.String(required=True, metadata={"description": "a label for people"})
    kind = fields.String(required=True, metadata={"enum": ["human", "client", "engine"]})
    name = fields.String(**_maybe("of a player; null in other groups"))
    level = fields.String(**_maybe("of an engine; null in other groups"))
    config = fields.Dict(keys=fields.String(), **_maybe("of an engine; null in other groups"))
    hands = fields.Integer(
        required=True, metadata={"description": "finished hands, counted once per seat"}
    )
    points = fields.Float(required=True, metadata={"description": "mean points per hand"})
    points_low = fields.Float(
        **_maybe("lower bound of the 95% confidence interval; null: one hand")
    )
    points_high = fields.Float(**_maybe("upper bound"))
    games = fields.Integer(
        required=True, metadata={"description": "finished games, counted once per seat"}
    )
    win_rate = fields.Float(**_maybe("share of games that were won; null: none is finished"))
    moons_tried = fields.Integer(required=True)
    moons_made = fields.Integer(required=True)
    moons_stopped = fields.Integer(
        required=True, metadata={"description": "moons of others that were stopped"}
    )
    queens = fields.Integer(required=True, metadata={"description": "hands in which Q♠ was taken"})
    passes = fields.Integer(required=True)
    ms_per_move = fields.Float(**_maybe("mean time of logged decisions; null: none"))
    belief_log_loss = fields.Float(**_maybe("nats per hidden card; null: not scored"))


class StatsReply(Success):
    """One line per group."""

    group = fields.String(required=True)
    lines = fields.List(fields.Nested(StatsLine), required=True, data_key="rows")

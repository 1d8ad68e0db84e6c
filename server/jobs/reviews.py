"""Jobs that review a hand: one of a stored game, or a record that a client sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine

from hearts.game.records import Record, parse_record
from server.storage.games import reading
from server.storage.hands import hands
from server.storage.jobs.values import NewJob, job_key
from server.storage.reviews import ReviewBody, store_review, stored_reviews
from server.storage.values import HandRow

HAND, RECORD = "review", "record-review"
Config = Mapping[str, Any]  # the fields of a SearchConfig


@dataclass(frozen=True)
class ReviewTask:
    """The input of a review."""

    record: Record
    number: int  # of the hand
    config: Config


def hand_job(hand: HandRow, config: Config, digest: str) -> NewJob:
    """The review of a stored hand; the review of an unfinished one is not stored."""
    finished = hand.finished_at is not None
    plays = len(hand.played_at)  # an unfinished hand may grow, which is other work
    body = {
        "game_id": hand.game_id,
        "hand": hand.number,
        "config": dict(config),
        "digest": digest,
        "finished": finished,
    }
    return NewJob(HAND, job_key(HAND, hand.game_id, hand.number, digest, finished or plays), body)


def record_job(record: Record, config: Config, digest: str, asker: int | None) -> NewJob:
    """The review of a record that a client sent; only the asking owner gets the result."""
    sent = record.as_object()
    return NewJob(
        RECORD, job_key(RECORD, sent, digest, asker), {"record": sent, "config": dict(config)}
    )


def prepare_hand(engine: Engine, body: Mapping[str, Any]) -> ReviewTask | None:
    """The hand of a job; None if it has a review already, or exists no more."""
    with reading(engine) as connection:
        if body["hand"] in stored_reviews(connection, body["game_id"], body["digest"]):
            return None
        found = {each.number: each.record for each in hands(connection, [body["game_id"]])}
    record = found.get(body["hand"])
    return None if record is None else ReviewTask(record, body["hand"], body["config"])


def prepare_record(_engine: Engine, body: Mapping[str, Any]) -> ReviewTask:
    """The record of a job."""
    return ReviewTask(parse_record(body["record"]), 0, body["config"])


def store_hand(connection: Connection, body: Mapping[str, Any], review: ReviewBody) -> Any:
    """Store the review of a finished hand; the job keeps that of an unfinished one."""
    if not body["finished"]:
        return review
    store_review(connection, body["game_id"], body["hand"], body["digest"], review)
    return None


def keep(_connection: Connection, _body: Mapping[str, Any], review: ReviewBody) -> ReviewBody:
    """Keep the review in the job."""
    return review

"""`hearts verify`: check the commitments of deals."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from hearts.client.errors import ClientError
from hearts.client.transport import Limits, fetch
from hearts.game.cards import CardSet, parse_cards
from hearts.game.deal import Deal
from hearts.game.errors import HeartsError
from hearts.game.records import parse_record
from hearts.game.rules import STANDARD
from server.tables.fairness import commitment

TIMEOUT = 30  # seconds


class Uncheckable(Exception):
    """A hand that cannot be checked."""


@dataclass(frozen=True)
class Opening:
    """A commitment that was published before a hand, and its opening afterwards."""

    table_id: str
    hand: int
    commitment: str
    dealt: tuple[CardSet, ...]
    nonce: str

    @property
    def is_valid(self) -> bool:
        """Whether the opening hashes to the commitment."""
        return commitment(self.table_id, self.hand, self.dealt, self.nonce) == self.commitment


@dataclass(frozen=True)
class Verdict:
    """The result of one hand."""

    hand: int | None
    kept: bool
    says: str


@click.command()
@click.argument("source", metavar="FILE|URL|-")
@click.option(
    "--commitment",
    "noted",
    multiple=True,
    metavar="HEX",
    help="A commitment that you noted before the hand; the document must open it.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")
@click.pass_context
def verify(ctx: click.Context, source: str, noted: tuple[str, ...], as_json: bool) -> None:
    """Check the deals of a table against the commitments that were published before the cards.

    Reads a table's view (/api/tables/ID), a game (/api/games/ID, or its export as JSONL), or one
    opening. Exits with 1 unless every hand is as its commitment promised.
    """
    verdicts = list(_verdicts(_documents(_text(source)), [given.lower() for given in noted]))
    if not verdicts:
        verdicts = [Verdict(None, False, "nothing to check: no hand is over")]
    if as_json:
        click.echo(json.dumps([vars(found) for found in verdicts], indent=2))
    for found in verdicts if not as_json else ():
        place = "" if found.hand is None else f"hand {found.hand}: "
        click.echo(f"{place}{found.says}", err=not found.kept)
    ctx.exit(0 if all(found.kept for found in verdicts) else 1)


def _text(source: str) -> str:
    try:
        if source == "-":
            return sys.stdin.read()
        if source.startswith(("http://", "https://")):
            return _fetched(source)
        return Path(source).read_text("utf-8")
    # ValueError: text that is not UTF-8, or an invalid address.
    except (OSError, ClientError, ValueError) as error:
        raise click.ClickException(f"cannot read {source}: {error}") from None


def _fetched(url: str) -> str:
    """The body of an HTTP answer; another status than 200 is an error."""
    response = fetch(url, Limits(timeout=TIMEOUT))
    if response.status != 200:
        raise click.ClickException(f"cannot read {url}: the answer is a {response.status}")
    return response.body.decode()


def _documents(text: str) -> list[Any]:
    """One JSON value, or one in every line."""
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise click.ClickException(f"neither JSON nor lines of JSON: {error}") from None


def _verdicts(documents: list[Any], noted: list[str]) -> Iterator[Verdict]:
    opened = set()
    for document in documents:
        for table_id, hand in _hands(document):
            number = hand.get("number", hand.get("hand"))
            try:
                opening = _opening(table_id, number, hand, noted)
            except (Uncheckable, HeartsError) as error:
                yield Verdict(number if isinstance(number, int) else None, False, str(error))
                continue
            if opening.is_valid:
                opened.add(opening.commitment)
                yield Verdict(opening.hand, True, f"as promised by {opening.commitment}")
            else:
                yield Verdict(opening.hand, False, f"NOT what {opening.commitment} promised")
    for given in noted:
        if given not in opened:
            yield Verdict(None, False, f"nothing here opens {given}")


def _hands(document: Any) -> Iterator[tuple[object, Mapping[str, Any]]]:
    """The finished hands of a document, each with the id of its table."""
    if not isinstance(document, Mapping):
        raise click.ClickException("a table, a game or an opening is a JSON object")
    content = document.get("table") or document.get("game")  # of an answer of the service
    document = content if isinstance(content, Mapping) else document
    # An exported record has the id of its game in `game`.
    table_id = document.get("table_id") or document.get("game_id") or document.get("game")
    hands = document.get("hands")
    if not isinstance(hands, list):
        yield table_id, document
        return
    for hand in hands:
        if isinstance(hand, Mapping) and hand.get("finished", True):
            yield table_id, hand


def _opening(
    table_id: object, number: object, hand: Mapping[str, Any], noted: list[str]
) -> Opening:
    """The commitment of a hand and its opening."""
    given, record = hand.get("opening") or hand, hand.get("record") or {}
    if not (isinstance(given, Mapping) and isinstance(record, Mapping)):
        raise Uncheckable("opening and record must be objects")
    dealt = given.get("dealt") or record.get("dealt")
    published = hand.get("commitment") or (noted[0] if len(noted) == 1 else None)
    nonce = given.get("nonce")
    if published is None:
        raise Uncheckable("no commitment was published, or --commitment does not name it")
    if not (isinstance(table_id, str) and isinstance(number, int)):
        raise Uncheckable("the opening has no table or no hand")
    if not (isinstance(dealt, list) and isinstance(nonce, str)):
        raise Uncheckable("the deal or the nonce is missing")
    cards = _dealt(dealt)
    if record and parse_record(record).deal.dealt != cards:
        raise Uncheckable("the record has other cards than the opening")
    return Opening(table_id, number, str(published).lower(), cards, nonce)


def _dealt(given: list[Any]) -> tuple[CardSet, ...]:
    """The four hands of an opening."""
    if not all(isinstance(held, list | str) for held in given):
        raise Uncheckable("a hand of the deal is not a list of cards")
    # Deal.of raises InvalidCard for hands of other sizes and for a card that occurs twice.
    return Deal.of(STANDARD, [parse_cards(held) for held in given]).dealt

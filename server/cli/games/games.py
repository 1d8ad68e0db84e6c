"""`hearts import` and `hearts export`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path

import click
from tqdm import tqdm

from hearts.game.errors import InvalidRecord
from hearts.game.records import Record
from server.games.records.exporting import Exported, exported_games, write_parquet, write_text
from server.games.records.importing import import_files
from server.games.records.record_adapter import checked_text
from server.runtime.errors import DatabaseError
from server.storage.database import opened_database

FILE = click.Path(path_type=Path)
SUFFIXES = {".jsonl": "jsonl", ".txt": "text", ".csv": "csv", ".parquet": "parquet"}


def _checked_source(_ctx: click.Context, _option: click.Parameter, given: str | None) -> str | None:
    """Check the option `--source`."""
    try:
        return None if given is None else checked_text(given, "source")
    except InvalidRecord as error:
        raise click.BadParameter(error.reason) from None


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option(
    "--source",
    callback=_checked_source,
    help="The source of the games, instead of that of their records.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")
@click.pass_context
def import_command(
    ctx: click.Context, files: tuple[Path, ...], source: str | None, as_json: bool
) -> None:
    """Import game records (.jsonl, .jsonl.gz) into the database.

    Every hand is checked against the rules. A stored game is not changed, so a file may be imported
    again. Reports the place and the reason of every faulty record, and then exits with 1.
    """
    with opened_database() as engine:
        done = import_files(engine, files, source, _watched)
    click.echo(json.dumps(asdict(done), indent=2) if as_json else str(done))
    for fault in done.faults if not as_json else ():
        click.echo(fault, err=True)
    ctx.exit(1 if done.faults else 0)


def _watched(name: str, records: Iterator[Record]) -> Iterable[Record]:
    bar: Iterable[Record] = tqdm(records, desc=name, unit=" hands", disable=None, leave=False)
    return bar


@click.command("export")
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "text", "csv", "parquet"]),
    help="Records, text for people, or a table of plays.  [default: by the name of OUT, or jsonl]",
)
@click.option("--game", "game_id", help="Only this game.")
@click.option("--source", help="Only games of this source.")
def export_command(out: Path, form: str | None, game_id: str | None, source: str | None) -> None:
    """Export games to the file OUT (.gz is compressed), or to the standard output for `-`.

    Hands in play at live tables are left out.
    """
    suffixes = [suffix for suffix in out.suffixes if suffix != ".gz"]
    form = form or SUFFIXES.get(suffixes[-1] if suffixes else "", "jsonl")
    if form == "parquet" and (str(out) == "-" or out.suffix == ".gz"):
        raise click.UsageError("parquet needs a file, and is compressed already")
    with opened_database(create=False) as engine:
        found = exported_games(engine, game_id=game_id, source=source)
        first = list(islice(found, 1))
        if game_id is not None and not first:
            raise DatabaseError(f"game {game_id!r} has no hand that may be shown")
        hands = _counted(chain(first, found))
        try:
            if form == "parquet":
                written = write_parquet(out, hands)
            else:
                written = write_text(None if str(out) == "-" else out, hands, form)
        except OSError as error:
            raise click.ClickException(f"{out}: {error.strerror or error}") from error
        except ModuleNotFoundError as error:
            missing = f"{error.name} is missing: pip install 'hearts-ai[analysis]'"
            raise click.ClickException(missing) from error
    click.echo(f"{written} hands", err=True)


def _counted(hands: Iterable[Exported]) -> Iterable[Exported]:
    bar: Iterable[Exported] = tqdm(
        hands, desc="export", unit=" hands", disable=None, leave=False, file=sys.stderr
    )
    return bar

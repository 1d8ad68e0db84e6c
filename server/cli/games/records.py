"""Reads the game records of a file, with a progress bar."""

from __future__ import annotations

from pathlib import Path

import click
from tqdm import tqdm

from hearts.game.errors import HeartsError
from hearts.game.records import Record, read_records


def all_records(path: Path) -> list[Record]:
    """The records of a file; a faulty file is an error of the command."""
    try:
        return list(tqdm(read_records(path), desc=path.name, disable=None, leave=False))
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror or error}") from error
    except HeartsError as error:
        raise click.ClickException(f"{path}: {error}") from error

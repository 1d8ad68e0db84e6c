"""`hearts arena`: run tournaments between players."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any

import click
from tqdm import tqdm

from hearts.arena.outputs import HandStore, Outputs
from hearts.arena.ratings import Rating, ratings, round_robin, wins_of
from hearts.arena.results import DealResult, Side, Summary, summarize
from hearts.arena.runner import Progress, Workers, run
from hearts.arena.statistics import bootstrap
from hearts.arena.tournament import PASSINGS, SEATINGS, Tournament
from hearts.game.cards import SEATS
from hearts.game.errors import HeartsError, InvalidConfig, InvalidRules
from hearts.game.rules import PASSING, Rules
from hearts.players.registry import check_reachable
from hearts.players.spec import Spec, parse_spec, parse_table

REDRAW_SECONDS = 0.5  # between two updates of the interval on the progress bar
FILE = click.Path(path_type=Path, dir_okay=False)
PLACE = click.Path(path_type=Path)
TABLES = ("tournament", "players")  # in a config file
AGAINST = {"single": "1 against 3", "pairs": "2 against 2", "all": "all seatings"}


def _read_config(ctx: click.Context, _: click.Parameter, path: Path | None) -> dict[str, Spec]:
    """Read a config file: defaults of options from `[tournament]`, players from `[players]`."""
    if path is None:
        return {}
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
        defaults, players = (_table(given, name) for name in TABLES)
        specs = {name: parse_table(_table(players, name), name) for name in players}
    except (OSError, ValueError) as error:
        raise click.BadParameter(f"{path}: {error}") from error
    known = {each.strip("-"): option.name for option in ctx.command.params for each in option.opts}
    if given.keys() - TABLES:
        raise click.BadParameter(f"{path}: [{min(given.keys() - TABLES)}] is unknown")
    if defaults.keys() - known:
        raise click.BadParameter(f"{path}: [tournament] has no {min(defaults.keys() - known)}")
    ctx.default_map = {
        str(known[key]): ",".join(map(str, value)) if isinstance(value, list) else value
        for key, value in defaults.items()
    }
    return specs


def _table(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = given.get(name, {})
    if not isinstance(table, dict):
        raise InvalidConfig(name, "is not a table")
    return table


@click.command()
@click.argument("focus", required=False)
@click.argument("others", required=False)
@click.option("--deals", default=100, show_default=True, help="Deals, each in every seating.")
@click.option("--seed", default=0, show_default=True, help="Seed of deals and decisions.")
@click.option(
    "--seatings",
    type=click.Choice(list(SEATINGS)),
    help="1 against 3 (default), 2 against 2 (default of a ladder), or all 14 of two players.",
)
@click.option("--pairs", is_flag=True, help="The same as --seatings pairs.")
@click.option("--matches", is_flag=True, help="Play matches to the target score instead of hands.")
@click.option("--passing", type=click.Choice(PASSINGS), default="none", show_default=True)
@click.option("--rules", type=int, default=PASSING.mask, show_default=True, help="A bit mask.")
@click.option("--until", type=float, metavar="POINTS", help="Stop at an interval of ±POINTS.")
@click.option("--equal-time", type=float, metavar="MS", help="Give every search this CPU time.")
@click.option("--timeout", default=30.0, show_default=True, help="Seconds per decision.")
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one per core.")
@click.option("--cluster", metavar="tcp://HOST:PORT", help="Play on a Dask cluster.")
@click.option("--journal", type=PLACE, help="Write finished deals here, and resume from it.")
@click.option("--records", type=PLACE, help="Write a record of every hand here; needs --journal.")
@click.option(
    "--database",
    metavar="[URL]",
    is_flag=False,
    flag_value="",
    help="Write every hand to a database; without URL to that of the service.",
)
@click.option("--ladder", metavar="A,B,…", help="Rate these players in a round-robin.")
@click.option("--plot", type=FILE, help="Plot the result as SVG.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object.")
@click.option("--config", type=FILE, is_eager=True, callback=_read_config, help="A TOML file.")
def arena(**options: Any) -> None:
    """Play FOCUS against OTHERS on duplicate deals.

    A player is random, careless, cautious, duck, guard or shooter; a level (easy, medium, hard,
    expert); default, which the service plays; engine:algorithm=ismcts,simulations=1000;
    http://host:port; command:PROGRAM; or a name from the [players] of --config, whose [tournament]
    has defaults of options. Points are penalties: a negative difference is good.

    --journal and --records name a file, or with --ladder a folder with a file for every pair.
    """
    try:
        _ladder(options) if options["ladder"] else _duel(options)
    except (HeartsError, OSError) as error:  # OSError: an output cannot be written
        raise click.ClickException(str(error)) from error


def _duel(options: Mapping[str, Any]) -> None:
    if not options["focus"] or not options["others"]:
        raise click.UsageError("name the focus player and the others, or a --ladder")
    _check_places(options, folders=False)
    focus, others = (parse_spec(options[side], options["config"]) for side in ("focus", "others"))
    tournament = tournament_from(options, focus, others, _seatings(options) or "single")
    check_reachable(focus, others)
    results = play(tournament, options, _outputs(tournament, options))
    summary = summarize(results)
    if options["plot"]:
        from hearts.arena.plot import plot_progress

        plot_progress(options["plot"], results, f"{focus} against {others}")
    if options["as_json"]:
        click.echo(json.dumps({"tournament": tournament.as_object(), **summary.as_object()}))
    else:
        click.echo(table_of(tournament, summary))


def _ladder(options: Mapping[str, Any]) -> None:
    if options["focus"]:
        raise click.UsageError("name two sides or a --ladder, not both")
    specs = [parse_spec(text, options["config"]) for text in split_players(options["ladder"])]
    if len(set(map(str, specs))) < max(2, len(specs)):
        raise click.UsageError("a ladder needs two players or more, each of them once")
    seatings = _seatings(options) or "pairs"
    if seatings == "single":
        raise click.UsageError("a ladder needs --seatings pairs or all, which treat players alike")
    _check_places(options, folders=True)
    check_reachable(*specs)

    def meet(pair: tuple[int, int]) -> Sequence[DealResult]:
        focus, others = specs[pair[0]], specs[pair[1]]
        tournament = tournament_from(options, focus, others, seatings)
        return play(tournament, options, _outputs(tournament, options).of(tournament))

    results = round_robin(len(specs), meet)
    ladder = ratings([str(spec) for spec in specs], wins_of(len(specs), results))
    if options["plot"]:
        from hearts.arena.plot import plot_ladder

        plot_ladder(options["plot"], ladder, f"{options['deals']} deals a pair")
    meetings = {
        f"{specs[focus]} vs {specs[other]}": summarize(deals).difference
        for (focus, other), deals in results.items()
    }
    if options["as_json"]:
        rated = [asdict(each) for each in ladder]
        pairs = {pair: asdict(difference) for pair, difference in meetings.items()}
        click.echo(json.dumps({"ladder": rated, "pairs": pairs}))
    else:
        click.echo(ladder_table(ladder))
        for pair, difference in meetings.items():
            click.echo(f"{pair}: {difference} points per hand")


def _seatings(options: Mapping[str, Any]) -> str | None:
    """The seatings that the options name."""
    named: str | None = options["seatings"]
    if not options["pairs"]:
        return named
    if named not in (None, "pairs"):
        raise click.UsageError(f"--pairs is --seatings pairs, not {named}: name one of them")
    return "pairs"


def tournament_from(
    options: Mapping[str, Any], focus: Spec, others: Spec, seatings: str
) -> Tournament:
    """The tournament that the options describe."""
    return Tournament(
        focus,
        others,
        seed=options["seed"],
        seats=seatings,
        unit="match" if options["matches"] else "hand",
        passing=options["passing"],
        rules=_rules(options["rules"]),
        limit=options["timeout"],
        equal_time=options["equal_time"],
    )


def play(tournament: Tournament, options: Mapping[str, Any], outputs: Outputs) -> list[DealResult]:
    """Play a tournament with a progress bar."""
    title = f"{tournament.focus} vs {tournament.others}"
    with progress_bar(title, options["deals"]) as progress:
        return run(
            tournament,
            options["deals"],
            workers=Workers(options["jobs"], options["cluster"]),
            outputs=outputs,
            max_half_width=options["until"],
            progress=progress,
        )


def _check_places(options: Mapping[str, Any], *, folders: bool) -> None:
    """Fail if an output is a folder instead of a file, or the other way round."""
    for option in ("journal", "records"):
        place = options[option]
        if place is not None and place.exists() and place.is_dir() != folders:
            wanted = "a ladder wants a folder" if folders else "a duel wants a file"
            raise click.UsageError(f"--{option} {place}: {wanted}")


def _outputs(tournament: Tournament, options: Mapping[str, Any]) -> Outputs:
    hands = None if options["database"] is None else _hands(tournament, options["database"])
    return Outputs(options["journal"], options["records"], hands)


def _hands(tournament: Tournament, url: str) -> HandStore:
    """The store of a tournament's hands in a database."""
    # Imported here: tournaments without a database start faster.
    from server.storage.database import opened_database
    from server.storage.tournaments import DatabaseHands

    engine = click.get_current_context().with_resource(opened_database(url))
    return DatabaseHands(engine, tournament)


@contextmanager
def progress_bar(title: str, deals: int) -> Iterator[Progress]:
    """A progress bar with the current interval, on stderr if that is a terminal."""
    with tqdm(total=deals, desc=title, unit="deal", disable=None, leave=False) as bar:
        drawn = monotonic()

        def update(results: Sequence[DealResult]) -> None:
            nonlocal drawn
            bar.update(len(results) - bar.n)
            if not bar.disable and monotonic() - drawn > REDRAW_SECONDS:
                bar.set_postfix_str(str(bootstrap([each.difference for each in results])))
                drawn = monotonic()

        yield update


def split_players(text: str) -> list[str]:
    """Split at commas, except before another option (`a=1`) of the same player."""
    players: list[str] = []
    for part in text.split(","):
        key, equals, _ = part.partition("=")
        if players and equals and ":" not in key:
            players[-1] += f",{part}"
        else:
            players.append(part.strip())
    return players


def table_of(tournament: Tournament, summary: Summary) -> str:
    """The summary as text."""
    seatings, against = SEATINGS[tournament.seats], AGAINST[tournament.seats]
    seats = sum(map(len, seatings))  # of the focus player
    passing = "no passing" if tournament.passing == "none" else f"passing {tournament.passing}"
    win = summary.win_rate
    wins = f"{win.mean:.1%} ({win.low:.1%} … {win.high:.1%})"
    return "\n".join(
        [
            f"{tournament.focus} against {tournament.others}, {against}, {passing}, "
            f"seed {tournament.seed}",
            f"{summary.deals} deals × {len(seatings)} seatings, {summary.hands} hands",
            f"focus − others   {summary.difference} points per hand",
            f"focus            {summary.points_per_hand:.2f} points per hand, {seats} seats",
            f"others           {summary.others_points_per_hand:.2f} points per hand, "
            f"{SEATS * len(seatings) - seats} seats",
            f"win rate         {wins} of {'matches' if tournament.unit == 'match' else 'hands'}",
            "",
            columns(summary.focus, summary.others),
        ]
    )


def ladder_table(ladder: Sequence[Rating]) -> str:
    """The ratings as text."""
    width = max(len(each.player) for each in ladder)
    return "\n".join(
        f"{each.player:<{width}}  {each.rating.mean:+7.0f} "
        f"({each.rating.low:+.0f} … {each.rating.high:+.0f})  {each.score:6.1%} of tables"
        for each in ladder
    )


def columns(focus: Side, others: Side) -> str:
    """The spending, moons and faults of both sides as a table of text."""
    values = {
        "ms per move": [f"{side.ms_per_move:.3f}" for side in (focus, others)],
        "CPU ms per hand": [f"{side.cpu_ms_per_hand:.2f}" for side in (focus, others)],
        "simulations per move": [f"{side.simulations_per_move:.0f}" for side in (focus, others)],
        "moons": [str(side.moons) for side in (focus, others)],
        "faults": [_faults(side.faults) for side in (focus, others)],
    }
    lines = [["", "focus", "others"], *([label, *cells] for label, cells in values.items())]
    first, *widths = (max(map(len, column)) for column in zip(*lines, strict=True))
    return "\n".join(
        f"{label:<{first}}" + "".join(f"  {cell:>{max(width, 10)}}" for cell, width in cells)
        for label, cells in ((row[0], zip(row[1:], widths, strict=True)) for row in lines)
    )


def _faults(faults: Mapping[str, int]) -> str:
    return ", ".join(f"{times} {kind}" for kind, times in faults.items()) or "none"


def _rules(mask: int) -> Rules:
    try:
        return Rules.from_mask(mask)
    except InvalidRules as error:
        raise error.within("rules") from None

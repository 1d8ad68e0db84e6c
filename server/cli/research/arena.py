"""`hearts arena`: run tournaments between players."""

from __future__ import annotations

import json
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
from hearts.arena.stopping import Precision, Sprt, SprtResult, StopRule
from hearts.arena.tournament import PASSINGS, SEATINGS, Tournament
from hearts.game.cards import SEATS
from hearts.game.errors import HeartsError, InvalidRules
from hearts.game.rules import PASSING, Rules
from hearts.players.registry import check_reachable
from hearts.players.spec import Spec, parse_spec
from server.cli.research.arena_config import read_config, split_players

REDRAW_SECONDS = 0.5  # between two updates of the interval on the progress bar
FILE = click.Path(path_type=Path, dir_okay=False)
PLACE = click.Path(path_type=Path)
AGAINST = {"single": "1 against 3", "pairs": "2 against 2", "all": "all seatings"}


@click.command()
@click.argument("focus", required=False)
@click.argument("others", required=False)
@click.option(
    "--deals",
    default=100,
    show_default=True,
    help="Deals, each in every seating; at most, with --until or --sprt.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of deals and decisions.")
@click.option(
    "--seatings",
    type=click.Choice(list(SEATINGS)),
    help="1 against 3 (default), 2 against 2 (default of a ladder), or all 14 of two players.",
)
@click.option("--pairs", is_flag=True, help="The same as --seatings pairs.")
@click.option("--matches", is_flag=True, help="Play matches to the target score instead of hands.")
@click.option("--passing", type=click.Choice(PASSINGS), default="none", show_default=True)
@click.option(
    "--rules",
    type=click.UNPROCESSED,
    default=PASSING.mask,
    show_default=True,
    metavar="MASK|JSON",
    help="A bit mask, or an object of the options that differ from the default.",
)
@click.option("--until", type=float, metavar="POINTS", help="Stop at an interval of ±POINTS.")
@click.option(
    "--sprt",
    type=(float, float),
    metavar="LOW HIGH",
    help="Stop when a sequential test accepts H1 (difference ≤ LOW) or H0 (difference ≥ HIGH).",
)
@click.option("--alpha", default=0.05, show_default=True, help="SPRT: probability of a wrong H1.")
@click.option("--beta", default=0.05, show_default=True, help="SPRT: probability of a wrong H0.")
@click.option("--adjusted", is_flag=True, help="Estimate the luck of the cards, and leave it out.")
@click.option(
    "--proxy",
    metavar="POLICY",
    help="Plays for FOCUS in these estimates: network, or a rule-based player.",
)
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
@click.option("--config", type=FILE, is_eager=True, callback=read_config, help="A TOML file.")
def arena(**options: Any) -> None:
    """Play FOCUS against OTHERS on duplicate deals.

    A player is random, careless, cautious, duck, guard or shooter; a level (easy, medium, hard,
    expert); default, which the service plays; engine:algorithm=ismcts,simulations=1000;
    exploiter:LEVEL; http://host:port; command:PROGRAM; or a name from the [players] of --config,
    whose [tournament] has defaults of options. Points are penalties: a negative difference is good.

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
    stop = _stop_rule(options)
    focus, others = (parse_spec(options[side], options["config"]) for side in ("focus", "others"))
    tournament = tournament_from(options, focus, others, _seatings(options) or "single")
    check_reachable(focus, others)
    results = play(tournament, options, _outputs(tournament, options), stop)
    summary = summarize(results)
    test = sprt_result(stop, results)
    if options["plot"]:
        from hearts.arena.plot import plot_progress

        plot_progress(options["plot"], results, f"{focus} against {others}")
    if options["as_json"]:
        tested = {} if test is None else {"sprt": test.as_object()}
        found = {"tournament": tournament.as_object(), **summary.as_object(), **tested}
        click.echo(json.dumps(found))
    else:
        click.echo(table_of(tournament, summary, test))


def _ladder(options: Mapping[str, Any]) -> None:
    if options["focus"]:
        raise click.UsageError("name two sides or a --ladder, not both")
    specs = [parse_spec(text, options["config"]) for text in split_players(options["ladder"])]
    if len(set(map(str, specs))) < max(2, len(specs)):
        raise click.UsageError("a ladder needs two players or more, each of them once")
    if options["sprt"]:
        raise click.UsageError("--sprt tests two players, not a --ladder")
    if options["adjusted"]:
        raise click.UsageError("--adjusted is for two players: a --ladder counts the tables won")
    stop, seatings = _stop_rule(options), _seatings(options) or "pairs"
    if seatings == "single":
        raise click.UsageError("a ladder needs --seatings pairs or all, which treat players alike")
    _check_places(options, folders=True)
    check_reachable(*specs)

    def meet(pair: tuple[int, int]) -> Sequence[DealResult]:
        focus, others = specs[pair[0]], specs[pair[1]]
        tournament = tournament_from(options, focus, others, seatings)
        return play(tournament, options, _outputs(tournament, options).of(tournament), stop)

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
    if options["pairs"] and named not in (None, "pairs"):
        raise click.UsageError(f"--pairs is --seatings pairs, not {named}: name one of them")
    return "pairs" if options["pairs"] else named


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
        proxy=_proxy(options, focus, others),
    )


def _proxy(options: Mapping[str, Any], focus: Spec, others: Spec) -> str | None:
    """The proxy of an adjusted tournament; None if it is not adjusted."""
    if not options["adjusted"]:
        if options["proxy"]:
            raise click.UsageError("--proxy is for --adjusted")
        return None
    # Imported here: it loads numba.
    from hearts.arena.adjustment import adjustment_of

    return adjustment_of(focus, others, options["proxy"] or "").proxy


def _stop_rule(options: Mapping[str, Any]) -> StopRule | None:
    """The rule that stops a tournament early, if the options name one."""
    if options["sprt"] and options["until"] is not None:
        raise click.UsageError("--until and --sprt are two rules to stop: name one of them")
    if options["sprt"]:
        low, high = options["sprt"]
        return Sprt(low, high, options["alpha"], options["beta"])
    return None if options["until"] is None else Precision(options["until"])


def sprt_result(stop: StopRule | None, results: Sequence[DealResult]) -> SprtResult | None:
    """The result of the sequential test, if the tournament is one."""
    if not isinstance(stop, Sprt):
        return None
    return stop.result([each.figure for each in results])


def play(
    tournament: Tournament, options: Mapping[str, Any], outputs: Outputs, stop: StopRule | None
) -> list[DealResult]:
    """Play a tournament with a progress bar."""
    title = f"{tournament.focus} vs {tournament.others}"
    with progress_bar(title, options["deals"], stop) as progress:
        return run(
            tournament,
            options["deals"],
            workers=Workers(options["jobs"], options["cluster"]),
            outputs=outputs,
            stop=stop,
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
def progress_bar(title: str, deals: int, stop: StopRule | None = None) -> Iterator[Progress]:
    """A progress bar with the interval and the sequential test, on stderr if that is a terminal."""
    with tqdm(total=deals, desc=title, unit="deal", disable=None, leave=False) as bar:
        drawn = monotonic()

        def update(results: Sequence[DealResult]) -> None:
            nonlocal drawn
            bar.update(len(results) - bar.n)
            if not bar.disable and monotonic() - drawn > REDRAW_SECONDS:
                interval = bootstrap([each.figure for each in results])
                test = sprt_result(stop, results)
                bar.set_postfix_str(f"{interval}, {test}" if test else str(interval))
                drawn = monotonic()

        yield update


def table_of(tournament: Tournament, summary: Summary, test: SprtResult | None = None) -> str:
    """The summary as text, with the sequential test."""
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
            *([] if summary.adjusted is None else [f"adjusted         {summary.adjusted}"]),
            *([] if test is None else [f"SPRT             {test}: {test.verdict}"]),
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


def _rules(given: object) -> Rules:
    """The rules of a mask or an object; on the command line a text, in a TOML file a value."""
    try:
        return Rules.parse(json.loads(given) if isinstance(given, str) else given, PASSING)
    except json.JSONDecodeError:
        raise InvalidRules("rules", f"{given!r} is neither a bit mask nor a JSON object") from None
    except InvalidRules as error:
        raise error.within("rules") from None

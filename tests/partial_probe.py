"""How well a search decides without a history: rollouts, or a tree alone.

    python -m tests.partial_probe positions --count 150
    python -m tests.partial_probe hands --form short --deals 40

The forms of views are those of clients: `bare` has the hand, the trick and whether hearts are
broken; `short` has the points so far too; `won` has the cards that each seat has won; `full` has
everything. `positions` compares cards with those of a larger search of the full view; `hands` lets
one seat, which forgets the history before each card, play against three `duck`.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import click
import numpy as np

from hearts.arena.referee import Referee
from hearts.arena.seeds import deal_of, derive_seed
from hearts.arena.statistics import bootstrap
from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.engine.levels import LEVELS
from hearts.game.cards import SEATS, Card, count
from hearts.game.deal import moments
from hearts.game.records import read_records
from hearts.game.rules import PASSING, PassDirection
from hearts.game.scoring import points_of
from hearts.players.duck import DuckPlayer
from hearts.players.engine import EnginePlayer
from hearts.players.player import Player
from hearts.views.view import View

DATA = Path(__file__).parent / "data"
RULES = replace(PASSING, do_pass_cards=False)
EXPERT = LEVELS["expert"]
SEARCHES = {
    "rollouts": EXPERT,
    "tree": replace(EXPERT, algorithm="ismcts", simulations=4 * EXPERT.simulations),
}
REFERENCE = replace(EXPERT, simulations=8_000, worlds=400)
REWARD_PER_POINT = 2 / 3 / 26  # of the reward `difference` under the usual scoring
COMPILING_SECONDS = 600  # that a first decision may take


def bare(view: View) -> View:
    """The view without history and points."""
    return replace(view, tricks=(), hearts_broken=view.broken)


FORMS: dict[str, Callable[[View], View]] = {
    "full": lambda view: view,
    "bare": bare,
    "short": lambda view: replace(bare(view), points_claim=view.points),
    "won": lambda view: replace(bare(view), won=view.taken),
}


class ForgetfulPlayer(EnginePlayer):
    """Decides by what one form of a view has."""

    def __init__(self, config: SearchConfig, form: str) -> None:
        super().__init__(config, form)
        self.form = FORMS[form]

    def choose_card(self, view: View, seed: int) -> Card:
        """Decide without the history."""
        return super().choose_card(self.form(view) if view.tricks else view, seed)


def difference(player: Player, seed: int, number: int) -> float:
    """Points of the player less those of the others, over its four seats in one deal."""
    total = 0.0
    for seat in range(SEATS):
        players: list[Player] = [DuckPlayer() for _ in range(SEATS)]
        players[seat] = player
        referee = Referee(players, limit=COMPILING_SECONDS)
        deal = deal_of(seed, number, 0, RULES, PassDirection.HOLD)
        points = points_of(referee.play(deal, derive_seed(seed, number)))
        total += points[seat] - (sum(points) - points[seat]) / (SEATS - 1)
        assert not referee.spending[seat].faults
    return total / SEATS


def choices(seed: int) -> Iterator[View]:
    """Views of recorded hands in the second to ninth trick with more than two legal cards."""
    rng = np.random.default_rng(seed)
    records = [each for path in sorted(DATA.glob("*.jsonl.gz")) for each in read_records(path)]
    for place in rng.permutation(len(records)):
        found = [
            View.of(deal, seat)
            for deal, seat, _ in moments(records[place].deal)
            if not deal.passing and 1 <= len(deal.tricks) <= 8 and count(deal.legal) > 2
        ]
        if found:
            view = found[rng.integers(len(found))]
            yield replace(view, passed=0, received=0, direction=PassDirection.HOLD)


def losses(view: View, seed: int) -> dict[tuple[str, str], tuple[float, bool]]:
    """For each form and search: its card's loss in points, and whether it is the reference's."""
    reference = decide(view, replace(REFERENCE, seed=seed + 10_000))
    scores = {each.card: each.score for each in reference.cards}
    found = {}
    for form, forget in FORMS.items():
        for name, config in SEARCHES.items():
            card = decide(forget(view), replace(config, seed=seed)).card
            loss = (max(scores.values()) - scores[card]) / REWARD_PER_POINT
            found[form, name] = loss, scores[card] == max(scores.values())
    return found


@click.group()
def main() -> None:
    """Compare rollouts with a tree where the history is missing."""


@main.command()
@click.option("--count", "wanted", default=150, show_default=True)
@click.option("--seed", default=5, show_default=True)
def positions(wanted: int, seed: int) -> None:
    """Print agreement with a larger search of the full view, and the points lost by it."""
    found = [losses(view, number) for number, view in enumerate(islice(choices(seed), wanted))]
    for form in FORMS:
        lost = {}
        for name in SEARCHES:
            values = np.array([each[form, name] for each in found])
            lost[name] = values[:, 0]
            click.echo(f"{form:<6}{name:<9} {bootstrap(lost[name])} same {values[:, 1].mean():.0%}")
        click.echo(f"{form:<6}rollouts − tree {bootstrap(lost['rollouts'] - lost['tree'])}")


@main.command()
@click.option("--form", type=click.Choice(list(FORMS)), default="short", show_default=True)
@click.option("--deals", default=40, show_default=True)
@click.option("--seed", default=19, show_default=True)
def hands(form: str, deals: int, seed: int) -> None:
    """Print points per hand against three `duck`."""
    found = {}
    for name, config in SEARCHES.items():
        player = ForgetfulPlayer(config, form)
        player.warm_up()
        found[name] = np.array([difference(player, seed, number) for number in range(deals)])
        click.echo(f"{form:<6}{name:<9} {bootstrap(found[name])}")
    click.echo(f"{form:<6}rollouts − tree {bootstrap(found['rollouts'] - found['tree'])}")


if __name__ == "__main__":
    main()

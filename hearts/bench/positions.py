"""The positions that benchmarks are measured on, drawn from fixed seeds."""

from collections.abc import Iterator

import numpy as np

from hearts.arena.referee import Referee
from hearts.engine.bridge.state import States, state_of
from hearts.game.cards import RANKS, SEATS, count, lowest, members
from hearts.game.deal import Deal, moments
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.players.duck import DuckPlayer
from hearts.views.view import View

SEED = 2026
DEALS = 64  # different hands, so that branch predictors cannot learn a single one
VIEWS = 8
ENDINGS = 100


def full_deals() -> States:
    """The states of DEALS new hands."""
    return np.array([state_of(deal) for deal in _new_deals(DEALS)])


def first_tricks() -> list[View]:
    """Views of the second seat in the first trick, with a choice of clubs."""
    opened = [deal.play(lowest(deal.legal)) for deal in _new_deals(DEALS)]
    return [View.of(deal, deal.turn or 0) for deal in opened if count(deal.legal) > 1][:VIEWS]


def pass_view() -> View:
    """A view in which cards are to be passed."""
    return View.of(Deal.random(PASSING, PassDirection.LEFT, np.random.default_rng(SEED)), 0)


def trick_leaders() -> Iterator[View]:
    """The view of the leader of every trick but the last, in one hand of random plays."""
    rng = np.random.default_rng(SEED)
    deal = Deal.random(STANDARD, PassDirection.HOLD, rng)
    while len(deal.tricks) < RANKS - 1:
        if not deal.trick.cards:
            yield View.of(deal, deal.turn or 0)
        deal = deal.play(int(rng.choice(list(members(deal.legal)))))


def choices(deals: int) -> tuple[list[View], list[View]]:
    """The views of all passes, and of all cards with a choice, in hands of four `duck` players."""
    referee = Referee([DuckPlayer()] * SEATS)
    views: list[View] = []
    for seed in range(deals):
        deal = Deal.random(PASSING, PassDirection(1 + seed % 3), np.random.default_rng(seed))
        played = referee.play(deal, seed)
        views += [View.of(before, seat) for before, seat, _ in moments(played)]
    passes = [view for view in views if view.passing]
    return passes, [view for view in views if not view.passing and count(view.legal) > 1]


def endings(cards: int) -> Iterator[Deal]:
    """Hands of four `duck` players with `cards` cards a seat left, between tricks."""
    duck = DuckPlayer()
    for seed in range(ENDINGS):
        deal = Deal.random(STANDARD, PassDirection.HOLD, np.random.default_rng(seed))
        while len(deal.tricks) < RANKS - cards:
            view = View.of(deal, deal.turn or 0, checked=False)
            deal = deal.play(duck.choose_card(view, seed))
        yield deal


def _new_deals(number: int) -> Iterator[Deal]:
    rng = np.random.default_rng(SEED)
    return (Deal.random(STANDARD, PassDirection.HOLD, rng) for _ in range(number))

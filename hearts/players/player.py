"""What the arena asks of whoever sits at its table."""

from typing import Protocol

from hearts.cards import Card, CardSet
from hearts.deal import Deal
from hearts.view import View


class Player(Protocol):
    """Chooses cards; the same view and seed give the same choice, unless time is the budget."""

    name: str
    simulations: int = 0  # done so far in all moves; stays 0 for a player that does not search

    def choose_card(self, view: View, seed: int) -> Card:
        """One of `view.legal`, of which there are at least two."""
        ...

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """Three cards of `view.hand`, to be passed in `view.direction`."""
        ...

    def show(self, deal: Deal) -> None:
        """See all hands before a choice: nobody but an oracle looks."""
        return

    def close(self) -> None:
        """Let go of connections and processes."""
        return


class PlayerTimeout(Exception):
    """A player elsewhere did not answer in time."""


class PlayerFailure(Exception):
    """A player elsewhere answered with something that is no move, or not at all."""

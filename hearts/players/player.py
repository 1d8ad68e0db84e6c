"""What the arena asks of whoever sits at its table."""

from collections.abc import Mapping
from typing import Any, Protocol

from hearts.game.cards import Card, CardSet
from hearts.game.deal import Deal
from hearts.views.view import View

LONGEST_ANSWER = 1 << 20  # bytes: whoever elsewhere says more is not answering


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


def simulations_in(answer: Mapping[str, Any]) -> int:
    """How many simulations an answer from elsewhere speaks of."""
    done = answer.get("simulations")
    return max(0, done) if isinstance(done, int) else 0

"""The interface of players."""

from collections.abc import Mapping
from typing import Any, Protocol

from hearts.game.cards import Card, CardSet
from hearts.game.deal import Deal
from hearts.views.view import View

LONGEST_ANSWER = 1 << 20  # bytes that a remote player or a program may answer


class Player(Protocol):
    """Chooses cards; the same view and seed give the same choice, unless its budget is time."""

    name: str
    simulations: int = 0  # in all moves so far; 0 for a player that does not search
    # What it expects after the last card that it chose: the probabilities that it shoots the moon,
    # and that another seat does; None if it does not say.
    expected_moons: tuple[float, float] | None = None

    def choose_card(self, view: View, seed: int) -> Card:
        """Choose one of `view.legal`, which has at least two cards."""
        ...

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """Choose three cards of `view.hand` to pass in `view.direction`."""
        ...

    def warm_up(self) -> None:
        """Load what the first choice needs."""
        return

    def show(self, deal: Deal) -> None:
        """Receive the whole deal before a choice; only an oracle uses it."""
        return

    def close(self) -> None:
        """Close connections and end processes."""
        return


class PlayerTimeout(Exception):
    """A remote player or a program did not answer in time."""


class PlayerFailure(Exception):
    """A remote player or a program gave no valid answer."""


def simulations_in(answer: Mapping[str, Any]) -> int:
    """The number of simulations in an answer, 0 if it has none."""
    done = answer.get("simulations")
    return max(0, done) if isinstance(done, int) else 0

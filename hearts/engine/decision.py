"""The decision of a search: a card, and the statistics behind it."""

from dataclasses import dataclass, field

from hearts.engine.config import SearchConfig
from hearts.engine.difference import EQUAL, Difference, difference
from hearts.engine.search.result import SearchResult
from hearts.engine.statistics import MoveStatistics
from hearts.game.cards import Card, bit
from hearts.views.view import View


@dataclass(frozen=True)
class Decision:
    """A card, and the statistics of all legal cards."""

    card: Card
    cards: tuple[MoveStatistics, ...]  # every legal card, best first; empty for a forced card
    worlds: int  # number of sampled worlds
    effective_worlds: float  # effective sample size of their weights
    simulations: int  # playouts, or lines of play if the ending was solved
    seconds: float
    seed: int
    config: SearchConfig
    exact: bool  # whether the ending was solved in every world
    blunder: bool  # whether the card is random: see `SearchConfig.blunder`
    view: View
    result: SearchResult | None = field(default=None, repr=False, compare=False)
    belief_replaced: bool = False  # time was up: a cheaper belief than the config's sampled worlds

    @property
    def forced(self) -> bool:
        """Whether there was only one legal card."""
        return not self.cards

    @property
    def best(self) -> MoveStatistics | None:
        """The statistics of the card that is played; None for a forced card."""
        return self.statistics_of(self.card)

    def statistics_of(self, card: Card) -> MoveStatistics | None:
        """The statistics of a card; None where there was no choice."""
        return next((each for each in self.cards if each.card == card), None)

    def cost_of(self, card: Card) -> Difference | None:
        """How many points more a legal card costs than the one played; None if one was untried."""
        if self.result is None:
            return EQUAL
        return difference(self.result, self._move_of(card), self._move_of(self.card))

    def _move_of(self, card: Card) -> int:
        """The index of the move that a card belongs to."""
        assert self.result is not None
        return next(i for i, cards in enumerate(self.result.moves) if cards & bit(card))

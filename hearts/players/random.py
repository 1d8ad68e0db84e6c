"""The player `random`: uniformly random legal cards."""

from random import Random

from hearts.game.cards import Card, CardSet, members, set_of
from hearts.game.rules import PASS_SIZE
from hearts.players.player import Player
from hearts.views.view import View


class RandomPlayer(Player):
    """Chooses every legal card and every pass with equal probability."""

    name = "random"

    def choose_card(self, view: View, seed: int) -> Card:
        """Choose any legal card."""
        return any_card(view.legal, seed)

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """Choose any three cards."""
        return any_pass(view.hand, seed)


def any_card(cards: CardSet, seed: int) -> Card:
    """A random card of a set."""
    return Random(seed).choice(list(members(cards)))


def any_pass(hand: CardSet, seed: int) -> CardSet:
    """Three random cards of a hand."""
    return set_of(Random(seed).sample(list(members(hand)), PASS_SIZE))

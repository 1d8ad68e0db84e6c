"""Plays any legal card: the bottom of every ladder."""

from random import Random

from hearts.game.cards import Card, CardSet, members, set_of
from hearts.game.rules import PASS_SIZE
from hearts.players.player import Player
from hearts.views.view import View


class RandomPlayer(Player):
    """Every legal card and every pass is equally likely."""

    name = "random"

    def choose_card(self, view: View, seed: int) -> Card:
        """Any legal card."""
        return any_card(view.legal, seed)

    def choose_pass(self, view: View, seed: int) -> CardSet:
        """Any three cards."""
        return any_pass(view.hand, seed)


def any_card(cards: CardSet, seed: int) -> Card:
    """A card out of a set, all equally likely."""
    return Random(seed).choice(list(members(cards)))


def any_pass(hand: CardSet, seed: int) -> CardSet:
    """Three cards out of a hand, all triples equally likely."""
    return set_of(Random(seed).sample(list(members(hand)), PASS_SIZE))

"""Types that are networks: they predict how an opponent plays.

The chain over deals knows styles and policies, which are quick to ask. A network takes a hundred
times as long, so it is asked about thinned states of the chain only: where a player has a style,
a state is weighted by how much better the network explains what that player did.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.network import network_in_data
from hearts.engine.bridge.state import rules_word
from hearts.game.cards import SEATS
from hearts.game.rules import Rules
from hearts.game.trick import PastHands
from hearts.kernels.beliefs.contexts import PHASE
from hearts.kernels.beliefs.likelihood import PLAYERS
from hearts.kernels.beliefs.mcmc import style_likelihoods
from hearts.kernels.beliefs.network_types import network_logs, refresh_public
from hearts.kernels.beliefs.situations import TURN
from hearts.views.plays import Play, plays_of
from hearts.views.view import View
from models.earlier import TYPE_CHANGE, style_log_likelihoods
from models.evidence import later_cards, situations_of
from models.player_types import TypeBook
from models.posterior import DealPosterior
from models.styles import PHASES, Floats

CardSets = NDArray[np.uint64]


@dataclass(frozen=True)
class NetworkType:
    """A network as a player type."""

    name: str  # in `hearts.engine.bridge.network.NETWORKS`
    label: str  # what such a player does, for people
    share: float  # of the players without a policy, before anything is known of them


SEARCH_LIKE = NetworkType("search-like", "plays like a search", 0.5)


def log_likelihoods(kind: NetworkType, view: View, hands: CardSets) -> Floats:
    """The log-likelihood of the others' plays in worlds (n, 3)."""
    logs = np.empty((len(hands), PLAYERS))
    plays = _Plays.of(view.rules, view.plays)
    for player, seat in enumerate(view.others):
        logs[:, player] = plays.logs(kind, seat, hands[:, player].copy())
    return logs


class Earlier(NamedTuple):
    """What earlier hands say of the players that follow no policy."""

    styles: Floats  # (4, S): the log-likelihood of each style for each seat
    network: Floats  # (4,): that of the network

    @classmethod
    def of(cls, kind: NetworkType, book: TypeBook, rules: Rules, earlier: PastHands) -> "Earlier":
        """The likelihoods of the plays in some earlier hands."""
        if not earlier:
            return cls(np.zeros((SEATS, book.style_count)), np.zeros(SEATS))
        nothing = np.zeros(1, dtype=np.uint64)  # is hidden after a hand
        hands = [_Plays.of(rules, list(plays_of(tricks))) for tricks in earlier]
        # Style likelihoods of whole hands are those of moves, not of single equivalent cards.
        logs = [
            [plays.logs(kind, seat, nothing, shared=False)[0] for seat in range(SEATS)]
            for plays in hands
        ]
        return cls(style_log_likelihoods(book, rules, earlier), np.sum(logs, axis=0))

    def style_weights(self, book: TypeBook) -> Floats:
        """How probable each style is (4, S) for a seat with a style."""
        shares = _style_shares(book) * np.exp(self.styles - self.styles.max(axis=1, keepdims=True))
        result: Floats = shares / shares.sum(axis=1, keepdims=True)
        return result

    def network_shares(self, kind: NetworkType, book: TypeBook) -> Floats:
        """How probable the network is for each seat (4,) without a policy."""
        styles = np.logaddexp.reduce(self.styles + np.log(_style_shares(book)), axis=1)
        against, logs = styles + np.log(1 - kind.share), self.network + np.log(kind.share)
        found = np.exp(logs - np.logaddexp(logs, against))
        result: Floats = (1 - TYPE_CHANGE) * found + TYPE_CHANGE * kind.share
        return result


def _style_shares(book: TypeBook) -> Floats:
    """How common each style is (S,) among players without a policy."""
    shares = book.table_weights[:, : book.style_count].sum(axis=0)
    result: Floats = shares / shares.sum()
    return result


def log_advantages(
    kind: NetworkType, posterior: DealPosterior, style_weights: Floats, hands: CardSets
) -> Floats:
    """log P(plays | network) − log P(plays | style) for each player in worlds (n, 3).

    The styles are summed out with the weights (3, S).
    """
    book, evidence = posterior.book, posterior.evidence
    actions = np.zeros((PLAYERS, len(PHASES)))
    for player, (first, end) in enumerate(pairwise(evidence.start)):
        np.add.at(actions[player], evidence.contexts[first:end, PHASE], 1)
    weights = style_weights * np.exp(actions @ book.styles.log_corrections.T)
    likelihoods = np.empty((len(hands), PLAYERS))
    style_likelihoods(evidence, book.arrays, posterior.cache, weights, hands, likelihoods)
    found: Floats = log_likelihoods(kind, posterior.view, hands) - np.log(likelihoods)
    return found


@dataclass(frozen=True)
class _Plays:
    """The plays of a hand as kernel arguments."""

    rules: np.uint64
    situations: CardSets
    held: CardSets

    @classmethod
    def of(cls, rules: Rules, plays: list[Play] | tuple[Play, ...]) -> "_Plays":
        """The plays of a hand so far."""
        word = rules_word(rules)
        held = np.array(later_cards(plays), dtype=np.uint64)
        return cls(word, situations_of(plays, word), held)

    def logs(self, kind: NetworkType, seat: int, hands: CardSets, *, shared: bool = True) -> Floats:
        """The log-likelihood of a seat's plays for each of some hidden hands (n,)."""
        layers = network_in_data(kind.name).arrays
        accumulators = np.empty((len(self.held), len(layers.bias)), dtype=np.float32)
        refresh_public(self.situations, self.held, layers, accumulators)
        own, logs = self.situations[:, TURN] == seat, np.empty(len(hands))
        network_logs(
            self.situations[own], self.held[own], accumulators[own], hands, self.rules, shared,
            layers, logs,
        )  # fmt: skip
        return logs

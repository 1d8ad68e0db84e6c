"""What earlier hands of a match say about the types of its players."""

import numpy as np

from hearts.engine.bridge.state import rules_word
from hearts.game.cards import SEATS
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.game.rules import Rules
from hearts.game.trick import PastHands
from hearts.kernels.beliefs.policy_types import hand_likelihoods
from hearts.kernels.beliefs.situations import TURN
from hearts.views.plays import plays_of
from models.decisions import Decisions
from models.evidence import later_cards, situations_of
from models.player_types import TypeBook
from models.styles import Floats

TYPE_CHANGE = 0.05  # probability that a player changes its type between hands


def type_posterior(book: TypeBook, rules: Rules, earlier: PastHands) -> Floats:
    """The relative likelihood of each type for each seat (4, types), from plays in earlier hands.

    The best type of a seat has 1. Passes do not count: only the giver and the receiver saw them.
    """
    if not earlier:
        return np.ones((SEATS, book.size))
    styles = style_log_likelihoods(book, rules, earlier)
    logs = np.hstack([styles, _policy_logs(book, rules, earlier)])
    relative = np.exp(logs - logs.max(axis=1, keepdims=True))
    result: Floats = (1 - TYPE_CHANGE) * relative + TYPE_CHANGE * _mean_likelihood(book, relative)
    return result


def _mean_likelihood(book: TypeBook, relative: Floats) -> Floats:
    """The likelihood of a new player of unknown type at each seat (4, 1).

    With styles alone it is that of the best style, so that the decisions of OM-2 stay as they are.
    """
    if not book.policies:
        return np.ones((SEATS, 1))
    shares = book.table_weights.sum(axis=0)
    result: Floats = relative @ shares[:, None]
    return result


def style_log_likelihoods(book: TypeBook, rules: Rules, earlier: PastHands) -> Floats:
    """The log-likelihood of each style for each seat (4, S)."""
    styles = book.styles
    decisions = Decisions.of([Record(Deal.over(rules, tricks)) for tricks in earlier])
    plays = [decisions.log_likelihoods(style).sum(axis=1) for style in styles.weights]
    of_hands = styles.powers * np.stack(plays, axis=1)
    of_hands += decisions.actions @ styles.log_corrections.T
    found: Floats = of_hands.reshape(len(earlier), SEATS, -1).sum(axis=0)
    return found


def _policy_logs(book: TypeBook, rules: Rules, earlier: PastHands) -> Floats:
    """The log-likelihood of each type with a policy for each seat (4, K J)."""
    codes, noises, word = book.codes, book.noises, rules_word(rules)
    found, result = np.zeros((SEATS, len(codes), len(noises))), np.empty((len(codes), len(noises)))
    for tricks in earlier if book.policies else ():
        plays = list(plays_of(tricks))
        situations = situations_of(plays, word)
        held = np.array(later_cards(plays), dtype=np.uint64)
        for seat in range(SEATS):
            own = situations[:, TURN] == seat
            hand_likelihoods(situations[own], held[own], word, codes, noises, result)
            found[seat] += np.log(result)
    return found.reshape(SEATS, -1)

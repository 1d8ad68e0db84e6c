"""All decisions of recorded hands as data for the choice models: features, choices, players."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.state import rules_word
from hearts.game.cards import SEATS, members
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.kernels.beliefs.choices import (
    DEALT,
    list_choices,
    list_pass,
    pass_gradient,
    pass_log_probabilities,
    play_gradient,
    play_log_probabilities,
)
from hearts.kernels.beliefs.contexts import (
    DISCARD,
    FOLLOW,
    LEAD,
    PHASE,
    SEAT,
    TRICK,
    WIDTH,
    describe_plays,
)
from hearts.kernels.beliefs.features import MAX_FEATURES, PASS_FEATURES
from models.styles import FEATURES, PHASES, Floats

Ints = NDArray[np.int64]
_PLAY_PHASES = (LEAD, FOLLOW, DISCARD)


@dataclass(frozen=True)
class Choices:
    """The decisions of one phase that have more than one alternative."""

    features: Floats  # plays: (alternatives, features); passes: (n, 13, features)
    starts: Ints | None  # (n + 1,): where a play's alternatives begin; None for passes
    chosen: Ints  # plays: (n,) alternatives; passes: (n, 3) indices into the hand
    player: Ints  # (n,): hand * 4 + seat

    def log_probabilities(self, weights: Floats) -> Floats:
        """The log-probability of each decision (n,)."""
        logs = np.empty(len(self.player))
        if self.starts is None:
            pass_log_probabilities(self.features, self.chosen, weights, logs)
        else:
            play_log_probabilities(self.features, self.starts, self.chosen, weights, logs)
        return logs

    def loss(self, responsibilities: Floats, weights: Floats) -> tuple[float, Floats]:
        """The negative log-likelihood, weighted by responsibilities (n,), and its gradient."""
        gradient = np.zeros_like(weights)
        given = responsibilities, weights, gradient
        if self.starts is None:
            value = pass_gradient(self.features, self.chosen, *given)
        else:
            value = play_gradient(self.features, self.starts, self.chosen, *given)
        return -value, -gradient


@dataclass(frozen=True)
class Decisions:
    """The decisions of some hands; a player is one seat in one hand."""

    phases: tuple[Choices, ...]  # in the order of PHASES
    labels: tuple[str, ...]  # of each player: the source of its hand, and its name if known
    actions: Floats  # (players, 4): actions by phase, including those without a choice

    @classmethod
    def of(cls, records: Sequence[Record]) -> "Decisions":
        """Collect the decisions in some records."""
        described, held = zip(*(_plays(record.deal) for record in records), strict=True)
        contexts, hands = np.concatenate(described), np.concatenate(held)
        number = np.repeat(np.arange(len(records)), [len(each) for each in described])
        player = number * SEATS + contexts[:, SEAT]
        labels = [_label(record, seat) for record in records for seat in range(SEATS)]
        passes = _pass_choices(records)
        actions = np.zeros((len(labels), len(PHASES)))
        for phase in _PLAY_PHASES:
            np.add.at(actions[:, phase], player[_in_phase(contexts, phase)], 1)
        np.add.at(actions[:, -1], passes.player, 1)
        return cls((*_play_choices(contexts, hands, player), passes), tuple(labels), actions)

    def log_likelihoods(self, weights: Sequence[Floats]) -> Floats:
        """The log-likelihood of each player's decisions by phase (players, 4), for one style."""
        found = [
            np.bincount(choices.player, choices.log_probabilities(of_phase), len(self.labels))
            for choices, of_phase in zip(self.phases, weights, strict=True)
        ]
        return np.stack(found, axis=1)

    def mean_nll(self, weights: Sequence[Floats], responsibilities: Floats | None = None) -> Floats:
        """The mean negative log-likelihood of an action by phase (4,), in nats, for one style.

        `responsibilities` (players,) weights the players; without them all count alike.
        """
        share = np.ones(len(self.labels)) if responsibilities is None else responsibilities
        actions = np.maximum(share @ self.actions, 1.0)
        result: Floats = -(share @ self.log_likelihoods(weights)) / actions
        return result


def _label(record: Record, seat: int) -> str:
    names = record.extra.get("players")
    return f"{record.source}:{names[seat]}" if isinstance(names, list) else record.source


def _plays(deal: Deal) -> tuple[Ints, NDArray[np.uint64]]:
    """The context of every play of a hand, and the cards that its player held."""
    plays = list(deal.plays)
    seats, cards = np.array(plays, dtype=np.int64).reshape(-1, 2).T.copy()
    contexts = np.zeros((len(plays), WIDTH), dtype=np.int64)
    describe_plays(seats, cards, rules_word(deal.rules), contexts)
    hands, held = list(deal.hands), np.empty(len(plays), dtype=np.uint64)
    for i in reversed(range(len(plays))):
        seat, card = plays[i]
        hands[seat] |= 1 << card
        held[i] = hands[seat]
    return contexts, held


def _in_phase(contexts: Ints, phase: int) -> NDArray[np.bool_]:
    """Which plays belong to a phase; the opening lead is forced and belongs to none."""
    result: NDArray[np.bool_] = contexts[:, PHASE] == phase
    return result & (contexts[:, TRICK] > 0) if phase == LEAD else result


def _play_choices(contexts: Ints, hands: NDArray[np.uint64], player: Ints) -> Iterator[Choices]:
    for phase in _PLAY_PHASES:
        own = _in_phase(contexts, phase)
        features = np.empty((own.sum() * DEALT, MAX_FEATURES))
        starts = np.empty(own.sum() + 1, dtype=np.int64)
        chosen = np.empty_like(player[own])
        end = list_choices(contexts[own], hands[own], features, starts, chosen)
        real = chosen >= 0
        sizes = np.diff(starts)[real]
        yield Choices(
            features[:end, : len(FEATURES[PHASES[phase]])].copy(),
            np.concatenate([[0], np.cumsum(sizes)]),
            chosen[real],
            player[own][real],
        )


def _pass_choices(records: Sequence[Record]) -> Choices:
    features, chosen, player = [], [], []
    for number, record in enumerate(records):
        deal = record.deal
        for seat in range(SEATS) if all(deal.passes) else ():
            of_hand = np.empty((DEALT, PASS_FEATURES))
            list_pass(np.uint64(deal.dealt[seat]), of_hand)
            features.append(of_hand)
            passed = [deal.passes[seat] >> card & 1 for card in members(deal.dealt[seat])]
            chosen.append(np.flatnonzero(passed))
            player.append(number * SEATS + seat)
    return Choices(
        np.array(features).reshape(-1, DEALT, PASS_FEATURES),
        None,
        np.array(chosen, dtype=np.int64).reshape(-1, 3),
        np.array(player, dtype=np.int64),
    )

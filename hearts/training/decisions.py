"""Recorded hands as samples of decisions, from which a network learns by imitation."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from hearts.engine.bridge.state import rules_word
from hearts.game.cards import SEATS
from hearts.game.errors import InvalidRecord
from hearts.game.records import Record
from hearts.kernels.network.arrays import Samples, new_samples
from hearts.kernels.network.decisions import MAX_DECISIONS, list_recorded
from hearts.training.hyperparameters import Imitation

Indices = NDArray[np.int64]

CARDS = 52
UNPLAYED = -1


@dataclass(frozen=True)
class Decisions:
    """Samples of recorded hands, and who decided."""

    samples: Samples
    players: NDArray[np.str_]  # (n,): names, or the source of the record
    held_out: NDArray[np.bool_]  # (n,): kept back to judge what was learned

    def chosen(self, players: Collection[str] = (), *, held_out: bool = False) -> Indices:
        """The samples to learn from, or those that were kept back; of all or some players."""
        own = np.isin(self.players, list(players)) if players else np.ones_like(self.held_out)
        found = np.flatnonzero(own & (self.held_out == held_out))
        if not len(found):
            raise InvalidRecord("records", "too few decisions of these players")
        return found


def decisions_of(records: Sequence[Record], imitation: Imitation, forgetful: float) -> Decisions:
    """The plays and passes of some hands; `forgetful` seats do not remember their pass.

    Deals are held out by their cards, so that all hands of a deal are kept back together.
    """
    rng = np.random.default_rng(imitation.seed)
    forgets = rng.random((len(records), SEATS)) < forgetful
    bits = np.asarray((forgets << np.arange(SEATS)).sum(axis=1), dtype=np.uint64)
    groups = []
    numbered = sorted(enumerate(records), key=lambda pair: rules_word(pair[1].deal.rules))
    for rules, group in groupby(numbered, key=lambda pair: rules_word(pair[1].deal.rules)):
        numbers, some = zip(*group, strict=True)
        groups.append(_decisions(some, bits[list(numbers)], rules, imitation.held_out))
    return _joined(groups)


def _decisions(
    records: Sequence[Record], forgetful: NDArray[np.uint64], rules: np.uint64, held_out: float
) -> Decisions:
    """The decisions of hands with the same rules."""
    for record in records:
        if not record.deal.rules.usual_scoring:
            raise InvalidRecord(f"{record.id}: rules", "the scoring is not the usual one")
    samples = new_samples(len(records) * MAX_DECISIONS)
    deals = [record.deal for record in records]
    n = list_recorded(
        np.array([deal.dealt for deal in deals], dtype=np.uint64),
        np.array([deal.passes or (0,) * SEATS for deal in deals], dtype=np.uint64),
        np.array([deal.direction if any(deal.passes) else 0 for deal in deals], dtype=np.uint64),
        np.array([(*deal.tricks, deal.trick)[0].leader for deal in deals], dtype=np.uint64),
        np.array([_cards(record) for record in records], dtype=np.int64),
        forgetful, rules, np.uint64(0), samples,
    )  # fmt: skip
    samples = samples.part(slice(n))
    names = np.array([record.extra.get("players") or [record.source] * SEATS for record in records])
    kept = np.array([_is_held_out(record, held_out) for record in records])
    return Decisions(samples, names[samples.hand, samples.seat], kept[samples.hand])


def _cards(record: Record) -> list[int]:
    cards = [card for _, card in record.deal.plays]
    return cards + [UNPLAYED] * (CARDS - len(cards))


def _is_held_out(record: Record, share: float) -> bool:
    digest = sha256(np.array(record.deal.dealt, dtype=np.uint64).tobytes()).digest()
    return int.from_bytes(digest[:4], "big") < share * (1 << 32)


def _joined(groups: Sequence[Decisions]) -> Decisions:
    if not groups:
        raise InvalidRecord("records", "there is no hand")
    arrays = zip(*(each.samples for each in groups), strict=True)
    return Decisions(
        Samples(*(np.concatenate(every) for every in arrays)),
        np.concatenate([each.players for each in groups]),
        np.concatenate([each.held_out for each in groups]),
    )

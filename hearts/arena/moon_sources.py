"""Why a player expects too few or too many moons: its worlds, or how hands are played on.

Decisions of recorded hands are rolled out again in sampled worlds and in the true deal, with
several policies for the other seats. A calibrated belief expects as many moons in its worlds as in
the true deals, over many hands. What then remains is due to the policies of the rollouts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from hearts.arena.calibration import EVENTS, PER
from hearts.arena.statistics import Interval, bootstrap_ratio
from hearts.arena.tournament import SEATINGS
from hearts.engine.beliefs import Worlds, load_belief
from hearts.engine.bridge.policies import ROLLOUT_POLICIES
from hearts.engine.config import SearchConfig
from hearts.engine.decide import ranked
from hearts.engine.search.dispatch import search_card
from hearts.game.cards import RANKS, SEATS, Card, CardSet, count, members
from hearts.game.deal import Deal, moments
from hearts.game.records import parse_record
from hearts.views.view import View

CHECKPOINTS = (13, 10, 8, 6, 4)  # tricks left: the first choice from each on is examined
TRUE, BELIEVED = "the true deal", "believed"
WORLDS = 200
ROLLOUTS: dict[str, Any] = {"algorithm": "rollouts", "simulations": WORLDS, "time_ms": None}


class Source(NamedTuple):
    """A way to predict a moon: in which worlds, and how the other seats play on."""

    worlds: str  # BELIEVED: by the player's belief; TRUE; or the name of another belief
    others: str | None  # a policy of rollouts; None: as the belief says


NETWORK = "network"
SOURCES = (
    Source(BELIEVED, None),
    Source("OM-1", NETWORK),
    *(
        Source(worlds, others)
        for others in (NETWORK, "search-like", "cautious", "shooter")
        for worlds in (BELIEVED, TRUE)
    ),
)
Chances = Mapping[str, float]  # of each of EVENTS


@dataclass(frozen=True)
class Case:
    """A decision of a recorded hand: what happened, and what every source predicts."""

    deal: int
    checkpoint: int
    actual: Chances  # 0 or 1
    predictions: Mapping[Source, Chances]


def cases(records: Sequence[Any], config: SearchConfig, jobs: int = 1) -> list[Case]:
    """Roll out decisions of the focus seats again; `config` is that of the focus player."""
    again = delayed(_cases_of)
    found = Parallel(n_jobs=jobs)(again(record, config) for record in records)
    return [case for hand in found for case in hand]


def _cases_of(record: Mapping[str, Any], config: SearchConfig) -> list[Case]:
    """The cases of a hand of a tournament 1 against 3."""
    deal, (focus,) = parse_record(record).deal, SEATINGS["single"][record["seating"]]
    actual = {
        "made": float(deal.shooter == focus),
        "conceded": float(deal.shooter not in (None, focus)),
    }
    return [
        Case(record["deal"], checkpoint, actual, _predictions(before, card, config))
        for checkpoint, before, card in choices(deal, focus)
    ]


def choices(deal: Deal, seat: int) -> Iterator[tuple[int, Deal, Card]]:
    """For each checkpoint the first choice of a seat from there on: the deal before it, its card.

    A choice stands for the latest checkpoint that it has passed.
    """
    ahead = list(CHECKPOINTS)
    for before, turn, cards in moments(deal):
        left = RANKS - len(before.tricks)
        if before.passing or turn != seat or count(before.legal) < 2:
            continue
        passed = [checkpoint for checkpoint in ahead if checkpoint >= left]
        if passed:
            ahead = ahead[len(passed) :]
            yield passed[-1], before, next(members(cards))


def _predictions(deal: Deal, card: Card, config: SearchConfig) -> Mapping[Source, Chances]:
    view, seed = View.of(deal, deal.trick.turn, checked=False), config.seed
    config = replace(config, **ROLLOUTS)
    beliefs = {source.worlds for source in SOURCES} - {TRUE}
    names = {name: config.belief if name == BELIEVED else name for name in beliefs}
    worlds = {
        name: load_belief(belief).sample(view, WORLDS, np.random.default_rng(seed))
        for name, belief in names.items()
    }
    worlds[TRUE] = true_worlds(deal.hands)
    return {
        source: _chances(view, card, _played_by(worlds[source.worlds], source, view.seat), config)
        for source in SOURCES
    }


def true_worlds(hands: Sequence[CardSet]) -> Worlds:
    """The true deal as worlds: rollouts differ in their random choices only."""
    return Worlds(
        np.tile(np.array(hands, dtype=np.uint64), (WORLDS, 1)), np.full(WORLDS, 1 / WORLDS)
    )


def _played_by(worlds: Worlds, source: Source, seat: int) -> Worlds:
    """The worlds with the policies of a source; the seat itself plays by the network."""
    if source.others is None:
        return worlds
    policies = np.full((WORLDS, SEATS), ROLLOUT_POLICIES[source.others], dtype=np.int64)
    policies[:, seat] = ROLLOUT_POLICIES[NETWORK]
    return replace(worlds, policies=policies)


def _chances(view: View, card: Card, worlds: Worlds, config: SearchConfig) -> Chances:
    """How often a card leads to a moon in rollouts over some worlds."""
    found = ranked(search_card(view, worlds, card, config), config)
    played = next(each for each in found if each.card == card)
    return {"made": played.moon, "conceded": played.moon_against}


def source_tables(found: Sequence[Case]) -> list[str]:
    """For each event a Markdown table: moons per 100 hands by source and checkpoint."""
    lines: list[str] = []
    for event in EVENTS:
        lines += [
            f"Moons {event}, per {PER} hands, by the tricks left; below the line the predictions:",
            "",
            f"| worlds | others play | {' | '.join(map(str, CHECKPOINTS))} |",
            "|---" * (2 + len(CHECKPOINTS)) + "|",
            f"| actual | | {' | '.join(_row(found, event, None))} |",
            *(
                f"| {source.worlds} | {source.others or 'as believed'} | "
                f"{' | '.join(_row(found, event, source))} |"
                for source in SOURCES
            ),
            "",
        ]
    return lines


def _row(found: Sequence[Case], event: str, source: Source | None) -> Iterator[str]:
    for checkpoint in CHECKPOINTS:
        mean = per_hands(found, event, checkpoint, source)
        yield f"{mean.mean:.1f} ({mean.low:.1f} … {mean.high:.1f})"


def per_hands(
    found: Sequence[Case], event: str, checkpoint: int, source: Source | None
) -> Interval:
    """Predicted moons per 100 hands at a checkpoint, with an interval over deals.

    Without a source: the moons that happened.
    """
    deals = sorted({case.deal for case in found})
    place = {deal: row for row, deal in enumerate(deals)}
    totals, counts = [0.0] * len(deals), [0] * len(deals)
    for case in found:
        if case.checkpoint == checkpoint:
            chances = case.actual if source is None else case.predictions[source]
            totals[place[case.deal]] += PER * chances[event]
            counts[place[case.deal]] += 1
    return bootstrap_ratio(totals, counts)

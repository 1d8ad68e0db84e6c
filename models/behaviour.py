"""OM-2: deals are as likely as they explain what the others have passed and played."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hearts.engine.beliefs import Probabilities, Worlds
from hearts.engine.bridge.state import rules_word
from hearts.game.cards import SEATS, SUIT_MASK, CardSet, count, index_of, members
from hearts.game.deal import Deal
from hearts.game.records import Record
from hearts.game.rules import PassDirection, Rules
from hearts.game.trick import PastHands
from hearts.kernels.beliefs.likelihood import PLAYERS, VIEWER, Evidence, Memory
from hearts.kernels.beliefs.mcmc import explain_worlds, run_chain
from hearts.kernels.beliefs.moments import FOLLOW, LEAD, PHASE, TRICK, WIDTH, describe
from hearts.kernels.beliefs.raking import herd, rake
from hearts.views.view import View
from models.fit import Examples
from models.styles import PHASES, Floats, StyleBook, read_styles
from models.voids import VoidBelief

VOIDS = VoidBelief()
VOIDS_SHARE = 0.02  # of worlds that are drawn as if nothing had been seen but voids
MOST_WORLDS = 1_000  # different ones; who asks for more gets them again
HERDED = 8  # states of a chain for each world that is chosen among them
HERDING = 20_000  # states looked at so often at most: about half a millisecond
RAKING = 6  # rounds in which worlds get their weights
LEAST_EFFECTIVE = 0.6  # share of the worlds that must be left in effect by their weights
CARD_PLACES = 64  # of a set
CHANGED = 0.05  # chance that a player no longer plays as in earlier hands
MATCHES = 64  # of which it is kept how their players play


@dataclass(frozen=True)
class Effort:
    """How long a chain is."""

    steps: int  # in all
    chains: int = 2  # that share them, each from a start of its own
    starts: int = 16  # worlds of OM-1 among which starts are drawn by likelihood
    settling: int = 200  # steps of a chain before its first world
    swaps: int = 8  # cards exchanged in a step, at most
    restyle: int = 24  # steps between draws of the players' styles


MOVE = Effort(steps=14_000)  # 9 ms of CPU at the sixth trick
ANALYSIS = Effort(steps=50_000)  # 24 ms


@dataclass(frozen=True)
class Walk:
    """The states that chains came through."""

    hands: NDArray[np.uint64]  # (n, 3): what the others hold, in order of play
    holders: Floats  # (free cards, 3): the share of steps at which each of them held a card
    acceptance: float  # share of steps that were taken


class BehaviourBelief:
    """P(deal | what happened) ∝ P(what happened | deal) · OM-1, by a chain over deals."""

    def __init__(
        self,
        *,
        book: StyleBook | None = None,
        move: Effort = MOVE,
        analysis: Effort = ANALYSIS,
    ) -> None:
        self.book = book or shipped_styles()
        self.move = move
        self.analysis = analysis
        self.familiar = lru_cache(MATCHES)(partial(familiar, self.book))

    def sample(self, view: View, n: int, rng: np.random.Generator) -> Worlds:
        """`n` worlds that fit the view: states of a chain that together say what all steps say."""
        different = min(n, MOST_WORLDS)
        worlds = VOIDS.sample(view, different, rng)
        inquiry = Inquiry.of(view, self)
        if inquiry is not None:
            worlds = inquiry.sample(self.move, worlds.hands, rng)
        # In no order, since a search that runs out of time has seen the first ones only.
        order = np.resize(rng.permutation(different), n)
        weights = worlds.weights[order]
        return Worlds(worlds.hands[order], weights / weights.sum())

    def probabilities(self, view: View) -> Probabilities:
        """For every card the probability that each seat holds it now (52, 4)."""
        certain = VOIDS.probabilities(view)
        inquiry = Inquiry.of(view, self)
        if inquiry is None:
            return certain
        rng = np.random.default_rng(int(view.fingerprint, 16))
        walk = inquiry.walk(self.analysis, self.analysis.chains, rng)
        result = certain.copy()
        result[np.ix_(inquiry.rows, view.others)] = inquiry.mixed(walk, certain)
        return result

    def log_weights(self, view: View, hands: NDArray[np.uint64], seed: int = 0) -> Floats:
        """The log of how well worlds (n, 4) explain what happened, up to a constant."""
        inquiry = Inquiry.of(view, self)
        if inquiry is None:
            return np.zeros(len(hands))
        likelihoods = inquiry.likelihoods(hands[:, list(view.others)].copy(), seed)
        logs: Floats = np.log(likelihoods)
        return logs


@cache
def shipped_styles() -> StyleBook:
    """The styles that come with the program."""
    return read_styles()


def familiar(book: StyleBook, rules: Rules, earlier: PastHands) -> Floats:
    """By seat and style (4, S) the factor that a player's plays in earlier hands speak for it.

    Passes do not count, since they are seen by those alone who gave or got them.
    """
    if not earlier:
        return np.ones((SEATS, len(book.columns)))
    examples = Examples.of([Record(Deal.over(rules, tricks)) for tricks in earlier])
    plays = np.stack([examples.logs(style).sum(axis=1) for style in book.columns], axis=1)
    of_hands = book.power * plays + examples.seen @ book.allowance.T
    logs = of_hands.reshape(len(earlier), SEATS, -1).sum(axis=0)
    # A player may change: no style is ever given up.
    result: Floats = (1 - CHANGED) * np.exp(logs - logs.max(axis=1, keepdims=True)) + CHANGED
    return result


@dataclass(frozen=True)
class Inquiry:
    """One view, in the words of the chain."""

    view: View
    book: StyleBook
    evidence: Evidence

    @classmethod
    def of(cls, view: View, belief: BehaviourBelief) -> "Inquiry | None":
        """The question of a view; None where nothing was seen, or nothing is hidden."""
        if view.passing or view.partial or view.finished:
            return None
        known = belief.familiar(view.rules, view.earlier)
        evidence = _evidence(view, known[list(view.others)], belief.book)
        inquiry = cls(view, belief.book, evidence)
        silent = not len(evidence.moments) and (evidence.source < 0).all()
        return None if silent or not len(inquiry.free) else inquiry

    @cached_property
    def free(self) -> NDArray[np.int64]:
        """The hidden cards that more than one of the others may hold."""
        a, b, c = (self.view.possible[seat] for seat in self.view.others)
        return np.array(list(members(a & b | a & c | b & c)), dtype=np.int64)

    @property
    def rows(self) -> list[int]:
        """The places of these cards in a table of the deck."""
        return [index_of(int(card)) for card in self.free]

    def mixed(self, walk: Walk, certain: Probabilities) -> Floats:
        """Who holds the free cards (cards, 3), after a walk, with a little of OM-1 mixed in."""
        plain = certain[np.ix_(self.rows, self.view.others)]
        result: Floats = (1 - VOIDS_SHARE) * walk.holders + VOIDS_SHARE * plain
        return result

    @cached_property
    def memory(self) -> Memory:
        """Room for every set of cards that a suit of a hand can be."""
        sizes = [
            [1 << count(self.view.possible[seat] & suit) for suit in SUIT_MASK]
            for seat in self.view.others
        ]
        ends = np.cumsum(sizes)
        most = int((self.evidence.start[1:] - self.evidence.opened).max())
        return Memory(
            base=(ends - np.ravel(sizes)).reshape(PLAYERS, len(SUIT_MASK)),
            places=np.full(ends[-1], -1, dtype=np.int32),
            rows=np.empty((ends[-1], len(self.book.columns), 1 + most)),
            used=np.zeros(1, dtype=np.int64),
        )

    def sample(self, effort: Effort, hands: NDArray[np.uint64], rng: np.random.Generator) -> Worlds:
        """Worlds of OM-1 (n, 4), all but a few of them replaced by states of a chain."""
        n, others = len(hands), list(self.view.others)
        drawn = n - round(VOIDS_SHARE * n)
        walk = self.walk(effort, max(n, min(HERDED * n, HERDING // n)), rng)
        wanted = self.mixed(walk, VOIDS.probabilities(self.view))
        chosen, taken = np.arange(drawn), np.zeros(len(walk.hands), dtype=np.bool_)
        if len(walk.hands) > n:
            herd(walk.hands, self.free, wanted, np.empty_like(wanted), taken, chosen)
        hands[:drawn, others] = walk.hands[chosen]
        weights = np.empty(n)
        least = LEAST_EFFECTIVE * n
        rake(hands[:, others].copy(), self.free, wanted, RAKING, least, weights, np.empty(n))
        return Worlds(hands, weights)

    def likelihoods(self, hands: NDArray[np.uint64], seed: int = 0) -> Floats:
        """How likely what happened is in worlds (n, 3); hidden passes are drawn once for each."""
        result = np.empty(len(hands))
        explain_worlds(self.evidence, self.book.kernel, self.memory, hands, np.uint64(seed), result)
        return result

    def walk(self, effort: Effort, n: int, rng: np.random.Generator) -> Walk:
        """`n` states of chains that start from worlds of OM-1."""
        others = list(self.view.others)
        starts = VOIDS.sample(self.view, effort.starts, rng).hands[:, others].copy()
        seeds = rng.integers(2**63, size=effort.chains + 1, dtype=np.uint64)
        likely = self.likelihoods(starts, int(seeds[-1]))
        chosen = rng.choice(len(starts), effort.chains, p=likely / likely.sum())
        hands = np.empty((n, PLAYERS), dtype=np.uint64)
        counts = np.zeros((CARD_PLACES, PLAYERS))
        chains = min(effort.chains, n)
        between = max(1, (effort.steps - chains * effort.settling) // n)
        steps = np.array([effort.settling, between, effort.restyle])
        tried = accepted = 0
        for chain, part in enumerate(np.array_split(hands, chains)):
            start, seed = starts[chosen[chain]], seeds[chain]
            done = run_chain(
                self.evidence, self.book.kernel, self.memory, self.free, effort.swaps,
                start, steps, seed, part, counts,
            )  # fmt: skip
            tried, accepted = tried + done[0], accepted + done[1]
        return Walk(hands, counts[self.free] / (n * between), accepted / max(tried, 1))


def _evidence(view: View, known: Floats, book: StyleBook) -> Evidence:
    """What a full view shows of the three others."""
    plays = view.plays
    seats = np.array([play.seat for play in plays], dtype=np.int64)
    cards = np.array([play.card for play in plays], dtype=np.int64)
    moments = np.zeros((len(plays), WIDTH), dtype=np.int64)
    describe(seats, cards, rules_word(view.rules), moments)
    phases, tricks = moments[:, PHASE].tolist(), moments[:, TRICK].tolist()
    order: list[int] = []
    start, opened, played = [0], [], []
    held = {}
    for seat in view.others:
        own = [i for i, play in enumerate(plays) if play.seat == seat]
        since = 0
        for i in reversed(own):
            since |= 1 << plays[i].card
            held[i] = since
        follows = [i for i in own if phases[i] == FOLLOW]
        # The opening lead is no choice.
        opens = [i for i in own if phases[i] != FOLLOW and (tricks[i] or phases[i] != LEAD)]
        opened.append(len(order) + len(follows))
        order += follows + opens
        start.append(len(order))
        played.append(since)
    source, given, received = _passes(view)
    actions = np.zeros((PLAYERS, len(PHASES)))
    for player, (first, end) in enumerate(pairwise(start)):
        np.add.at(actions[player], [phases[i] for i in order[first:end]], 1)
        actions[player, -1] = source[player] >= 0
    return Evidence(
        moments=moments[order],
        held=_sets(held[i] for i in order),
        start=np.array(start, dtype=np.int64),
        opened=np.array(opened, dtype=np.int64),
        possible=_sets(view.possible[seat] for seat in view.others),
        played=_sets(played),
        prior=known * np.exp(actions @ book.allowance.T),
        source=np.array(source, dtype=np.int64),
        given=_sets(given),
        received=_sets(received),
    )


def _passes(view: View) -> tuple[list[int], list[CardSet], list[CardSet]]:
    """For each of the others who gave to it, what it gave me, and what it got from me."""
    if view.direction is PassDirection.HOLD or not (view.passed and view.received):
        return [-1] * PLAYERS, [0] * PLAYERS, [0] * PLAYERS
    players: Sequence[int] = (*view.others, view.seat)  # the viewer's place is VIEWER
    givers = [(seat - view.direction) % SEATS for seat in view.others]
    source = [players.index(giver) for giver in givers]
    to_me = (view.seat - view.direction) % SEATS
    given = [view.received if seat == to_me else 0 for seat in view.others]
    received = [view.passed if place == VIEWER else 0 for place in source]
    return source, given, received


def _sets(cards: Iterable[CardSet]) -> NDArray[np.uint64]:
    return np.array(list(cards), dtype=np.uint64)

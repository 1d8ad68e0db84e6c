"""UCT against plain Python that grows the same tree: the same nodes, visits and means.

The oracle draws the same random numbers in the same order and computes means in the same way, so
that both see the same ties.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from hearts.engine.bridge.playouts import epsilon_word, playout_code
from hearts.engine.bridge.policies import POLICIES
from hearts.engine.bridge.state import rules_word, state_of
from hearts.engine.bridge.worlds import shown_voids
from hearts.engine.playouts import Playout
from hearts.engine.rewards import reward_scale
from hearts.game.cards import SEATS, Card, bit
from hearts.game.deal import Deal
from hearts.game.rules import PASSING, STANDARD, Rules
from hearts.kernels.core.statistics import COLUMNS
from hearts.kernels.core.statistics import REWARD as REWARD_SUM
from hearts.kernels.core.statistics import VISITS as VISIT_COUNT
from hearts.kernels.search.tree import (
    AVAILABLE,
    CARD,
    CHILD,
    MEAN,
    SIBLING,
    VISITS,
    allowed_moves,
    clear_tree,
    grow_tree,
)
from hearts.players.registry import shared_player
from hearts.players.spec import Spec
from hearts.views.view import View
from models.voids import VoidBelief
from tests.hearts.kernels.core.test_reward import valued
from tests.hearts.kernels.oracle import Stream, choose, pick, play_out
from tests.hearts.kernels.search.test_solver import moves_of
from tests.hearts.play import random_deal

SIMULATIONS = 60
SCORES = (0, 0, 0, 0)
EPSILON = int(epsilon_word(0.1))
SEED = 0x0123456789ABCDEF
ROOT_OF_LOG = np.sqrt(np.log(np.maximum(np.arange(10 * SIMULATIONS), 1.0))).tolist()


@dataclass(frozen=True)
class Way:
    """How a tree is grown."""

    worlds: int
    availability: bool = False
    by_policy: bool = False
    playout: str = "epsilon-greedy"
    reward: str = "difference"
    c: float = 0.5
    own: tuple[str, ...] = ()  # the players of the seats, "" for those without an own policy


@dataclass
class Node:
    """A card in the tree: who played it is better off the higher its mean."""

    visits: int = 0
    mean: float = 0.0
    available: int = 1
    children: dict[Card, "Node"] = field(default_factory=dict)

    def add(self, reward: float) -> None:
        """A running mean; with 1 / √n twice, which is what the kernel has at hand."""
        self.visits += 1
        inverse_root = 1 / math.sqrt(self.visits)
        self.mean += (reward - self.mean) * inverse_root * inverse_root


def choice(node: Node, moves: list[Card], way: Way) -> Card:
    """The move of the highest upper confidence bound; of equal ones, that which is the newest."""
    scores = {}
    for card in reversed(node.children):
        if card in moves:
            child = node.children[card]
            tries = node.visits
            if way.availability:
                child.available += 1
                tries = child.available
            scores[card] = child.mean + way.c * ROOT_OF_LOG[tries] * (1 / math.sqrt(child.visits))
    return max(scores, key=lambda card: scores[card])


def simulate(root: Node, deal: Deal, way: Way, stream: Stream) -> tuple[Card, float]:
    """One simulation; the move at the root, and the reward of the seat that searches."""
    me, node = deal.trick.turn, root
    path: list[tuple[int, Card, Node]] = []
    grown = False
    while not deal.finished and not grown:
        seat, moves = deal.trick.turn, moves_of(deal)
        if way.own and way.own[seat] and seat != me:
            stream.word()  # which only random policies use
            moves = [own_card(deal, way.own[seat])]
        elif way.by_policy and seat != me:
            sixteen_bits = stream.word() & 0xFFFF
            policy = "softmax" if way.playout == "softmax" else "epsilon-greedy"
            moves = [choose(deal, policy, EPSILON, stream, sixteen_bits, (None, None))]
        untried = [card for card in moves if card not in node.children]
        grown = bool(untried)
        if grown:
            card = pick(untried, stream.word() & 0xFFFF)
            node.children[card] = Node()
        else:
            card = choice(node, moves, way)
        node, deal = node.children[card], deal.play(card)
        path.append((seat, card, node))
    if not deal.finished and way.own:
        deal = play_on(deal, way, stream)
    if not deal.finished:
        stream.word()  # the playout has a word of its own
        for card in play_out(deal, way.playout, EPSILON, stream):
            deal = deal.play(card)
    reward = valued(way.reward, deal.rules, list(deal.taken), SCORES)[2]
    root.visits += 1
    for seat, _, reached in path:
        reached.add(reward[seat])
    return path[0][1], reward[me]


def own_card(deal: Deal, name: str) -> Card:
    """The card of the player who is to play."""
    if not deal.legal & (deal.legal - 1):
        return deal.legal.bit_length() - 1
    view = View.of(deal, deal.trick.turn, checked=False)
    return shared_player(Spec(name)).choose_card(view, 0)


def play_on(deal: Deal, way: Way, stream: Stream) -> Deal:
    """The hand played to its end, by players and by the softmax policy."""
    assert way.playout == "softmax"
    word, cards = stream.word(), 0
    while not deal.finished:
        name = way.own[deal.trick.turn]
        sixteen_bits = word >> 16 * cards & 0xFFFF
        softmax = (deal, "softmax", EPSILON, stream, sixteen_bits, (None, None))
        deal = deal.play(own_card(deal, name) if name else choose(*softmax))
        cards += 1
        if not deal.trick.cards:
            word, cards = stream.word(), 0
    return deal


def oracle_tree(worlds: list[Deal], order: list[int], way: Way) -> tuple[Node, dict]:
    """The tree, and for each move of the root how often it was tried and what that brought."""
    root, statistics = Node(available=0), {}
    for number in range(SIMULATIONS):
        deal = worlds[order[number % len(order)]]
        card, reward = simulate(root, deal, way, Stream.at(SEED, fork=number))
        tried, total = statistics.get(card, (0, 0.0))
        statistics[card] = tried + 1, total + reward
    return root, statistics


def kernel_tree(worlds: list[Deal], order: list[int], way: Way) -> tuple[Node, dict]:
    """The same by the kernel, grown in two goes, and read from its arrays."""
    rules = rules_word(worlds[0].rules)
    states = np.array([state_of(deal) for deal in worlds])
    moves = [moves_of(deal) for deal in worlds]
    root = sorted({card for each in moves for card in each})
    root_moves = np.uint64(sum(map(bit, root)))
    allowed = np.empty(len(worlds), dtype=np.uint64)
    allowed_moves(states, root_moves, rules, allowed)
    scale = reward_scale(way.reward, worlds[0].rules, SCORES)
    links = np.empty((SIMULATIONS + 1, 4), dtype=np.uint32)
    stats, cards = np.empty((SIMULATIONS + 1, 2)), np.empty((SIMULATIONS + 1, 2), dtype=np.uint64)
    statistics, stop = np.zeros((13, COLUMNS)), np.zeros(1, dtype=np.uint8)
    nodes, start = clear_tree(links, cards), 0
    codes = [POLICIES[name].code if name else -1 for name in way.own] or [-1] * SEATS
    policies = np.tile(codes, (len(worlds), 1))
    voids = shown_voids(View.of(worlds[0], worlds[0].trick.turn))
    for share in (SIMULATIONS // 3, SIMULATIONS - SIMULATIONS // 3):
        nodes, done = grow_tree(
            states, policies, voids, np.array(order), start, share, np.uint64(SEED),
            root_moves, allowed,
            rules, playout_code(Playout(way.playout)), np.uint64(EPSILON), way.c,
            way.availability, way.by_policy,
            *scale.arguments,
            links, stats, cards, nodes, statistics, stop,
        )  # fmt: skip
        assert done == share
        start += done

    def read(row: int) -> Node:
        node = Node(int(links[row, VISITS]), float(stats[row, MEAN]), int(links[row, AVAILABLE]))
        if row == 0:
            node.mean = 0.0
        child = int(links[row, CHILD])
        while child:
            node.children[int(cards[child, CARD]).bit_length() - 1] = read(child)
            child = int(links[child, SIBLING])
        return node

    tried = {
        card: (int(row[VISIT_COUNT]), float(row[REWARD_SUM]))
        for card, row in zip(root, statistics, strict=False)
        if row[VISIT_COUNT]
    }
    return read(0), tried


def nodes_of(
    node: Node, path: tuple[Card, ...] = ()
) -> dict[tuple[Card, ...], tuple[int, int, float]]:
    """Every node by its path."""
    found = {path: (node.visits, node.available, node.mean)}
    for card, child in node.children.items():
        found |= nodes_of(child, (*path, card))
    return found


def worlds_like(deal: Deal, n: int) -> list[Deal]:
    """Some deals that the seat to play cannot tell apart, the real one first."""
    if n == 1:
        return [deal]
    sampled = VoidBelief().sample(View.of(deal, deal.trick.turn), n - 1, np.random.default_rng(n))
    found = [deal]
    for hands in sampled.hands.tolist():
        dealt = [hands[seat] | deal.dealt[seat] & ~deal.hands[seat] for seat in range(SEATS)]
        other = Deal.of(deal.rules, dealt)
        for _, card in deal.plays:
            other = other.play(card)
        found.append(other)
    return found


WAYS = {
    "pimc": Way(1),
    "pimc, uniform, points": Way(1, playout="uniform", reward="points", c=1.5),
    "pimc, others by policy": Way(1, by_policy=True),
    "open loop": Way(7),
    "open loop, shoot-aware": Way(7, playout="shoot-aware", reward="relative"),
    "ismcts": Way(7, availability=True),
    "ismcts, others by policy": Way(7, availability=True, by_policy=True),
    "ismcts, others by policy, softmax": Way(
        7, availability=True, by_policy=True, playout="softmax"
    ),
    "ismcts, others by policy, uniform": Way(
        7, availability=True, by_policy=True, playout="uniform", reward="match", c=0.2
    ),
}
PLAYERS = ("duck", "cautious", "", "shooter")
WAYS |= {
    "pimc, players": Way(1, by_policy=True, playout="softmax", own=PLAYERS),
    "ismcts, players": Way(7, availability=True, playout="softmax", own=PLAYERS[::-1]),
}
PLACES = (1, 15, 26, 37, 45)  # cards played so far


def positions(rules: Rules) -> list[Deal]:
    return [random_deal(rules, cards, seed=cards, skew=0.2) for cards in PLACES]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_the_kernel_grows_the_tree_of_the_oracle(way):
    deeper = 0
    for rules in (STANDARD, replace(PASSING, jack_bonus=True, no_trick_bonus=True)):
        for deal in positions(rules):
            worlds = worlds_like(deal, way.worlds)
            order = np.random.default_rng(1).permutation(len(worlds)).tolist()
            expected, tried = oracle_tree(worlds, order, way)
            found, kernel_tried = kernel_tree(worlds, order, way)
            assert nodes_of(found) == nodes_of(expected)
            assert kernel_tried.keys() == tried.keys()
            for card, (visits, reward) in tried.items():
                assert kernel_tried[card] == (visits, pytest.approx(reward))
            deeper += sum(len(path) >= 3 for path in nodes_of(expected))
    assert deeper > 100


def test_worlds_differ_in_what_may_be_played():
    """Otherwise the tests above would not try what they are for."""
    worlds = worlds_like(positions(STANDARD)[2], 7)
    assert len({world.hands for world in worlds}) == 7
    assert len({View.of(world, worlds[0].trick.turn).hand for world in worlds}) == 1
    replies = {tuple(moves_of(world.play(moves_of(world)[0]))) for world in worlds}
    assert len(replies) > 1

"""The referee: scores as in OpenSpiel, faults, passes and matches."""

import time

import numpy as np
import pyspiel
import pytest

from hearts.arena.referee import Referee, Spending
from hearts.game.cards import members
from hearts.game.deal import REMEMBERED, Deal
from hearts.game.match import Match
from hearts.game.rules import PASSING, PassDirection
from hearts.game.scoring import points_of
from hearts.players.cautious import CautiousPlayer
from hearts.players.player import Player
from hearts.players.random import RandomPlayer
from hearts.players.registry import create_player
from hearts.players.spec import RULE_BASED, Spec
from tests.hearts.game.test_openspiel import our_card, their_card, their_start

HANDS = 1000


def replay_elsewhere(game: pyspiel.Game, deal: Deal) -> list[float]:
    """OpenSpiel's result of a hand; it must agree with every set of legal cards."""
    state = their_start(game, deal)
    for passes in deal.passes:
        for card in members(passes):
            state.apply_action(their_card(card))
    ours = Deal.of(deal.rules, deal.dealt, deal.direction)
    for seat in range(4) if ours.passing else ():
        ours = ours.give(seat, deal.passes[seat])
    for seat, card in deal.plays:
        assert state.current_player() == seat == ours.turn
        assert list(members(ours.legal)) == sorted(map(our_card, state.legal_actions()))
        state.apply_action(their_card(card))
        ours = ours.play(card)
    assert state.is_terminal()
    return list(state.returns())


def test_hands_of_all_players_are_legal_and_score_as_in_openspiel():
    game, rng = pyspiel.load_game("hearts"), np.random.default_rng(2)
    kinds = ["random", "random", *RULE_BASED, "shooter"]  # for moons and unusual plays
    moons = 0
    for number in range(HANDS):
        players = [create_player(Spec(kinds[place])) for place in rng.integers(0, len(kinds), 4)]
        referee = Referee(players)
        deal = Deal.random(PASSING, PassDirection(number % 4), rng)
        played = referee.play(deal, seed=number)
        assert not any(spent.faults for spent in referee.spending)
        returns = replay_elsewhere(game, played)
        assert [26 - points for points in points_of(played)] == returns
        moons += played.shooter is not None
    assert moons >= 10


# Seconds for a move: enough to pick a card, even on a busy machine.
LIMIT = 0.4


class Faulty(Player):
    """Plays at random, except that every third move is one kind of fault."""

    name = "faulty"

    def __init__(self, fault: str) -> None:
        self.fault, self.moves = fault, 0

    def wrong(self) -> int | None:
        self.moves += 1
        if self.moves % 3:
            return None
        if self.fault == "error":
            raise RuntimeError("out of ideas")
        if self.fault == "timeout":
            time.sleep(LIMIT + 0.1)
            return None
        return {"illegal": -1, "not a card": 15, "no number": "QS"}[self.fault]

    def choose_card(self, view, seed):
        wrong = self.wrong()
        return RandomPlayer().choose_card(view, seed) if wrong is None else wrong

    def choose_pass(self, view, seed):
        wrong = self.wrong()
        return RandomPlayer().choose_pass(view, seed) if wrong is None else wrong


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("illegal", "illegal"),
        ("not a card", "illegal"),
        ("no number", "error"),
        ("error", "error"),
        ("timeout", "timeout"),
    ],
)
def test_faults_are_counted_replaced_and_repeatable(fault, kind):
    deal = Deal.random(PASSING, PassDirection.ACROSS, np.random.default_rng(4))
    hands = []
    for _ in range(2):
        faulty = Faulty(fault)
        referee = Referee([RandomPlayer(), RandomPlayer(), faulty, RandomPlayer()], limit=LIMIT)
        hands.append(referee.play(deal, seed=3))
        assert referee.spending[2].faults == {kind: faulty.moves // 3}
        assert faulty.moves // 3 > 1
        assert not any(referee.spending[seat].faults for seat in (0, 1, 3))
    assert hands[0] == hands[1]


def test_a_card_that_is_not_legal_now_is_a_fault():
    class Stubborn(Faulty):
        def choose_card(self, view, seed):
            illegal = view.hand & ~view.legal or view.unseen
            return illegal.bit_length() - 1

    deal = Deal.random(PASSING, PassDirection.HOLD, np.random.default_rng(4))
    referee = Referee([Stubborn("illegal")] + [RandomPlayer()] * 3)
    assert referee.play(deal, seed=3).finished
    spent = referee.spending[0]
    assert spent.faults == {"illegal": spent.moves}


def test_a_single_legal_card_is_played_without_asking():
    class Watched(CautiousPlayer):
        def choose_card(self, view, seed):
            assert view.legal & (view.legal - 1)
            return super().choose_card(view, seed)

    referee = Referee([Watched()] * 4)
    deal = referee.play(Deal.random(PASSING, PassDirection.HOLD, np.random.default_rng(1)), 0)
    assert deal.finished
    assert sum(spent.moves for spent in referee.spending) < 48


def test_a_match_follows_the_cycle_to_the_target():
    rng = np.random.default_rng(6)
    seen = []

    def next_deal(match: Match) -> Deal:
        seen.append((match.scores, match.direction))
        return Deal.random(match.rules, match.direction, rng)

    referee = Referee([CautiousPlayer(), RandomPlayer(), RandomPlayer(), CautiousPlayer()])
    hands = referee.play_match(next_deal, Match(PASSING), seed=5)
    totals = np.sum([points for _, points in hands], axis=0)
    assert max(totals) >= 100 > max(np.sum([points for _, points in hands[:-1]], axis=0))
    cycle = [direction for _, direction in seen]
    assert cycle == [PASSING.pass_cycle[number % 4] for number in range(len(hands))]
    assert all(deal.direction is cycle[number] for number, (deal, _) in enumerate(hands))


def test_players_see_the_earlier_hands_of_their_match():
    class Watched(RandomPlayer):
        def __init__(self):
            super().__init__()
            self.seen = {}

        def choose_card(self, view, seed):
            self.seen[len(view.earlier)] = view.earlier
            return super().choose_card(view, seed)

    def next_deal(match: Match) -> Deal:
        return Deal.random(match.rules, match.direction, np.random.default_rng(len(match.hands)))

    player = Watched()
    referee = Referee([player, *[RandomPlayer()] * 3])
    for _ in range(2):  # a second match begins without earlier hands
        hands = [hand.tricks for hand, _ in referee.play_match(next_deal, Match(PASSING), seed=5)]
        past = {
            min(n, REMEMBERED): tuple(hands[max(0, n - REMEMBERED) : n]) for n in range(len(hands))
        }
        assert player.seen == past
        player.seen.clear()


def test_spending_adds_up_and_is_equal_whatever_the_clock_says():
    first = Spending(2, 10, {"error": 1}, 0.5, 0.4)
    second = Spending(3, 5, {"error": 2, "illegal": 1})
    first.add(second)
    assert first == Spending(5, 15, {"error": 3, "illegal": 1}, seconds=99.0)

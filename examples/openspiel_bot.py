"""An OpenSpiel bot that plays pyspiel's own game of Hearts through the service.

OpenSpiel numbers cards rank × 4 + suit (clubs, diamonds, hearts, spades). Its information states do
not name the cards, so the bot reads them from the history of the state.

Usage: python examples/openspiel_bot.py [ADDRESS] [GAMES]
"""

from __future__ import annotations

import random
import sys
from typing import Any

import pyspiel

from hearts.client import HeartsClient

SUITS, RANKS = "CDHS", ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
# OpenSpiel's default rules.
RULES = {
    "queen_penalty": True,
    "lead_2_clubs": True,
    "lead_clubs": False,
    "no_hearts_first_trick": True,
    "no_queen_first_trick": True,
    "must_break_hearts": True,
    "queen_breaks_hearts": True,
    "do_pass_cards": True,
}
PASSED = 12  # actions of a pass: three of each player, one player after the other


def card_of(action: int) -> str:
    """The service's name of an OpenSpiel card."""
    return RANKS[action // 4] + SUITS[action % 4]


def action_of(card: str) -> int:
    """The OpenSpiel card of a name."""
    return RANKS.index(card[:-1]) * 4 + SUITS.index(card[-1])


def game_state(state: Any) -> dict[str, Any]:
    """What the player to move sees, as a `game_state` of the service."""
    seat = state.current_player()
    direction, *dealt = [step.action for step in state.full_history() if step.player < 0]
    moves = [(step.player, step.action) for step in state.full_history() if step.player >= 0]
    passes, plays = (moves[:PASSED], moves[PASSED:]) if direction else ([], moves)
    hand, sender = set(dealt[seat::4]), (seat - direction) % 4
    given = [card for who, card in passes if who == seat]
    got = [card for who, card in passes if who == sender]
    if len(passes) == PASSED:
        hand = hand - set(given) | set(got)
    tricks = [trick_of(plays[start : start + 4]) for start in range(0, len(plays), 4)]
    current = tricks.pop() if len(plays) % 4 else None
    seen = {
        "player_hand": [card_of(card) for card in hand - {card for _, card in plays}],
        "current_player": seat,
        "current_trick": current,
        "trick_history": tricks,
        "pass_direction": direction,
        "rules": RULES,
    }
    if len(passes) == PASSED:
        seen["passed_cards"] = [card_of(card) for card in given]
        seen["received_cards"] = [card_of(card) for card in got]
    return seen


def trick_of(plays: list[tuple[int, int]]) -> dict[str, Any]:
    """Plays as a trick of the service."""
    cards = [{"card": card_of(card), "player": who} for who, card in plays]
    return {"cards": cards, "lead_player": cards[0]["player"]}


def cards_passed(state: Any) -> int | None:
    """How many cards the player to move has passed; None after the pass."""
    steps = [(step.player, step.action) for step in state.full_history()]
    moves = [player for player, _ in steps if player >= 0]
    if steps[0][1] == 0 or len(moves) >= PASSED:
        return None
    return moves.count(state.current_player())


class ServiceBot(pyspiel.Bot):  # type: ignore[misc]  # pyspiel has no types
    """Plays the moves of the service."""

    def __init__(self, client: HeartsClient, simulations: int = 500) -> None:
        pyspiel.Bot.__init__(self)
        self.client, self.simulations = client, simulations

    def restart_at(self, state: Any) -> None:
        """Do nothing: the bot has no state."""

    def step(self, state: Any) -> int:
        """The action for the player to move."""
        seen, passed = game_state(state), cards_passed(state)
        if passed is None:
            move = self.client.move(seen, simulations=self.simulations, explain=False)
            return action_of(move.card)
        # OpenSpiel asks for one card at a time; the same seed gives the same three cards each time.
        chosen = self.client.choose_pass(seen, simulations=self.simulations, seed=1)
        return action_of(chosen.cards[passed])


def play(bot: ServiceBot, seat: int, rng: random.Random) -> list[float]:
    """One game with the bot at a seat and random players at the others."""
    state = pyspiel.load_game("hearts").new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(actions, weights)[0])
        elif state.current_player() == seat:
            state.apply_action(bot.step(state))
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    return [26 - value for value in state.returns()]


def main() -> None:
    """Play some games and print their points."""
    address = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
    games = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    rng = random.Random(1)
    with HeartsClient(address) as client:
        bot = ServiceBot(client)
        for number in range(games):
            points = play(bot, number % 4, rng)
            print(f"game {number}: bot {points[number % 4]:.0f}, all {points}")


if __name__ == "__main__":
    main()

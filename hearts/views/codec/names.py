"""The fields of a `game_state`."""

from dataclasses import fields

from hearts.game.rules import Rules

# From the field of a View to the field of a `game_state`, where the names differ.
NAMES = {
    "seat": "current_player",
    "hand": "player_hand",
    "trick": "current_trick",
    "tricks": "trick_history",
    "leader": "lead_player",
    "passing": "pass_direction",
    "passed": "passed_cards",
    "received": "received_cards",
    "won": "played_cards",
    "points_claim": "scores",
    "earlier": "earlier_hands",
}

STATE_FIELDS = frozenset(
    {
        "player_hand",
        "current_player",
        "current_trick",
        "trick_history",
        "played_cards",
        "scores",
        "hearts_broken",
        "pass_direction",
        "rules",
        "passed_cards",
        "received_cards",
        "match_scores",
        "target_score",
        "earlier_hands",
    }
)
HAND_FIELDS = frozenset({"trick_history"})  # of an earlier hand
TRICK_FIELDS = frozenset({"cards", "lead_player", "winner"})
PLAY_FIELDS = frozenset({"card", "player"})
RULE_FIELDS = frozenset(field.name for field in fields(Rules))

"""The opponents that several experiments meet, and names of files by player."""

from hearts.players.spec import Spec

RULE_BASED = ("duck", "cautious", "guard", "shooter")
# The search of a public program with our playouts: best replies, open cards in the tree.
PUBLIC_STACK = Spec(
    "engine",
    (
        ("opponents", "best-reply"),
        ("c", 0.4),
        ("reward", "relative"),
        ("aggregation", "value"),
        ("endgame", 0),
        ("passing", "rule"),
    ),
    name="public stack",
)


def file_name(player: str) -> str:
    """The text of a player as a part of a file name."""
    return "".join(letter if letter.isalnum() else "-" for letter in player)

"""The rules of Hearts in plain Python: cards, tricks, deals, scoring, matches, records."""

from hearts.game.cards import Card, CardSet
from hearts.game.deal import Deal
from hearts.game.errors import HeartsError
from hearts.game.match import Match
from hearts.game.records import Record
from hearts.game.rules import MoonScoring, PassDirection, Rules
from hearts.game.trick import Trick

__all__ = [
    "Card",
    "CardSet",
    "Deal",
    "HeartsError",
    "Match",
    "MoonScoring",
    "PassDirection",
    "Record",
    "Rules",
    "Trick",
]

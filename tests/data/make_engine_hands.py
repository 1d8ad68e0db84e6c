"""Make `engine-dev.jsonl.gz`: hands of our engine against itself: judged, never fitted.

python -m tests.data.make_engine_hands
"""

from pathlib import Path

from hearts.arena.referee import Referee
from hearts.arena.seeds import deal_of, derive_seed
from hearts.engine.config import SearchConfig
from hearts.game.records import Record, write_records
from hearts.game.rules import PASSING
from hearts.players.engine import EnginePlayer

PATH = Path(__file__).with_name("engine-dev.jsonl.gz")
HANDS = 160
SEED = 5
CONFIG = SearchConfig(algorithm="ismcts", opponents="policy", simulations=2000)


def main() -> None:
    """Play the hands, passing as the cycle says, and write them."""
    referee = Referee([EnginePlayer(CONFIG) for _ in range(4)])
    cycle = PASSING.pass_cycle
    hands = (
        referee.play(
            deal_of(SEED, number, 0, PASSING, cycle[number % len(cycle)]), derive_seed(SEED, number)
        )
        for number in range(HANDS)
    )
    records = (
        Record.of(hand, f"engine-{number:05}", "engine") for number, hand in enumerate(hands)
    )
    write_records(PATH, records)


if __name__ == "__main__":
    main()

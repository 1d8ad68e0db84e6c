"""Record `decisions.jsonl.gz`: decisions with every number, by the code as it is.

    python -m tests.golden.record_decisions [--force]

The file was recorded with version 0.1.0, before its modules were moved. When the default search and
the default rules changed, its cases got the old ones by name and kept their numbers; the cases of
`medium` were recorded again, and those of the new default added. When rollouts came to partial
views and all rules, the results of 46 such cases were recorded again; when the reward `match`
became the probability of winning, those of its cases; when `expert` got OM-3, those of `expert`.
Record it again only when a decision is meant
to change, and say why in the commit.

Positions come from the recorded hands in `tests/data` and `tests/golden/hands.jsonl`. Everything is
drawn from a fixed seed. The file has pairwise covers of the options for cards and for passes,
each level and each player type as it is, and some options that a cover has no room for. Budgets of
the covers are small.
"""

import gzip
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from hearts.engine.config import SearchConfig, published
from hearts.game.cards import count, members, name
from hearts.game.deal import Deal, moments
from hearts.game.records import read_records
from hearts.views.codec import encode_state
from hearts.views.view import View
from server.runtime.errors import ApiError
from tests.golden.decisions import (
    CARD_OPTIONS,
    LEVELS,
    PASS_OPTIONS,
    PATH,
    PLAYER_TYPES,
    ROLLOUT_OPTIONS,
    decided,
    rounded,
)
from tests.golden.make_hands import PATH as HANDS
from tests.pairwise import cover

DATA = Path(__file__).parents[1] / "data"
SEED = 17
COVERS = 3  # each with other positions
PER_FILE = 40  # hands of each file in tests/data that positions are drawn from
POSITIONS = ("state", "stage")  # the options of a cover that are not in `ai_config`
# Cards in the hand of the seat to play.
STAGES = {"opening": (12, 13), "early": (9, 11), "middle": (6, 8), "late": (4, 5), "end": (2, 3)}

# The search of SearchConfig's own defaults, named in full.
PLAIN = {
    option: value
    for option, value in published(vars(SearchConfig())).items()
    if option not in ("seed", "threads", "time_ms", "clock")
}

Options = dict[str, Any]
Case = dict[str, Any]


class Positions:
    """Draws positions from recorded hands; every second one from the variants of the rules."""

    def __init__(self, rng: Random) -> None:
        self.rng, self.drawn = rng, 0
        self.variants = [record.deal for record in read_records(HANDS)]
        self.usual = [
            record.deal
            for path in sorted(DATA.glob("*.jsonl.gz"))
            for record in rng.sample([*read_records(path)], PER_FILE)
        ]

    def draw(self, state: str, stage: str | None, *, usual: bool = False) -> tuple[View, Case]:
        """A view, and the client's state; without a stage one in which cards are to be passed."""
        self.drawn += 1
        deals = self.usual if usual or self.drawn % 2 else self.variants
        while True:
            found = self._moment(self.rng.choice(deals), stage)
            if found is not None:
                view = self._in_match(*found, state)
                return view, self._as_posted(view, state)

    def _moment(self, deal: Deal, stage: str | None) -> tuple[Deal, int] | None:
        low, high = STAGES[stage] if stage else (0, 0)
        fit = [
            (now, seat)
            for now, seat, _ in moments(deal)
            if (now.passing if stage is None else self._is_choice(now, seat, low, high))
        ]
        return self.rng.choice(fit) if fit else None

    @staticmethod
    def _is_choice(now: Deal, seat: int, low: int, high: int) -> bool:
        return not now.passing and low <= count(now.hands[seat]) <= high and count(now.legal) > 1

    def _in_match(self, deal: Deal, seat: int, state: str) -> View:
        """The view of a seat, with scores of a match and earlier hands where they are wanted."""
        if state == "match":
            target = self.rng.choice((50, 100))
            deal = replace(deal, rules=replace(deal.rules, target_score=target))
            scores = tuple(self.rng.randrange(target) for _ in range(4))
            return View.of(deal, seat, scores)
        if state == "earlier":
            same = [each for each in (*self.usual, *self.variants) if each.rules == deal.rules]
            earlier = tuple(each.tricks for each in self.rng.sample(same, min(3, len(same))))
            return View.of(deal, seat, (13, 26, 39, 0), earlier)
        return View.of(deal, seat)

    def _as_posted(self, view: View, state: str) -> Case:
        """The state as one kind of client posts it: with everything, or with less."""
        given = encode_state(view)
        if state == "won":  # who has won which cards, without the order
            return {key: value for key, value in given.items() if key != "trick_history"}
        if state == "fragment":  # the latest tricks only
            given["trick_history"] = given["trick_history"][-self.rng.randint(1, 3) :]
            del given["played_cards"], given["passed_cards"], given["received_cards"]
        if state in ("short", "bare"):  # what the simplest clients know; bare: without rules
            kept = ("player_hand", "current_player", "current_trick", "hearts_broken")
            kept += ("rules",) if state == "short" else ()
            kept += ("pass_direction",) if view.passing else ()
            return {key: given[key] for key in kept}
        return given


class Recorder:
    """Makes the cases."""

    def __init__(self) -> None:
        self.rng = Random(SEED)
        self.positions = Positions(self.rng)

    def cases(self) -> Iterator[Case]:
        """All of them."""
        for _ in range(COVERS):
            for options in cover(CARD_OPTIONS, self.rng):
                yield self.case("card", "cover", options)
            for options in cover(PASS_OPTIONS, self.rng):
                yield self.case("pass", "cover", options)
        for options in cover(ROLLOUT_OPTIONS, self.rng):
            rolled = {"algorithm": "rollouts", "endgame": 0}
            yield self.case("card", "rollouts", rolled | options)
        for family, options in (*self._as_they_are(), *self._special()):
            yield self.case("card", family, options)
        for family, options in self._passes():
            yield self.case("pass", family, options)
        for options in self._compared():
            yield self.case("pass", "also", options, self._some_triple)
        yield self._forced()

    def _as_they_are(self) -> Iterator[tuple[str, Options]]:
        """Levels, player types and the default as clients ask for them."""
        for level in LEVELS:
            for stage in STAGES:
                for state in ("full", "match", "earlier", "short"):
                    yield "level", {"level": level, "state": state, "stage": stage}
        for kind in PLAYER_TYPES:
            for state, stage in (("full", "early"), ("match", "middle"), ("won", "late")):
                few = {"player_type": kind, "simulations": 500, "worlds": 20}
                yield "player_type", few | {"state": state, "stage": stage}
        for stage in STAGES:
            yield "default", {"state": "full", "stage": stage}
            yield "plain", PLAIN | {"state": "full", "stage": stage}

    def _special(self) -> Iterator[tuple[str, Options]]:
        """Values that the cover has no room for."""
        for endgame in (2, 4, 6, 7):
            solved = {"endgame": endgame, "worlds": 3, "state": "full"}
            yield "endgame", solved | {"stage": "middle" if endgame > 5 else "late"}
            yield "endgame", solved | {"stage": "end", "reward": "points"}
        for share in (0, 0.25, 1):
            mixed = {"belief": "mixture", "lambda": share, "simulations": 300, "state": "full"}
            yield "lambda", mixed | {"stage": "middle"}
        for level in LEVELS:
            changed = {"level": level, "blunder": 1, "use_threads": False, "explain": False}
            yield "blunder", changed | {"state": "full", "stage": "middle"}
            many = {"level": level, "threads": 8, "reward": "match", "simulations": 600}
            yield "threads", many | {"state": "match", "stage": "early"}

    def _passes(self) -> Iterator[tuple[str, Options]]:
        for level in LEVELS:
            for state in ("full", "full", "match", "short"):
                yield "level", {"level": level, "state": state}
        for kind in PLAYER_TYPES:
            yield "player_type", {"player_type": kind, "simulations": 600, "state": "match"}
        yield "default", {"state": "full"}
        yield "plain", PLAIN | {"state": "full"}

    def _compared(self) -> Iterator[Options]:
        """Passes that race with a triple of the client's, as a review asks for them."""
        for algorithm in ("pimc", "ismcts", "rollouts"):
            for passing in ("search", "rule"):
                few = {"algorithm": algorithm, "passing": passing, "simulations": 300}
                yield few | {"state": "full"}

    def case(
        self, kind: str, family: str, options: Options, also: Callable[[View], Case] | None = None
    ) -> Case:
        """A case with a position that its options want, and what is decided in it."""
        config = {key: value for key, value in options.items() if key not in POSITIONS}
        config["seed"] = self.rng.randrange(2**32)
        while True:
            view, state = self.positions.draw(
                options["state"], options.get("stage"), usual=family == "rollouts"
            )
            about = {key: options[key] for key in POSITIONS if key in options}
            case = {"kind": kind, "family": family, **about, "game_state": state}
            case |= {"ai_config": config, **(also(view) if also else {})}
            try:
                return case | {"result": rounded(decided(case))}
            except ApiError:  # a fragment of a history may contradict what it leaves out
                continue

    def _some_triple(self, view: View) -> Case:
        return {"also": [name(card) for card in self.rng.sample([*members(view.hand)], 3)]}

    def _forced(self) -> Case:
        """The only legal card."""
        state = {"player_hand": ["2C", "5H", "AS"], "rules": 2465}
        led = {"cards": [{"card": "KC", "player": 2}, {"card": "3C", "player": 3}]}
        case = {"kind": "card", "family": "forced", "state": "short", "stage": "end"}
        case |= {"game_state": state | {"current_trick": led}, "ai_config": {"seed": 5}}
        return case | {"result": rounded(decided(case))}


def main() -> None:
    """Write the file, unless it is there already."""
    if PATH.exists() and "--force" not in sys.argv[1:]:
        raise SystemExit(f"{PATH.name} is there; --force records it again, with the code as it is")
    lines = [
        json.dumps({"id": f"{number:03}"} | case, separators=(",", ":"))
        for number, case in enumerate(Recorder().cases())
    ]
    text = "".join(f"{line}\n" for line in lines)
    PATH.write_bytes(gzip.compress(text.encode(), mtime=0))
    sys.stdout.write(f"{len(lines)} decisions, {PATH.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()

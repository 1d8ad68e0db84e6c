"""What the golden databases hold: games, tables and decisions, made over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from tests.golden.databases.client import Body, Client, Tokens, play_until

HANDS = Path(__file__).parents[1] / "hands.jsonl"
QUICK = {"simulations": 40, "worlds": 4}
ROLLOUTS = {
    "algorithm": "rollouts", "belief": "OM-2", "playout": "softmax", "c": 0.5, "worlds": 12,
    "simulations": 60, "reward": "difference",
}  # fmt: skip
# Between them, every option of a search that a stored decision can name.
SEARCHES: tuple[Body, ...] = (
    {"level": "expert"},
    {"level": "hard"},
    {"level": "medium"},
    {"level": "easy"},
    ROLLOUTS | {"prior": 0.05, "counsel": 200},
    ROLLOUTS | {"prior": 0.0, "endgame": 4},
    ROLLOUTS | {"counsel": 100, "belief": "OM-1"},
    {"level": "expert", "counsel": 0, "simulations": 300, "worlds": 40},
    QUICK | {"player_type": "simple"},
    QUICK | {"player_type": "safe_simple", "risk": 1.5},
    QUICK | {"player_type": "global"},
    QUICK | {"player_type": "global2"},
    QUICK | {"player_type": "global3"},
    QUICK | {"belief": "OM-0", "aggregation": "vote", "best_child": "max"},
    QUICK | {"belief": "OM-1", "aggregation": "visits", "best_child": "secure"},
    QUICK | {"belief": "OM-2", "aggregation": "value"},
    QUICK | {"belief": "mixture:0.3", "aggregation": "worst-case"},
    QUICK | {"belief": "mixture", "lambda": 0.6, "aggregation": "mean-variance"},
    QUICK | {"algorithm": "open-loop", "opponents": "best-reply", "c": 0.7},
    QUICK | {"algorithm": "ismcts", "playout": "softmax", "opponents": "policy"},
    QUICK | {"playout": "uniform", "reward": "match"},
    QUICK | {"playout": "shoot-aware", "epsilon": 0.3, "reward": "relative"},
    QUICK | {"endgame": 0, "threads": 1, "blunder": 0.5},
    QUICK | {"algorithm": "ismcts", "use_threads": False, "explain": False},
)
PASSES: tuple[Body, ...] = (
    {"level": "expert", "simulations": 200, "worlds": 20},
    QUICK | {"belief": "OM-1", "algorithm": "ismcts"},
    {"passing": "rule"},
    ROLLOUTS | {"counsel": 50, "prior": 0.01},
)
BY_RULE = {"passing": "rule"}
BOT = {"kind": "engine", "name": "tree", "ai_config": QUICK | BY_RULE}
ADVISED = {
    "kind": "engine", "name": "advised",
    "ai_config": ROLLOUTS | {"prior": 0.02, "counsel": 80, "passing": "search"},
}  # fmt: skip
READER = {
    "kind": "engine", "name": "reader",
    "ai_config": QUICK | BY_RULE | {"algorithm": "ismcts", "belief": "OM-2"},
}  # fmt: skip
PEOPLE = [{"kind": "human", "name": name} for name in ("ann", "ben", "cem", "dea")]
PLAYERS: list[Any] = [
    "ann",
    {"name": "ben", "kind": "human"},
    {"name": "bot", "kind": "engine", "level": "hard", "version": "0.1.0"},
    {"name": "own", "kind": "engine", "config": ROLLOUTS | {"prior": 0.01, "counsel": 9}},
]


@dataclass
class Seats:
    """A table and the tokens of its seats."""

    table_id: str
    tokens: Tokens


@dataclass
class Contents:
    """Everything that was made: tables by name, and requests that may be repeated."""

    client: Client
    tables: dict[str, Seats] = field(default_factory=dict)
    repeated: list[Body] = field(default_factory=list)
    games: dict[str, str] = field(default_factory=dict)

    def make_table(self, name: str, seats: list[Any], **more: Any) -> Seats:
        """A new table."""
        made = self.client.post("/api/tables", {"seats": seats, "name": name, **more})
        self.tables[name] = Seats(made["table_id"], made["tokens"])
        return self.tables[name]

    def post_once(self, path: str, body: Body, key: str) -> Body:
        """A request with an Idempotency-Key, which is noted so that it can be sent again."""
        answer = self.client.post(path, body, **{"Idempotency-Key": key})
        self.repeated.append({"path": path, "body": body, "key": key, "answer": answer})
        return answer


def golden_records() -> list[Body]:
    """Hands to post and to import."""
    return [json.loads(line) for line in HANDS.read_text("utf-8").splitlines()]


def write_imported(path: Path) -> None:
    """Records to import: single hands by several rules, a match of two hands, an unfinished one."""
    every = {record["id"]: record for record in golden_records()}
    single = [every[name] for name in ("standard-0", "moon-subtracts-0", "jack-0", "rules-0-0")]
    match = [
        every[name] | {"game": "old-match", "hand": hand, "players": PLAYERS, "target_score": 60}
        for hand, name in enumerate(("passing-0", "moon-0"))
    ]
    early = {key: value for key, value in every["any-club-0"].items() if key != "points"}
    early["plays"] = early["plays"][:21]
    path.write_text("".join(json.dumps(each) + "\n" for each in [*single, *match, early]))


def post_games(made: Contents) -> None:
    """Whole records, a match of records, and a hand that stops early and goes on by events."""
    every = {record["id"]: record for record in golden_records()}
    body: Body = {"record": every["passing-1"], "source": "posted", "players": PLAYERS}
    made.games["finished"] = made.post_once("/api/games", body, "whole-hand")["game_id"]
    match = [every["moon-chosen-0"], every["moon-chosen-1"]]
    body = {"records": match, "target_score": 500}
    made.games["match"] = made.client.post("/api/games", body)["game_id"]
    begun = {key: value for key, value in every["standard-1"].items() if key != "points"}
    plays, begun["plays"] = begun["plays"], begun["plays"][:10]
    body = {"record": begun, "target_score": 100}
    game = made.games["begun"] = made.post_once("/api/games", body, "begun")["game_id"]
    events = [{"kind": "play", **play} for play in plays[10:18]]
    made.post_once(f"/api/games/{game}/events", {"events": events}, "eight-cards")


def play_tables(made: Contents) -> None:
    """Tables with people in every phase."""
    client = made.client
    seats = [BOT, PEOPLE[0], ADVISED, READER]
    passing = made.make_table("passing", seats)  # without a seed
    play_until(client, passing.table_id, passing.tokens, stop=lambda own: True)
    levels = ["easy", "medium", PEOPLE[1], "expert"]
    trick = made.make_table("mid-trick", levels, seed=17, rules=4001, target_score=60)
    play_until(client, trick.table_id, trick.tokens, stop=_after_two_tricks)
    over = made.make_table("hand over", [*PEOPLE[:2], READER, ADVISED], seed=5, target_score=300)
    own = play_until(client, over.table_id, over.tokens, _is_claimable, place=-1)
    client.at_table(over.table_id, "claim", over.tokens[own["seat"]])
    end = made.make_table("finished", [BOT, *PEOPLE[1:]], seed=6, target_score=1)
    play_until(client, end.table_id, end.tokens)


def _is_claimable(own: Body) -> bool:
    return bool(own["hand"]["claimable"])


def _after_two_tricks(own: Body) -> bool:
    return len(own["hand"]["tricks"]) >= 2 and bool(own["hand"]["trick"]["cards"])


def play_advised(made: Contents, name: str, **more: Any) -> Advised:
    """A table of four people who ask for every move, with its log as a posted game."""
    table = made.make_table(name, PEOPLE, **more)
    rules = {"rules": more.get("rules", 4001), "target_score": more["target_score"]}
    game = made.client.post("/api/games", {"players": PLAYERS, "source": "advice", **rules})
    return Advised(made, table, game["game_id"])


class Advised:
    """Four people at a table who ask the service for their moves and log all in a game."""

    def __init__(self, made: Contents, table: Seats, game_id: str) -> None:
        self.made, self.client, self.table, self.game_id = made, made.client, table, game_id
        self.searches = cycle(SEARCHES)
        self.earlier: list[Body] = []

    def views(self) -> Iterator[Body]:
        """The view of each seat."""
        return (self.client.view(self.table.table_id, token) for token in self.table.tokens)

    def deal(self) -> None:
        """Log the deal."""
        views = list(self.views())
        hand, dealt = views[0]["hand"], [view["hand"]["cards"] for view in views]
        self.log({"kind": "deal", "dealt": dealt, "pass_direction": hand["pass_direction"]})

    def next_hand(self) -> None:
        """Deal the next hand; from now on the states tell of this one."""
        tricks = self.client.view(self.table.table_id)["hand"]["tricks"]
        kept = [{key: trick[key] for key in ("lead_player", "cards", "winner")} for trick in tricks]
        self.earlier.append({"trick_history": kept})
        self.client.at_table(self.table.table_id, "next", self.table.tokens[0])
        self.deal()

    def pass_all(self) -> None:
        """All four ask what to pass, and pass it."""
        for seat, (view, options) in enumerate(zip(list(self.views()), PASSES, strict=True)):
            found = self.ask("/api/pass", view, options)["pass"]
            self.at("pass", seat, cards=found)
            self.log({"kind": "pass", "player": seat, "cards": found})

    def play(self, cards: int) -> None:
        """Play a number of cards, or to the end of the hand."""
        for number in range(cards):
            view = self.client.view(self.table.table_id)
            seat = view["hand"]["turn"]
            own = self.client.view(self.table.table_id, self.table.tokens[seat])
            path = "/api/play-one" if number % 7 == 6 else "/api/move"
            card = self.ask(path, own, self.options(own))["move"]["card"]
            self.at("play", seat, card=card)
            self.log({"kind": "play", "player": seat, "card": card})

    def options(self, own: Body) -> Body:
        """How to search: the next way of the list, and a clock for the end of a hand."""
        if len(own["hand"]["cards"]) == 2:
            return QUICK | {"time_ms": 20, "endgame": 0}
        return next(self.searches)

    def ask(self, path: str, own: Body, options: Body) -> Body:
        """Ask for a move, with a seed, and log the decision with the game."""
        state = own["game_state"]
        if self.earlier:
            state = state | {"earlier_hands": self.earlier}
        config = {"seed": own["version"] * 1000 + 7} | options
        body = {"game_state": state, "ai_config": config, "game_id": self.game_id}
        answer = self.client.post(path, body)
        assert answer["warnings"] == [], answer["warnings"]
        return answer

    def at(self, what: str, seat: int, **body: Any) -> None:
        """Move at the table."""
        self.client.at_table(self.table.table_id, what, self.table.tokens[seat], **body)

    def log(self, event: Body) -> None:
        """Log an event."""
        self.client.post(f"/api/games/{self.game_id}/events", event)


def play_advice(made: Contents) -> None:
    """A hand that is advised to its end, the next one begun, and a hand by other rules."""
    usual = play_advised(made, "advised", seed=11, target_score=200)
    usual.deal()
    usual.pass_all()
    usual.play(52)
    usual.next_hand()
    usual.pass_all()
    usual.play(6)
    other = play_advised(made, "jack of diamonds", seed=12, rules=4003, target_score=100)
    other.deal()
    other.pass_all()
    other.searches = islice(cycle(SEARCHES), 4, None)
    other.play(10)


def begin_watched(made: Contents) -> Body:
    """An open table without people, which plays on; its view after a few moves."""
    table = made.make_table(
        "watched", [BOT, READER, BOT, ADVISED], seed=9, open=True, pace_ms=60, target_score=300
    )
    view = made.client.view(table.table_id)
    while view["version"] < 9:
        view = made.client.view(table.table_id, query=f"?after={view['version']}&wait=5")
    return view

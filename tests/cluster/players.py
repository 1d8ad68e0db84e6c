"""People who play at live tables through the proxy, and what the service acknowledged to them."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from hearts.client import ClientError, HeartsClient, ServiceError
from hearts.client.answers import Table

# A bot that searches little: the tests are about tables, not about strength.
BOT = {"kind": "engine", "ai_config": {"simulations": 20, "worlds": 2, "passing": "rule"}}
CARD = re.compile(r"(?<![A-Za-z0-9_-])(?:10|[2-9JQKA])[CDSH](?![A-Za-z0-9_-])")
TRANSIENT = (409, 502, 503, 504)  # answers after which a client asks again
PAUSE = 0.05  # seconds between two rounds of a thread over its tables
THREADS = 16
GIVERS = {"left": 3, "right": 1, "across": 2}  # who passes to a seat: so many seats to its left


Plays = tuple[tuple[int, str], ...]


class Moment(NamedTuple):
    """How far a hand is, by a view."""

    hand: int
    passed: bool  # whether all have passed, or nobody passes
    plays: Plays


@dataclass(eq=False)
class Person:
    """Somebody with a seat at one table; the other seats are the engine's."""

    table_id: str
    token: str
    seat: int = 0
    version: int = -1
    finished: dict[int, Any] = field(default_factory=dict)  # finished hands by number
    moves: list[tuple[int, str]] = field(default_factory=list)  # acknowledged: hand, cards
    commitments: dict[int, str] = field(default_factory=dict)  # as published with the deal
    shown: dict[Moment, set[str]] = field(default_factory=dict)  # the cards in answers
    stale: int = 0  # views that were older than one before
    done: bool = False

    def step(self, client: HeartsClient, rng: Random, *, go_on: bool) -> None:
        """Look at the table, and move if it is this seat's turn; `go_on` with the next hand."""
        view = client.table(self.table_id, self.token)
        self.look_at(view)
        if view.version < self.version:
            return
        if view.phase == "hand_over" and go_on:
            self.look_at(client.next_hand(self.table_id, self.token))
        elif view.phase in ("hand_over", "finished"):
            self.done = True
        elif self.seat in view.waiting_for:
            self.move(client, view, rng)

    def move(self, client: HeartsClient, view: Table, rng: Random) -> None:
        """Pass or play at random; what is acknowledged is remembered."""
        number = view.answer["hand"]["number"]
        if view.phase == "passing":
            cards = rng.sample(view.cards, 3)
            after = client.pass_cards(self.table_id, self.token, cards, view.version)
        else:
            cards = [rng.choice(view.legal)]
            after = client.play_card(self.table_id, self.token, cards[0], view.version)
        self.moves.append((number, " ".join(sorted(cards))))
        self.look_at(after)

    def look_at(self, view: Table) -> None:
        """Remember what is finished, and which cards the view shows."""
        self.stale += view.version < self.version
        self.version = max(view.version, self.version)
        hand = view.answer["hand"]
        self.commitments.setdefault(hand["number"], hand["commitment"])
        for each in view.answer["hands"]:
            self.finished[each["number"]] = each
        if view.phase in ("passing", "playing"):
            moment = Moment(hand["number"], view.phase == "playing", plays_in(hand))
            told = f"{hand} {view.answer['game_state']}"
            self.shown.setdefault(moment, set()).update(CARD.findall(told))


def plays_in(hand: dict[str, Any]) -> Plays:
    """The plays that a view shows, in order."""
    tricks = [*hand["tricks"], hand["trick"]]
    return tuple((each["player"], each["card"]) for trick in tricks for each in trick["cards"])


class Crowd:
    """Many people at one table each, played by a few threads."""

    def __init__(self, url: str, people: Sequence[Person]) -> None:
        self.url, self.people = url, people
        self.errors: list[str] = []  # answers that no client should get
        self.interrupted = 0  # requests that failed because a part was down
        self._deadline = float("inf")
        self._last_hand = threading.Event()

    def play_while(self, disturb: Callable[[], object], seconds: float) -> None:
        """Play hand after hand while `disturb` runs; then everybody finishes the current hand.

        Whoever has not finished it after some seconds sits at a stuck table.
        """
        shares = [share for i in range(THREADS) if (share := self.people[i::THREADS])]
        with ThreadPoolExecutor(THREADS) as pool:
            playing = [pool.submit(self._play, share) for share in shares]
            disturb()
            self._deadline = time.monotonic() + seconds
            self._last_hand.set()
            for each in playing:
                each.result()

    @property
    def stuck(self) -> list[str]:
        """The tables that did not come to an end."""
        return [person.table_id for person in self.people if not person.done]

    @property
    def acknowledged(self) -> int:
        """The moves of people that the service acknowledged."""
        return sum(len(person.moves) for person in self.people)

    def _play(self, people: Sequence[Person]) -> None:
        rng = Random(people[0].table_id)
        with HeartsClient(self.url, timeout=20, patience=20) as client:
            while time.monotonic() < self._deadline and (left := [p for p in people if not p.done]):
                for person in left:
                    self._step(client, person, rng)
                time.sleep(PAUSE)

    def _step(self, client: HeartsClient, person: Person, rng: Random) -> None:
        try:
            person.step(client, rng, go_on=not self._last_hand.is_set())
        except ServiceError as error:
            self.interrupted += 1
            if error.status not in TRANSIENT:
                self.errors.append(f"{person.table_id}: {error}")
        except ClientError:
            self.interrupted += 1


def seat_people(url: str, tables: int) -> list[Person]:
    """Create tables with one person and three bots each."""

    def create(_: int) -> Person:
        with HeartsClient(url, timeout=20, patience=60) as client:
            made = client.new_table(
                seats=["human", BOT, BOT, BOT], target_score=100_000, public=True
            )
        assert made.tokens[0] is not None
        return Person(made.table_id, made.tokens[0])

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(create, range(tables)))


def lost_moves(person: Person) -> list[str]:
    """Acknowledged moves that the finished hands do not contain."""
    lost = []
    for number, cards in person.moves:
        record = person.finished[number]["record"]
        done = {each["card"] for each in record["plays"] if each["player"] == person.seat}
        if record["passed"]:
            done.add(" ".join(sorted(record["passed"][person.seat])))
        if cards not in done:
            lost.append(f"{person.table_id} hand {number}: {cards}")
    return lost


def wrong_plays(person: Person) -> list[str]:
    """Plays of anybody that were shown and that the finished hand does not begin with."""
    wrong = []
    for moment in person.shown:
        plays = person.finished[moment.hand]["record"]["plays"]
        made = tuple((each["player"], each["card"]) for each in plays)
        if made[: len(moment.plays)] != moment.plays:
            wrong.append(f"{person.table_id} hand {moment.hand}: {moment.plays}")
    return wrong


def leaks(person: Person) -> list[str]:
    """Cards that were shown before the person could know them, by the records of the hands."""
    return [
        f"{person.table_id} hand {moment.hand} after {len(moment.plays)} plays: {sorted(hidden)}"
        for moment, cards in person.shown.items()
        if (hidden := cards - known_cards(person, moment))
    ]


def known_cards(person: Person, moment: Moment) -> set[str]:
    """The cards of a seat at a moment: dealt, received, and played by anybody until then."""
    record = person.finished[moment.hand]["record"]
    known = {*record["dealt"][person.seat]}
    if moment.passed and record["passed"]:
        known |= {*record["passed"][(person.seat + GIVERS[record["pass_direction"]]) % 4]}
    return known | {each["card"] for each in record["plays"][: len(moment.plays)]}

"""The Python client and the examples, against a real service."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hearts.client import HeartsClient, ServiceError, Unreachable
from server.http.schemas import examples
from tests.server.api import OPENING, SHORT
from tests.server.http.routes.posting import posted
from tests.server.service import Service, free_port
from tests.server.storage.played import sample_records

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def service(shared_service: Callable[..., Service]) -> Service:
    return shared_service()


@pytest.fixture
def client(service: Service) -> Iterator[HeartsClient]:
    with HeartsClient(service.base) as made:
        yield made


def test_a_move_a_pass_and_what_is_legal(client):
    move = client.move({"player_hand": SHORT}, simulations=100, seed=3)
    assert move.card in move.legal_cards
    assert (move.player, move.simulations, move.seed, move.warnings) == (0, 100, 3, ())
    assert move.explanation
    chosen = client.choose_pass({"player_hand": OPENING, "pass_direction": 1}, simulations=300)
    assert len(set(chosen.cards) & set(OPENING)) == 3
    assert client.legal({"player_hand": ["5H"]}) == ("5H",)
    assert client.ready()
    assert client.models()["status"] == "success"


def test_moves_for_many_states(client):
    states = [{"player_hand": SHORT}, {"player_hand": []}, {"player_hand": ["5H"]}]
    first, error, last = client.moves(states, simulations=100, seed=3)
    assert first == replace(client.move(states[0], simulations=100, seed=3), answer=first.answer)
    assert (error["error_code"], last.card) == ("NO_LEGAL_MOVES", "5H")


def test_beliefs(client):
    beliefs = client.beliefs({"player_hand": SHORT}, worlds=2)
    assert beliefs.probabilities["2C"] == [1, 0, 0, 0]
    assert len(beliefs.worlds) == 2


def test_reviews_and_statistics(client):
    record = examples.REVIEW["record"]
    (hand,) = client.review(record, simulations=50, worlds=5)["hands"]
    assert [each["played"] for each in hand["decisions"]] == ["2C", "3C", "4C", "KC"]
    assert client.stats(player="nobody") == ()
    with pytest.raises(ServiceError, match=r"^404 NOT_FOUND: there is no game 'a b'"):
        client.review_game("a b", hand=0)


def test_a_refusal_is_an_exception_with_its_code(client):
    with pytest.raises(ServiceError) as caught:
        client.move({"player_hand": []})
    assert (caught.value.status, caught.value.code) == (400, "NO_LEGAL_MOVES")
    assert str(caught.value).startswith("400 NO_LEGAL_MOVES: game_state.player_hand: ")


def test_a_body_that_is_refused_while_it_is_sent_is_a_refusal(client):
    with pytest.raises(ServiceError) as caught:
        client.move({"player_hand": SHORT, "note": "x" * 10_000_000})
    assert caught.value.status == 413


def test_nobody_there_is_an_exception_too():
    with HeartsClient(f"http://127.0.0.1:{free_port()}") as client:
        assert not client.ready()
        with pytest.raises(Unreachable):
            client.models()
    with pytest.raises(ValueError, match="is not an address"):
        HeartsClient("127.0.0.1:8080")


def test_a_connection_that_was_closed_is_opened_again(client):
    client.legal({"player_hand": ["5H"]})
    client._transport._connection.sock.close()
    assert client.legal({"player_hand": ["5H"]}) == ("5H",)


@pytest.mark.parametrize(("command", "says"), [
    (["bash", "move.sh"], '"error_code":"INVALID_GAME_STATE"'),
    ([sys.executable, "play_hand.py"], "what each seat's decisions cost: "),
    ([sys.executable, "openspiel_bot.py"], "game 1: bot "),
    (["node", "move.mjs"], "decision "),
])  # fmt: skip
def test_every_example_runs(service, command, says):
    program, file = command
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run(
        [program, EXAMPLES / file, service.base], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert says in done.stdout


def test_the_examples_readme_names_every_example():
    text = (EXAMPLES / "README.md").read_text("utf-8")
    files = {path.name for path in EXAMPLES.iterdir() if path.suffix in (".sh", ".py", ".mjs")}
    assert all(f"`{file}`" in text for file in files)


def test_games_are_logged_and_found(client):
    (record,) = sample_records(1)
    happened = posted(record)
    game_id = client.new_game(source="the client", rules=4001)
    assert client.add_events(game_id, 0, *happened[:5]) == 5
    assert client.add_events(game_id, 0, *happened[:7]) == 7  # what is there is not kept twice
    whole = client.new_game(record=record.as_object(), source="the client")
    assert client.game(whole)["hands"][0]["record"]["plays"] == record.as_object()["plays"]
    found = client.games(source="the client", limit=1)
    assert [game["game_id"] for game in found] == [whole, game_id]
    assert client.move({"player_hand": SHORT}, simulations=50, game_id=game_id).warnings == ()
    with pytest.raises(ServiceError, match="409 CONFLICT: event 1 is taken: pass by seat 0"):
        client.add_events(game_id, 1, happened[0])


def test_games_are_shared_by_links(client):
    (record,) = sample_records(1)
    game_id = client.new_game(record=record.as_object())
    link = client.share(game_id)
    assert link.url.endswith(f"/review#game={game_id}&share={link.token}")
    assert client.game(game_id, share=link.token)["game_id"] == game_id
    assert (client.unshare(game_id), client.unshare(game_id)) == (1, 0)


def test_a_private_table_is_watched_with_its_token(client):
    made = client.new_table(seats=["human"] * 4, seat=None)
    for hidden in (client.table, client.game):
        with pytest.raises(ServiceError, match="404 NOT_FOUND"):
            hidden(made.table_id)
    assert client.table(made.table_id, share=made.watch_token).seat is None
    assert next(client.watch_table(made.table_id, share=made.watch_token)).seat is None
    assert client.game(made.table_id, share=made.watch_token)["kind"] == "table"
    joined = client.join_table(made.table_id, made.invitations[0])
    link = client.share(made.table_id, joined.token)
    assert client.game(made.table_id, share=link.token)["hands"] == []
    assert len(client.game(made.table_id, joined.token)["hands"]) == 1
    assert client.unshare(made.table_id, joined.token) == 1

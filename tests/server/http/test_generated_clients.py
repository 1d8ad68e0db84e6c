"""Clients that public generators make of the OpenAPI document work without a change."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from server.http.operations import operation_name
from tests.server.application import application
from tests.server.service import serving

PYTHON_GENERATOR = "openapi-python-client==0.29.1"
TYPESCRIPT = ("openapi-typescript@7.13.0", "typescript@5.9.3")
SECONDS = 600  # to install a generator and to run it

PLAY = """
import sys
from hearts_ai_client import Client
from hearts_ai_client.api.moves import choose_move, choose_moves
from hearts_ai_client.api.tables import create_table, get_table
from hearts_ai_client.models import (
    AiConfig, BatchRequest, GameState, MoveReply, MoveRequest, TableRequest,
)

client = Client(base_url=sys.argv[1])
state = GameState(player_hand=["2C", "5C", "9C"], rules=4001)
config = AiConfig(simulations=100, seed=1)
reply = choose_move.sync(client=client, body=MoveRequest(game_state=state, ai_config=config))
assert isinstance(reply, MoveReply), reply
assert reply.move.card in state.player_hand
many = choose_moves.sync(client=client, body=BatchRequest(states=[state, state], ai_config=config))
assert [each.move.card for each in many.results] == [reply.move.card] * 2
made = create_table.sync(client=client, body=TableRequest(seats=["easy"] * 4))
table = get_table.sync(made.table_id, client=client)
assert table.game_state is None
print(reply.move.card)
"""

USE = """
import type { components, operations, paths } from "./api";

type State = components["schemas"]["GameState"];
type Asked = operations["chooseMove"]["requestBody"]["content"]["application/json"];
type Reply = paths["/api/move"]["post"]["responses"][200]["content"]["application/json"];

export const asked: Asked = {
  game_state: { player_hand: ["2C", "5C"], rules: 4001 },
  ai_config: { level: "hard" },
};
export const cardOf = (reply: Reply): string => reply.move.card;
type Table = components["schemas"]["TableView"];
export const stateOf = (table: Table): State | null => table.game_state;
// @ts-expect-error a state without a hand
export const empty: State = {};
"""


def run(*command: object, folder: Path) -> str:
    """Run a program in a folder; its output."""
    done = subprocess.run(
        [str(each) for each in command], cwd=folder, text=True, timeout=SECONDS,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    with application(tmp_path_factory.mktemp("openapi")) as app:
        return app.test_client().get("/openapi.json").json


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method != "parameters":
                yield method, path, operation


def test_every_operation_has_a_name_of_its_own(document):
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len({*names}) == len(names)
    assert all(name.isidentifier() and name[0].islower() for name in names), names
    assert {"chooseMove", "chooseMoves", "choosePass", "listGames", "createGame"} <= {*names}


@pytest.mark.parametrize(("method", "path", "name"), [
    ("get", "/api/games", "listGames"), ("post", "/api/games", "createGame"),
    ("get", "/api/games/{game_id}", "getGame"), ("post", "/api/tables/{id}/play", "postTablePlay"),
    ("delete", "/api/games/{game_id}/shares", "deleteGameShares"),
    ("get", "/healthz", "getHealthz"),
    ("get", "/api/a-b", "getAB"), ("post", "/api/play-one", "chooseMoveFast"),
])  # fmt: skip
def test_names_follow_from_method_and_path(method, path, name):
    assert operation_name(method, path) == name


def test_the_document_names_the_server_and_types_the_state_of_a_table(document):
    assert document["servers"] == [{"url": "/", "description": "this service"}]
    state = document["components"]["schemas"]["TableView"]["properties"]["game_state"]
    assert {"$ref": "#/components/schemas/GameState"} in state["anyOf"]


@pytest.mark.thorough
def test_a_generated_python_client_plays_a_move(tmp_path, document):
    (tmp_path / "openapi.json").write_text(json.dumps(document), "utf-8")
    (tmp_path / "play.py").write_text(PLAY, "utf-8")
    run(sys.executable, "-m", "venv", "venv", folder=tmp_path)
    python, pip = tmp_path / "venv/bin/python", (tmp_path / "venv/bin/pip", "install", "--quiet")
    run(*pip, PYTHON_GENERATOR, folder=tmp_path)
    generate = tmp_path / "venv/bin/openapi-python-client"
    run(generate, "generate", "--path", "openapi.json", "--output-path", "made", folder=tmp_path)
    run(*pip, "./made", folder=tmp_path)
    with serving(tmp_path) as service:
        card = run(python, "-I", "play.py", service.base, folder=tmp_path).strip()
    assert card in ("2C", "5C", "9C")


@pytest.mark.thorough
def test_generated_typescript_compiles_strictly(tmp_path, document):
    (tmp_path / "openapi.json").write_text(json.dumps(document), "utf-8")
    (tmp_path / "use.ts").write_text(USE, "utf-8")
    run("npm", "install", "--silent", "--no-audit", "--no-fund", *TYPESCRIPT, folder=tmp_path)
    programs = tmp_path / "node_modules/.bin"
    run(programs / "openapi-typescript", "openapi.json", "-o", "api.ts", folder=tmp_path)
    run(programs / "tsc", "--strict", "--noEmit", "use.ts", "api.ts", folder=tmp_path)

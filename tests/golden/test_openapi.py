"""The OpenAPI document: what clients rely on changes only where a change is listed with its reason.

`openapi-0.1.0.json` is the document that version 0.1.0 served by default, with sorted keys. Prose
may change freely: descriptions, summaries, titles and the values of examples.
"""

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.server.application import application

PATH = Path(__file__).with_name("openapi-0.1.0.json")
PROSE = ("description", "summary", "title")
EXAMPLES = ("example", "examples")
NAMED = ("properties", "schemas", "responses", "paths", "headers")  # keys below are names


class Allowed(NamedTuple):
    """A change that is meant."""

    change: str  # "added", "removed" or "changed", a blank, a JSON pointer; `*` matches anything
    reason: str


_RENAMED = "options have clearer names now; requests may use the old ones too"
_STATUSES = "every status of an endpoint is on the page /docs, and not only as `default`"
_OWNERS = "games have owners; tokens show them to others"
_DELTAS = "a client may ask for the hands that finished after the version that it has"
_JOBS = "reviews are made by queued jobs; one that takes longer than a request is answered with 202"
_POSTED = "posted games are no results of ours, and a selection of their own"
_GENERATORS = "generators make names of functions, addresses and types of it"
_BATCH = "many states in one request"
_INVITATIONS = "people join private tables by invitation"
_TYPES = "opponent models that say how the others play"
_ABANDONED = "a table without an event for long is not open any more"
_HINTS = "a hint advises a player by the figure that is shown"
ALLOWED: tuple[Allowed, ...] = (
    Allowed("added /components/schemas/*Reply/properties/hint/*", _HINTS),
    Allowed("added /components/schemas/MoveResult/properties/hint/*", _HINTS),
    Allowed("added /components/schemas/AiConfig/properties/hint/*", _HINTS),
    Allowed("added /components/schemas/Hint*", _HINTS),
    Allowed("added /components/schemas/BeliefsReply/*/types*", _TYPES),
    Allowed("added /components/schemas/Game*/properties/status/enum/abandoned", _ABANDONED),
    Allowed("added /paths/~1api~1games/get/*/enum/abandoned", _ABANDONED),
    Allowed("added /paths/~1api~1stats/get/parameters/query:posted/*", _POSTED),
    Allowed("added /paths/*/operationId", _GENERATORS),
    Allowed("added /servers/*", _GENERATORS),
    Allowed("* /components/schemas/Table*/properties/game_state/*", _GENERATORS),
    Allowed("added /paths/~1api~1moves/*", _BATCH),
    Allowed("added /components/schemas/Batch*", _BATCH),
    Allowed("added /components/schemas/MoveResult/*", _BATCH),
    Allowed("added /paths/~1api~1stats/get/parameters/query:posted/*", _POSTED),
    Allowed("added /paths/~1api~1tables~1{table_id}~1join/*", _INVITATIONS),
    Allowed("added /components/schemas/Join*", _INVITATIONS),
    Allowed("added /components/schemas/TablePlayer/*/joined*", _INVITATIONS),
    Allowed("added /components/schemas/Table*/*/private*", _INVITATIONS),
    Allowed("added /components/schemas/TableRequest/properties/seat/*", _INVITATIONS),
    Allowed("added /components/schemas/TableRequest/properties/public/*", _INVITATIONS),
    Allowed("added /components/schemas/NewTableReply/*", _INVITATIONS),
    Allowed("added /paths/*/get/parameters/header:X-Seat-Token/*", _OWNERS),
    Allowed("added /paths/*/get/parameters/header:X-Share-Token/*", _OWNERS),
    Allowed("added /paths/~1api~1tables~1{table_id}*/parameters/*", _DELTAS),
    Allowed("added /components/schemas/TableView/*/hands_before*", _DELTAS),
    Allowed("added /components/schemas/TableReply/*/hands_before*", _DELTAS),
    Allowed("added /paths/~1api~1games~1{game_id}~1shares/*", _OWNERS),
    Allowed("added /components/schemas/ShareReply/*", _OWNERS),
    Allowed("added /components/schemas/RevokedReply/*", _OWNERS),
    Allowed("added /paths/*/responses/[45]??/*", _STATUSES),
    Allowed("added /components/schemas/AiConfig/properties/policy_weight/*", _RENAMED),
    Allowed("added /components/schemas/AiConfig/properties/auxiliary_simulations/*", _RENAMED),
    Allowed("added /paths/~1api~1jobs~1{job_id}/*", _JOBS),
    Allowed("added /components/schemas/Job*", _JOBS),
    Allowed("added /components/schemas/Pending*", _JOBS),
    Allowed("added /paths/*review/*/responses/202/*", _JOBS),
)


def structure(node: Any, place: str = "", parent: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf of a document by its JSON pointer, without prose; lists by what is in them."""
    if isinstance(node, dict):
        below = {key: value for key, value in node.items() if not _is_prose(key, value, parent)}
        yield from [] if below else [(place, {})]
    elif isinstance(node, list):
        below = {_key(value): None if _is_leaf(value) else value for value in node}
        assert len(below) == len(node), f"{place}: two entries have the same key"
        yield from [] if below else [(place, [])]
    else:
        below = {}
        yield place, node
    for key, value in below.items():
        name = key.replace("~", "~0").replace("/", "~1")
        yield from structure(value, f"{place}/{name}", "" if parent in NAMED else key)


def _is_prose(key: str, value: Any, parent: str) -> bool:
    if parent in NAMED:
        return False
    return key in EXAMPLES or (key in PROSE and isinstance(value, str))


def _is_leaf(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _key(value: Any) -> str:
    """What an entry of a list is called: parameters and tags by name, values by themselves."""
    if isinstance(value, dict) and "name" in value:
        return f"{value.get('in', '')}:{value['name']}"
    return value if isinstance(value, str) else json.dumps(dict(structure(value)), sort_keys=True)


def changes(now: Any, then: Any) -> list[str]:
    """What a document has more, less or otherwise than another."""
    new, old = dict(structure(now)), dict(structure(then))
    both = [place for place in new if place in old]
    return sorted(
        [f"added {place}" for place in new.keys() - old.keys()]
        + [f"removed {place}" for place in old.keys() - new.keys()]
        + [f"changed {place}" for place in both if repr(new[place]) != repr(old[place])]
    )


def unlisted(found: list[str], allowed: tuple[Allowed, ...]) -> list[str]:
    """The changes that no entry allows."""
    return [each for each in found if not any(fnmatchcase(each, entry.change) for entry in allowed)]


def unneeded(found: list[str], allowed: tuple[Allowed, ...]) -> list[str]:
    """The entries without a change, so that the list stays true."""
    return [
        entry.change
        for entry in allowed
        if not any(fnmatchcase(each, entry.change) for each in found)
    ]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with application(tmp_path_factory.mktemp("openapi")) as app:
        yield app.test_client().get("/openapi.json").json


@pytest.fixture
def then():
    return json.loads(PATH.read_text(encoding="utf-8"))


def test_only_allowed_changes_were_made(served, then):
    found = changes(served, then)
    assert not unlisted(found, ALLOWED)
    assert not unneeded(found, ALLOWED)
    assert all(each.reason for each in ALLOWED)


def test_a_change_needs_an_entry_and_an_entry_a_change(then):
    now = json.loads(json.dumps(then))
    now["paths"]["/api/new"] = {"get": {"responses": {"200": {"description": "New."}}}}
    found = changes(now, then)
    new, old = Allowed("added /paths/~1api~1new/*", "new"), Allowed("removed /paths/*", "old")
    assert found == ["added /paths/~1api~1new/get/responses/200"]
    assert (unlisted(found, ()), unneeded(found, ())) == (found, [])
    assert (unlisted(found, (new,)), unneeded(found, (new,))) == ([], [])
    assert (unlisted(found, (new, old)), unneeded(found, (new, old))) == ([], [old.change])


def test_the_stored_document_is_canonical(then):
    assert PATH.read_text(encoding="utf-8") == json.dumps(then, sort_keys=True, indent=1) + "\n"
    assert then["info"]["version"] == "0.1.0"
    assert len(then["paths"]) == 26


def test_prose_may_change(then):
    now = json.loads(json.dumps(then))
    move = now["paths"]["/api/move"]["post"]
    move["summary"] = now["info"]["title"] = "Another text"
    move["requestBody"]["content"]["application/json"]["example"] = {}
    now["components"]["schemas"]["AiConfig"]["properties"]["prior"]["description"] = "Another"
    now["paths"] = dict(reversed(now["paths"].items()))
    assert changes(now, then) == []


def test_changes_for_clients_are_found(then):
    now = json.loads(json.dumps(then))
    move, state = now["paths"]["/api/move"]["post"], now["components"]["schemas"]["GameState"]
    del move["responses"]["200"]
    state["required"] = []
    state["properties"]["title"] = state["properties"].pop("player_hand")
    state["properties"]["rules"]["type"] = ["integer"]
    state["properties"]["target_score"]["default"] = 100
    found = changes(now, then)
    assert any(
        change.startswith("removed /paths/~1api~1move/post/responses/200") for change in found
    )
    assert "removed /components/schemas/GameState/required/player_hand" in found
    assert any(
        change.startswith("added /components/schemas/GameState/properties/title/")
        for change in found
    )
    assert "removed /components/schemas/GameState/properties/rules/type/object" in found
    assert "added /components/schemas/GameState/properties/target_score/default" in found

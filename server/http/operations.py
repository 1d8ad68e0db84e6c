"""Names of operations in the OpenAPI document, from which generators make the names of functions.

A name follows from method and path: `listGames`, `createGame`, `getGame`, `postGameEvents`. Paths
that ask for something to be computed have names of their own.
"""

from __future__ import annotations

from typing import Any

from apispec import BasePlugin

_OWN_NAMES = {
    "/api/move": "chooseMove",
    "/api/moves": "chooseMoves",
    "/api/play-one": "chooseMoveFast",
    "/api/pass": "choosePass",
    "/api/legal": "listLegalCards",
    "/api/beliefs": "getBeliefs",
    "/api/analysis": "analyseDecisions",
    "/api/review": "reviewRecord",
}
_COLLECTIONS = ("games", "tables")
_COLLECTION_VERBS = {"get": "list", "post": "create"}


class OperationNames(BasePlugin):
    """Gives every operation a name, unless it has one."""

    def operation_helper(
        self, path: str | None = None, operations: dict[str, Any] | None = None, **_: Any
    ) -> None:
        """Name the operations of a path."""
        for method, operation in (operations or {}).items():
            operation.setdefault("operationId", operation_name(method, path or ""))


def operation_name(method: str, path: str) -> str:
    """The name of an operation, in camel case."""
    segments = [part for part in path.split("/") if part not in ("", "api")]
    if path in _OWN_NAMES:
        return _OWN_NAMES[path]
    verb = method
    if segments[-1] in _COLLECTIONS:
        verb = _COLLECTION_VERBS.get(method, method)
    # A collection is singular where one of its members is meant.
    one = verb == "create" or any(part.startswith("{") for part in segments)
    nouns = [part for part in segments if not part.startswith("{")]
    nouns[0] = nouns[0].removesuffix("s") if one else nouns[0]
    return verb + "".join(word.capitalize() for noun in nouns for word in noun.split("-"))


# What flask-smorest is to add to the document.
DOCUMENT: dict[str, Any] = {
    "extra_plugins": [OperationNames()],
    "servers": [{"url": "/", "description": "this service"}],
}

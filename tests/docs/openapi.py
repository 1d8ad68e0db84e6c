"""The OpenAPI document in the words of API_SPEC.md: fields with their types, parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

Document = dict[str, Any]
ALTERNATIVES = ("anyOf", "oneOf", "allOf")


class Field(NamedTuple):
    """A field of a schema, or a parameter of an endpoint."""

    kind: str
    required: bool
    values: tuple[str, ...] = ()  # where only some are allowed


def used_schemas(document: Document) -> set[str]:
    """The schemas that an endpoint refers to, directly or through others."""
    schemas = document["components"]["schemas"]
    found: set[str] = set()
    left = set(references([document["paths"], document["components"]["responses"]]))
    while left:
        found |= left
        left = set(references([schemas[name] for name in left])) - found
    return found


def references(node: Any) -> Iterator[str]:
    """The names of all schemas that a part of the document refers to."""
    if isinstance(node, dict):
        if node.get("$ref", "").startswith("#/components/schemas/"):
            yield node["$ref"].rpartition("/")[2]
        for below in node.values():
            yield from references(below)
    elif isinstance(node, list):
        for below in node:
            yield from references(below)


def fields(document: Document, name: str) -> dict[str, Field]:
    """The fields of a schema."""
    schema = document["components"]["schemas"][name]
    required = schema.get("required", [])
    return {
        field: Field(kind(node, field not in required), field in required, _values(node))
        for field, node in schema.get("properties", {}).items()
    }


def parameters(document: Document) -> dict[str, dict[str, tuple[str, str]]]:
    """By endpoint the parameters of query and headers, with place and type."""
    return {
        f"{method.upper()} {path}": {
            each["name"]: (each["in"], kind(each["schema"], False))
            for each in operation.get("parameters", [])
            if each["in"] != "path"
        }
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in ("get", "post", "delete")
    }


def kind(node: Any, optional: bool) -> str:
    """A type as API_SPEC.md writes it; null of an optional field says no more than absence."""
    if "$ref" in node:
        return f"`{node['$ref'].rpartition('/')[2]}`"
    if "default" in node and "type" not in node:
        return f'`"{node["default"]}"`'
    names = list(_alternatives(node))
    return " or ".join(name for name in names if name != "null" or not optional) or "any"


def _alternatives(node: Any) -> Iterator[str]:
    for key in ALTERNATIVES:
        for below in node.get(key, []):
            yield kind(below, False)
    types = node.get("type", [])
    for name in types if isinstance(types, list) else [types]:
        if name == "array":
            yield f"array of {kind(node['items'], False)}"
        elif name == "object" and node.get("additionalProperties"):
            below = node["additionalProperties"]
            yield f"map of {kind(below, False)}" if isinstance(below, dict) else "object"
        else:
            yield name


def _values(node: Any) -> tuple[str, ...]:
    return tuple(value for value in node.get("enum", []) if value is not None)

"""API_SPEC.md against the service: fields, parameters, and every example executed."""

from __future__ import annotations

import re

import pytest

from server.http.errors import CODES
from tests.docs.examples import Shell, check_shown, examples
from tests.docs.markdown import ROOT, blocks, read, tables
from tests.docs.openapi import Field, fields, parameters, used_schemas

TEXT = read(ROOT / "API_SPEC.md")
# A schema is a line in bold, alone or with the schema whose fields it has too.
SCHEMA = re.compile(r"^\*\*`(\w+)`\*\*(?: extends `(\w+)`)?(.*)$", re.MULTILINE)
ENDPOINT = re.compile(r"`((?:GET|POST|DELETE) /[^`]*)`")
FIELDS = ["field", "type", "required", "meaning"]
PARAMETERS = ["parameter", "in", "type", "meaning"]


@pytest.fixture(scope="module")
def document(api):
    return api.client.get("/openapi.json").json


def described() -> dict[str, dict[str, list[str]]]:
    """By schema the lines of its table by field, those of the schema that it extends included."""
    pieces = SCHEMA.split(TEXT)
    found = {}
    for name, base, _, text in zip(*[iter(pieces[1:])] * 4, strict=True):
        first = next(tables(text), None)
        own = {} if first is None or first.head != FIELDS else by_name(first.lines)
        found[name] = (base, own)

    def whole(name: str) -> dict[str, list[str]]:
        base, own = found[name]
        return (whole(base) if base else {}) | own

    return {name: whole(name) for name in found}


def by_name(cells: list[list[str]]) -> dict[str, list[str]]:
    return {row[0].strip("`"): row[1:] for row in cells}


def test_every_schema_is_described_and_no_other(document):
    assert set(described()) == used_schemas(document)


@pytest.mark.parametrize("name", sorted(described()))
def test_fields_have_the_types_of_the_document(document, name):
    shown = {field: (kind, need) for field, (kind, need, _) in described()[name].items()}
    real = {field: (it.kind, _need(it)) for field, it in fields(document, name).items()}
    assert shown == real
    for field, it in fields(document, name).items():
        missing = [value for value in it.values if f"`{value}`" not in described()[name][field][2]]
        assert missing == [], f"{name}.{field} does not say {missing}"


def _need(field: Field) -> str:
    return "yes" if field.required else "no"


def test_every_parameter_is_described(document):
    shown = {}
    for table in tables(TEXT):
        for endpoint in ENDPOINT.findall(table.heading) if table.head == PARAMETERS else ():
            shown[endpoint] = {name: (row[0], row[1]) for name, row in by_name(table.lines).items()}
    assert shown == {name: found for name, found in parameters(document).items() if found}


def test_every_endpoint_has_a_heading(document):
    headings = re.findall(r"^### (.*)$", TEXT, re.MULTILINE)
    shown = [endpoint for heading in headings for endpoint in ENDPOINT.findall(heading)]
    assert sorted(shown) == sorted(parameters(document))


def test_the_error_table_is_that_of_the_code():
    (table,) = [each for each in tables(TEXT) if each.head[:2] == ["status", "`error_code`"]]
    shown = {row[1].strip("`"): row[0] for row in table.lines}
    assert set(shown) == {code for code, _ in CODES.values()}
    assert all(str(status) in shown[code] for code, status in CODES.values())


def test_examples(api):
    shell = Shell(api.client)
    for example in examples(TEXT):
        answer = shell.run(example)
        starting = "/readyz" in example.words[2]  # the test's application is not warmed up
        assert answer.status_code == example.status or starting, (example.words, answer.text)
        if example.shown:
            check_shown(example.shown, answer)
    assert len(list(examples(TEXT))) >= len(blocks(TEXT, "sh")) > 20

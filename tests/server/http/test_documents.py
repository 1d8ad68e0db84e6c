"""The OpenAPI document, its page, and API_SPEC.md."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.http.errors import CODES
from server.http.routes.docs import FOLDER as SWAGGER_UI
from server.http.routes.docs import VERSION
from server.http.routes.pages import POLICY
from server.http.schemas import examples
from server.http.schemas.search import DESCRIPTIONS, AiConfigSchema

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "path", ["move", "play-one", "legal", "pass", "beliefs", "analysis", "review"]
)
def test_the_document_s_examples_work(api, path):
    document = api.client.get("/openapi.json").json
    body = document["paths"][f"/api/{path}"]["post"]["requestBody"]
    example = body["content"]["application/json"]["example"]
    assert example == getattr(examples, path.replace("-", "_").upper())
    status, answer = api.post(f"/api/{path}", example)
    assert (status, answer["status"], answer["warnings"]) == (200, "success", [])


def test_the_types_of_the_document_are_json_schema_s(api):
    def types(node: object) -> Iterator[object]:
        if isinstance(node, dict):
            if "type" in node and not isinstance(node["type"], dict):
                yield node["type"]
            for below in node.values():
                yield from types(below)
        elif isinstance(node, list):
            for below in node:
                yield from types(below)

    found = list(types(api.client.get("/openapi.json").json))
    lists = [kind for kind in found if isinstance(kind, list)]
    assert ["integer", "string", "null"] in lists
    assert all(len(set(kind)) == len(kind) for kind in lists), lists


def test_every_knob_has_a_description(api):
    assert set(DESCRIPTIONS) <= set(AiConfigSchema().fields)
    for knob, field in AiConfigSchema().fields.items():
        assert field.metadata["description"] != "see hearts/engine/config.py", knob


def test_the_page_takes_everything_from_this_service(api):
    page = api.client.get("/docs")
    assert page.content_type == "text/html; charset=utf-8"
    assert page.headers["Content-Security-Policy"] == POLICY
    named = re.findall(r'(?:src|href)="([^"]*)"', page.text)
    for path in named:
        assert path.startswith("/")
        assert api.client.get(path).status_code == 200, path
    for file in ("swagger-ui.css", "swagger-ui-bundle.js"):
        path = f"/docs/{VERSION}/{file}"
        assert path in named
        plain = api.client.get(path)
        assert plain.data == (SWAGGER_UI / file).read_bytes()
        packed = api.client.get(path, headers={"Accept-Encoding": "gzip"})
        assert gzip.decompress(packed.data) == plain.data
    assert api.client.get(f"/docs/{VERSION}/index.css").status_code == 404


def test_the_specification_names_every_path_and_every_error_code(api):
    text = (ROOT / "API_SPEC.md").read_text("utf-8")
    for path in api.client.get("/openapi.json").json["paths"]:
        assert f" {path}`" in text, path
    for code, status in CODES.values():
        lines = [line for line in text.splitlines() if f"`{code}`" in line and line.startswith("|")]
        assert any(str(status) in line for line in lines), code

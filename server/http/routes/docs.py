"""The interactive page about the interface; its files are served from here and nowhere else."""

from __future__ import annotations

from pathlib import Path

from flask import Blueprint, Response

from server.http.routes.pages import POLICY

FOLDER = Path(__file__).parents[2] / "static"
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}

# Flask's own blueprint: the page is about the OpenAPI document and not in it.
blueprint = Blueprint("docs", __name__)


@blueprint.get("/docs")
def page() -> Response:
    """Send the page."""
    return _file("docs.html")


@blueprint.get("/docs/<any('docs.js','docs.css'):name>")
def asset(name: str) -> Response:
    """Send one of the files that the page needs."""
    return _file(name)


def _file(name: str) -> Response:
    path = FOLDER / name
    kind = f"{KINDS[path.suffix]}; charset=utf-8"
    return Response(
        path.read_bytes(), content_type=kind, headers={"Content-Security-Policy": POLICY}
    )

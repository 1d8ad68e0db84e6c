"""The pages for people: one shell for all, with its modules, styles and texts.

Everything is read once, at import. Files are served below a digest of them all, so that browsers
may cache them for ever and never mix two versions.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, render_template, request, url_for
from werkzeug.exceptions import NotFound

from server.http.errors import answer_http

FOLDER = Path(__file__).parents[2] / "web"
KINDS = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".woff2": "font/woff2",
}
FILES = {
    path.name: path.read_bytes()
    for path in sorted((FOLDER / "static").rglob("*"))
    if path.suffix in KINDS
}
TEXTS: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text("utf-8")) for path in sorted((FOLDER / "text").iterdir())
}
# Packed once; a font is packed already.
PACKED = {
    name: gzip.compress(body, mtime=0)
    for name, body in FILES.items()
    if not name.endswith(".woff2")
}
DEFAULT_LANGUAGE = "en"
DIGEST = hashlib.sha256(b"".join(FILES.values())).hexdigest()[:12]
# The modules that all pages import. `theme.js` is a script that runs before them.
MODULES = [
    name for name in FILES if name.endswith(".js") and "page" not in name and name != "theme.js"
]
STATIC = "/static/"

# Pages may only load from and connect to the service that sent them.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
# Page by path; each has a module `<name>-page.js`.
PAGES = {
    "/": "play",
    "/watch": "watch",
    "/beliefs": "beliefs",
    "/review": "review",
    "/stats": "stats",
}

MISSING = "missing"  # the page for addresses without one
NO_PAGES = ("/api/", STATIC)  # what is not there is answered as JSON

# Flask's own blueprint: these pages use the interface and are not in its OpenAPI document.
blueprint = Blueprint("pages", __name__)


def page() -> Response:
    """Send the shell of a page."""
    return shell(PAGES[request.path])


def wants_page() -> bool:
    """Whether an address that does not exist was opened in a browser."""
    wanted = request.accept_mimetypes.best_match(["application/json", "text/html"])
    is_read = request.method in ("GET", "HEAD")
    return is_read and wanted == "text/html" and not request.path.startswith(NO_PAGES)


@blueprint.app_errorhandler(NotFound)
def missing(error: NotFound) -> Response:
    """Answer an unknown address: browsers get a page, programs the JSON of all errors."""
    if not wants_page():
        return answer_http(error)
    response = shell(MISSING)
    response.status_code = 404
    response.vary.add("Accept")
    return response


def shell(name: str) -> Response:
    """The shell of a page, in the language that the browser likes best of those there are."""
    language = request.accept_languages.best_match(TEXTS, DEFAULT_LANGUAGE)
    assert language is not None  # the default is one of them
    html = render_template(
        "shell.html",
        page=name,
        pages=PAGES,
        language=language,
        text=TEXTS[language],
        static=f"{STATIC}{DIGEST}/",
        modules=MODULES,
    )
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
    headers |= {"Vary": "Accept-Language", "Referrer-Policy": "no-referrer"}
    return Response(html, content_type="text/html; charset=utf-8", headers=headers)


for path in PAGES:
    blueprint.add_url_rule(path, view_func=page)


@blueprint.get(f"{STATIC}<digest>/<name>")
def static(digest: str, name: str) -> Response:
    """Send one file of the pages."""
    if name not in FILES or digest != DIGEST:
        raise NotFound
    return cached_file(KINDS[Path(name).suffix], FILES[name], PACKED.get(name))


def cached_file(kind: str, data: bytes, packed: bytes | None) -> Response:
    """Answer with a file whose address changes with its contents, compressed where accepted."""
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
    if packed is None or request.accept_encodings["gzip"] <= 0:
        return Response(data, content_type=kind, headers=headers)
    headers["Content-Encoding"] = "gzip"
    return Response(packed, content_type=kind, headers=headers)


@blueprint.app_template_global()
def asset_url(name: str) -> str:
    """The address of a file of the pages."""
    return url_for("pages.static", digest=DIGEST, name=name)

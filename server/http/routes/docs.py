"""The `/docs` page: Swagger UI, configured through flask-smorest, with files served from here.

The files come from the package flask-swagger-ui, which republishes every release of Swagger UI
(5.34.0, October 2026). Swagger UI reads OpenAPI 3.1 since version 5; swagger-ui-bundle, the other
candidate on PyPI, stops at 4.15 of 2022.
"""

from __future__ import annotations

import gzip
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import PurePath

from flask import Blueprint, Response, request

from server.http.routes.pages import KINDS, POLICY, cached_file

FOLDER = files("flask_swagger_ui") / "dist"
# In the files' address, so that browsers may keep them until the package is upgraded.
VERSION = version("flask-swagger-ui")
PAGE = "api-docs.openapi_swagger_ui"  # flask-smorest's endpoint
SETTINGS = {
    "OPENAPI_SWAGGER_UI_PATH": "docs",
    "OPENAPI_SWAGGER_UI_URL": f"/docs/{VERSION}/",
    "OPENAPI_SWAGGER_UI_CONFIG": {
        "deepLinking": True,
        "defaultModelsExpandDepth": 0,
        "displayRequestDuration": True,
        "tryItOutEnabled": True,
        "validatorUrl": None,  # by default Swagger UI sends the document's address to swagger.io
    },
}

# Flask's own blueprint: the page shows the OpenAPI document and is not part of it.
blueprint = Blueprint("docs", __name__)


@blueprint.get(f"/docs/{VERSION}/<any('swagger-ui-bundle.js','swagger-ui.css'):name>")
def file(name: str) -> Response:
    """Send a file of Swagger UI."""
    return cached_file(KINDS[PurePath(name).suffix], *_contents(name))


@blueprint.after_app_request
def add_policy(response: Response) -> Response:
    """Set the content security policy of the page, which flask-smorest renders."""
    if request.endpoint == PAGE:
        response.headers["Content-Security-Policy"] = POLICY
    return response


@cache
def _contents(name: str) -> tuple[bytes, bytes]:
    """A file of the package, plain and compressed."""
    data = (FOLDER / name).read_bytes()
    return data, gzip.compress(data, mtime=0)

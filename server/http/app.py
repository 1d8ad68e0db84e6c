"""The application factory."""

from __future__ import annotations

from flask import Flask, Response, request
from flask_cors import CORS
from werkzeug.exceptions import NotFound

from server import version
from server.http import errors, request_log
from server.http.access import guard
from server.http.routes import BLUEPRINTS, docs, pages
from server.http.services import Services
from server.runtime.settings import Settings

METHODS = ["GET", "HEAD", "OPTIONS", "POST"]
ALLOWED_HEADERS = (
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-API-Key, "
    "X-Request-ID, X-Seat-Token"
)

EXPOSED = ["X-Request-ID", "Retry-After", "ETag", "Location"]  # headers that scripts may read


def create_app(settings: Settings) -> Flask:
    """The application for `settings`. It connects to the database with the first request."""
    # The application's own templates come before those of flask-smorest.
    app = Flask("server", static_folder=None, template_folder=pages.FOLDER / "templates")
    app.config.update(
        API_TITLE="Hearts AI",
        API_VERSION=version(),
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX="/",
        OPENAPI_JSON_PATH="openapi.json",
        API_SPEC_OPTIONS=guard.SECURITY if settings.require_keys else {},
        **docs.SETTINGS,
    )
    Services.of(settings).attach(app)
    _allow_origins(app, settings)
    request_log.log_requests(app)
    app.before_request(answer_options)
    guard.guard(app, settings)
    api = errors.HeartsApi(app)
    errors.register(app)
    for blueprint in BLUEPRINTS:
        api.register_blueprint(blueprint)
    app.register_blueprint(docs.blueprint)
    app.register_blueprint(pages.blueprint)
    return app


def _allow_origins(app: Flask, settings: Settings) -> None:
    """Let pages of other origins call the API."""
    origins = [origin.strip() for origin in settings.cors_origins.split(",")]
    app.after_request(allow_all)  # runs after Flask-CORS: the last one registered runs first
    wildcard = origins == ["*"]
    CORS(app, origins=origins, methods=METHODS, send_wildcard=wildcard, expose_headers=EXPOSED)


def answer_options() -> Response | None:
    """Answer preflight requests on unknown paths, so that browsers can read the 404."""
    missing = isinstance(request.routing_exception, NotFound)
    return Response() if request.method == "OPTIONS" and missing else None


def allow_all(response: Response) -> Response:
    """Add the CORS headers to every OPTIONS, also without a requested method."""
    if request.method == "OPTIONS":
        response.headers.setdefault("Access-Control-Allow-Methods", ", ".join(METHODS))
        response.headers.setdefault("Access-Control-Allow-Headers", ALLOWED_HEADERS)
    return response

"""The Flask application: settings in, application out; no globals."""

from __future__ import annotations

from flask import Flask, Response, request
from flask_cors import CORS
from werkzeug.exceptions import NotFound

from server import version
from server.http import access, request_log
from server.http import errors as refusals
from server.http.routes import BLUEPRINTS, docs, pages
from server.http.services import Services
from server.runtime.settings import Settings

METHODS = ["GET", "HEAD", "OPTIONS", "POST"]
ALLOWED_HEADERS = (
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-API-Key, "
    "X-Request-ID, X-Seat-Token"
)


def create_app(settings: Settings) -> Flask:
    """The application for `settings`; its database is not touched until it is asked."""
    # The application's own templates come before those of flask-smorest.
    app = Flask("server", static_folder=None, template_folder=pages.FOLDER / "templates")
    app.config.update(
        API_TITLE="Hearts AI",
        API_VERSION=version(),
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX="/",
        OPENAPI_JSON_PATH="openapi.json",
        API_SPEC_OPTIONS=access.SECURITY if settings.require_keys else {},
        **docs.SETTINGS,
    )
    Services.of(settings).attach(app)
    origins = [origin.strip() for origin in settings.cors_origins.split(",")]
    app.after_request(allow_all)  # after Flask-CORS: the last one registered is called first
    # headers that a page's script may read
    shown = ["X-Request-ID", "Retry-After", "ETag", "Location"]
    wildcard = origins == ["*"]
    CORS(app, origins=origins, methods=METHODS, send_wildcard=wildcard, expose_headers=shown)
    request_log.log_requests(app)
    app.before_request(answer_options)
    access.guard(app, settings)
    api = refusals.HeartsApi(app)
    refusals.register(app)
    for blueprint in BLUEPRINTS:
        api.register_blueprint(blueprint)
    app.register_blueprint(docs.blueprint)
    app.register_blueprint(pages.blueprint)
    return app


def answer_options() -> Response | None:
    """Let a page ask for what is not there: it can only read the refusal of what it may send."""
    missing = isinstance(request.routing_exception, NotFound)
    return Response() if request.method == "OPTIONS" and missing else None


def allow_all(response: Response) -> Response:
    """Say on every OPTIONS what a page may do, also to a client that asks for nothing definite."""
    if request.method == "OPTIONS":
        response.headers.setdefault("Access-Control-Allow-Methods", ", ".join(METHODS))
        response.headers.setdefault("Access-Control-Allow-Headers", ALLOWED_HEADERS)
    return response

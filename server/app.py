"""The Flask application: settings in, application out; no globals."""

from __future__ import annotations

from typing import Any

from flask import Flask
from flask_cors import CORS
from flask_smorest import Api
from werkzeug.exceptions import HTTPException

from hearts.errors import HeartsError, InvalidConfig
from server import logs, version
from server.database import make_engine
from server.parts import Parts
from server.routes import BLUEPRINTS
from server.schemas import ErrorReply
from server.settings import Settings
from server.warmup import WarmUp


class HeartsApi(Api):  # type: ignore[misc]  # flask-smorest has no types
    """flask-smorest with our error envelope, in the answers and in the OpenAPI document."""

    ERROR_SCHEMA = ErrorReply

    def handle_http_exception(self, error: HTTPException) -> tuple[dict[str, Any], int, list[Any]]:
        """Put any HTTP error into the envelope; an uncaught exception arrives here as a 500."""
        code = error.code or 500
        if code in (400, 422):  # a body that is no JSON, or not of the shape of its schema
            return envelope("PARSE_ERROR", _faults(error)), 400, []
        error_code = "HTTP_ERROR" if code < 500 else "INTERNAL_ERROR"
        body = envelope(error_code, error.description or error.name)
        # Allow on a 405 and the like stay; the HTML body's own headers do not.
        kept = [(k, v) for k, v in error.get_headers() if k.lower() != "content-type"]
        return body, code, kept


def envelope(error_code: str, message: str) -> dict[str, Any]:
    """The body of every error."""
    return {"status": "error", "error_code": error_code, "message": message}


def _faults(error: HTTPException) -> str:
    """The faults that a schema found, field by field, or what the error says itself."""
    messages = getattr(error, "data", {}).get("messages", {}).get("json")
    if not messages:
        return error.description or error.name
    if isinstance(messages, dict):
        return "; ".join(f"{field}: {' '.join(map(str, why))}" for field, why in messages.items())
    return " ".join(map(str, messages))


def refuse(error: HeartsError) -> tuple[dict[str, Any], int]:
    """The answer to input that cannot be: the client's fault, in words that name the place."""
    code = "AI_CONFIG_ERROR" if isinstance(error, InvalidConfig) else "INVALID_GAME_STATE"
    return envelope(code, str(error)), 400


def refuse_depth(_: RecursionError) -> tuple[dict[str, Any], int]:
    """The answer to JSON that is nested too deeply to be read."""
    return envelope("PARSE_ERROR", "the body is nested too deeply"), 400


def create_app(settings: Settings) -> Flask:
    """The application for `settings`; its database is not touched until it is asked."""
    app = Flask("server", static_folder=None)
    app.config.update(
        API_TITLE="Hearts AI",
        API_VERSION=version(),
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX="/",
        OPENAPI_JSON_PATH="openapi.json",
    )
    Parts(settings, make_engine(settings.database_url), WarmUp()).attach(app)
    origins = [origin.strip() for origin in settings.cors_origins.split(",")]
    CORS(app, origins=origins, send_wildcard=origins == ["*"])
    logs.log_requests(app)
    api = HeartsApi(app)
    app.register_error_handler(HeartsError, refuse)
    app.register_error_handler(RecursionError, refuse_depth)
    for blueprint in BLUEPRINTS:
        api.register_blueprint(blueprint)
    return app

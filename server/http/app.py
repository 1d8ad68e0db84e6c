"""The application factory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask

from server import version
from server.http import errors, request_log
from server.http.access import guard
from server.http.access.origins import Origins
from server.http.operations import DOCUMENT
from server.http.replies import forbid_caching
from server.http.routes import BLUEPRINTS, docs, pages
from server.http.services import Services
from server.runtime.settings import Settings


class Application(Flask):
    """Flask for functions that are not coroutines."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """The function itself. Flask inspects all twelve of a request, which takes 2% of a move."""
        return func


def create_app(settings: Settings) -> Flask:
    """The application for `settings`. It connects to the database with the first request."""
    # The application's own templates come before those of flask-smorest.
    app = Application("server", static_folder=None, template_folder=pages.FOLDER / "templates")
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
    origins = Origins(settings)
    request_log.log_requests(app)
    origins.allow(app)
    app.after_request(forbid_caching)
    guard.guard(app, settings, origins)
    api = errors.HeartsApi(app, spec_kwargs=DOCUMENT)
    errors.register(app)
    for blueprint in BLUEPRINTS:
        api.register_blueprint(blueprint)
    app.register_blueprint(docs.blueprint)
    app.register_blueprint(pages.blueprint)
    return app

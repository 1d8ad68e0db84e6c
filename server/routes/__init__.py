"""The endpoints, one module per group; adding one is a module and an entry here."""

from server.routes import health, move

BLUEPRINTS = (health.blueprint, move.blueprint)
